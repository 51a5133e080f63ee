// What tapes and archives lie in a folder, and moving them in and out of use; files are looked at, never into.
import { existsSync, lstatSync, readdir, renameSync, rm, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../base/clock.ts";
import { BubError, codeOf } from "../base/errors.ts";
import { parseSidecarId, type TapeId } from "../base/ids.ts";
import { archivedFile, archiveNameOf, parseArchiveName } from "./archive-name.ts";
import { syncFolder } from "./durable-file.ts";
import { fileError } from "./file-error.ts";
import type { ShelvedTape, TapeArchive, TapeShelf } from "./store.ts";

export interface FileShelfOptions {
  /** Holds `<tape>.jsonl`, and archives as `<tape>.jsonl.<stamp>.bak`. */
  folder: string;
  /** Folders that hold further things of a tape below its name. */
  besides: readonly string[];
  clock: Clock;
}

const suffix = ".jsonl";
const index = "index.jsonl";
/** Files that are looked at before others get their turn. */
const atOnce = 256;

interface Found {
  readonly name: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** A tape's files: its own last. */
interface Group {
  readonly tape: TapeId;
  readonly files: readonly Found[];
}

export class FileShelf implements TapeShelf {
  readonly #options: FileShelfOptions;

  constructor(options: FileShelfOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly ShelvedTape[]> {
    const groups = await this.#groups();
    return groups.map(({ tape, files }) => ({
      tape,
      bytes: sum(files.map(({ bytes }) => bytes)),
      changed: new Date(Math.max(...files.map(({ changedMs }) => changedMs))).toISOString(),
    }));
  }

  async rename(from: TapeId, to: TapeId): Promise<void> {
    if ((await this.#groupOf(to)) !== undefined) throw new BubError("invalid_input", `there is a tape ${to} already`);
    await this.#moveAll(await this.#known(from), (name) => to + name.slice(from.length));
  }

  async archive(tape: TapeId): Promise<string> {
    const group = await this.#known(tape);
    let time = this.#options.clock.now().getTime();
    const placeOf = (name: string) => archiveNameOf(name, time);
    while (group.files.some(({ name }) => existsSync(this.#pathOf(placeOf(name))))) time++;
    await this.#moveAll(group, placeOf);
    return this.#pathOf(placeOf(tape + suffix));
  }

  async archives(): Promise<readonly TapeArchive[]> {
    return (await this.#archiveGroups()).map(({ archive }) => archive);
  }

  async restore(place: string): Promise<TapeId> {
    const { archive, files } = await this.#archiveAt(place);
    if ((await this.#groupOf(archive.tape)) !== undefined)
      throw new BubError("invalid_input", `the tape of ${place} is in use`, { hint: "Archive it first." });
    await this.#moveAll({ tape: archive.tape, files }, archivedFile);
    return archive.tape;
  }

  async remove(tape: TapeId): Promise<void> {
    for (const { name } of (await this.#known(tape)).files) this.#unlink(name);
    for (const folder of this.#options.besides)
      await promisify(rm)(join(folder, tape), { recursive: true, force: true });
    await syncFolder(this.#options.folder);
  }

  async removeArchive(place: string): Promise<void> {
    for (const { name } of (await this.#archiveAt(place)).files) this.#unlink(name);
    await syncFolder(this.#options.folder);
  }

  async #groups(): Promise<Group[]> {
    const groups = new Map<TapeId, Found[]>();
    const names = (await this.#names()).filter((name) => name.endsWith(suffix) && name !== index);
    for (const found of await this.#lookAt(names)) {
      const id = found.name.slice(0, -suffix.length) as TapeId;
      const tape = parseSidecarId(id)?.tape ?? id;
      const files = groups.get(tape) ?? [];
      groups.set(tape, tape === id ? [...files, found] : [found, ...files]);
    }
    return [...groups].map(([tape, files]) => ({ tape, files }));
  }

  async #groupOf(tape: TapeId): Promise<Group | undefined> {
    return (await this.#groups()).find((group) => group.tape === tape);
  }

  async #known(tape: TapeId): Promise<Group> {
    const group = await this.#groupOf(tape);
    if (group === undefined) throw new BubError("not_found", `there is no tape ${tape}`);
    return group;
  }

  /** Oldest first. A sidecar's copy belongs to its tape's last copy before or at the same time. */
  async #archiveGroups(): Promise<{ archive: TapeArchive; files: Found[] }[]> {
    const groups: { archive: TapeArchive; files: Found[] }[] = [];
    const sidecars: { tape: TapeId; date: string; found: Found }[] = [];
    const names = await this.#names();
    for (const found of await this.#lookAt(names.filter((name) => parseArchiveName(name) !== undefined))) {
      const { id, date } = parseArchiveName(found.name) ?? { id: "" as TapeId, date: "" };
      const sidecar = parseSidecarId(id);
      if (sidecar !== undefined) sidecars.push({ tape: sidecar.tape, date, found });
      else {
        const place = this.#pathOf(found.name);
        groups.push({ archive: { tape: id, place, date, bytes: found.bytes }, files: [found] });
      }
    }
    groups.sort((one, other) => (one.archive.date < other.archive.date ? -1 : 1));
    return groups.map((group, at) => {
      const { tape, date, bytes } = group.archive;
      const next = groups.slice(at + 1).find(({ archive }) => archive.tape === tape)?.archive.date ?? "~";
      const own = sidecars.filter((one) => one.tape === tape && one.date >= date && one.date < next);
      const files = [...own.map(({ found }) => found), ...group.files];
      return { archive: { ...group.archive, bytes: bytes + sum(own.map(({ found }) => found.bytes)) }, files };
    });
  }

  async #archiveAt(place: string): Promise<{ archive: TapeArchive; files: readonly Found[] }> {
    const group = (await this.#archiveGroups()).find(({ archive }) => archive.place === place);
    if (group === undefined) throw new BubError("not_found", `there is no archive ${place}`);
    return group;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await promisify(readdir)(this.#options.folder);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw fileError("look into", this.#options.folder, error);
    }
  }

  /** Sizes and times; one call of the system each, which is quicker than handing each to another thread. */
  async #lookAt(names: readonly string[]): Promise<Found[]> {
    const found: Found[] = [];
    for (const [at, name] of names.entries()) {
      if (at % atOnce === atOnce - 1) await new Promise(setImmediate);
      const stats = lstatSync(this.#pathOf(name), { throwIfNoEntry: false });
      if (stats?.isFile()) found.push({ name, bytes: stats.size, changedMs: stats.mtimeMs });
    }
    return found;
  }

  /** The tape's own file last: where it is, all is. */
  async #moveAll({ files }: Group, nameOf: (name: string) => string): Promise<void> {
    for (const { name } of files) {
      const [from, to] = [this.#pathOf(name), this.#pathOf(nameOf(name))];
      try {
        renameSync(from, to);
      } catch (error) {
        throw fileError("move", from, error);
      }
    }
    await syncFolder(dirname(this.#pathOf("")));
  }

  #unlink(name: string): void {
    try {
      unlinkSync(this.#pathOf(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw fileError("remove", this.#pathOf(name), error);
    }
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
