// What tapes and archives lie in a folder, and moving them in and out of use; files are looked at, never into.
import { existsSync, lstatSync, readdir, renameSync, rm, type Stats, statSync, unlinkSync } from "node:fs";
import { basename, join, sep } from "node:path";
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
const mayBeGone = { throwIfNoEntry: false } as const;
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

/** A copy of a tape or of one of its sidecars. */
interface Copy {
  readonly date: string;
  readonly isMain: boolean;
  readonly found: Found;
}

interface ArchiveGroup {
  archive: TapeArchive;
  /** The tape's own last. */
  readonly files: Found[];
}

export class FileShelf implements TapeShelf {
  readonly #options: FileShelfOptions;

  constructor(options: FileShelfOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly ShelvedTape[]> {
    return (await this.#groups()).map(shelved);
  }

  async find(tape: TapeId): Promise<ShelvedTape | undefined> {
    const group = await this.#groupOf(tape);
    return group === undefined ? undefined : shelved(group);
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

  /** @param prefix only of tapes whose names begin so */
  async #groups(prefix = ""): Promise<Group[]> {
    const groups = new Map<TapeId, Found[]>();
    const isWanted = (name: string) => name.endsWith(suffix) && name.startsWith(prefix) && name !== index;
    const names = (await this.#names()).filter(isWanted);
    for (const found of await this.#lookAt(names)) {
      const id = found.name.slice(0, -suffix.length) as TapeId;
      const tape = parseSidecarId(id)?.tape ?? id;
      const files = groups.get(tape) ?? [];
      groups.set(tape, tape === id ? [...files, found] : [found, ...files]);
    }
    return [...groups].map(([tape, files]) => ({ tape, files }));
  }

  async #groupOf(tape: TapeId): Promise<Group | undefined> {
    return (await this.#groups(tape)).find((group) => group.tape === tape);
  }

  async #known(tape: TapeId): Promise<Group> {
    const group = await this.#groupOf(tape);
    if (group === undefined) throw new BubError("not_found", `there is no tape ${tape}`);
    return group;
  }

  /** Oldest first. @param prefix only of tapes whose names begin so */
  async #archiveGroups(prefix = ""): Promise<ArchiveGroup[]> {
    const copies = new Map<TapeId, Copy[]>();
    const isWanted = (name: string) => name.startsWith(prefix) && parseArchiveName(name) !== undefined;
    for (const found of await this.#lookAt((await this.#names()).filter(isWanted))) {
      const { id, date } = parseArchiveName(found.name) ?? { id: "" as TapeId, date: "" };
      const tape = parseSidecarId(id)?.tape ?? id;
      const own = copies.get(tape) ?? [];
      own.push({ date, isMain: tape === id, found });
      copies.set(tape, own);
    }
    const groups = [...copies].flatMap(([tape, own]) => this.#groupCopies(tape, own));
    return groups.sort((one, other) => byText(one.archive.date, other.archive.date));
  }

  /** A sidecar's copy belongs to its tape's last copy before or at the same time. */
  #groupCopies(tape: TapeId, copies: readonly Copy[]): ArchiveGroup[] {
    const groups: ArchiveGroup[] = [];
    // Of the same time, the tape's own stands first.
    const sorted = [...copies].sort((a, b) => byText(a.date, b.date) || Number(b.isMain) - Number(a.isMain));
    for (const { date, isMain, found } of sorted) {
      const last = groups.at(-1);
      if (isMain)
        groups.push({ archive: { tape, place: this.#pathOf(found.name), date, bytes: found.bytes }, files: [found] });
      else if (last !== undefined) {
        last.archive = { ...last.archive, bytes: last.archive.bytes + found.bytes };
        last.files.unshift(found);
      }
    }
    return groups;
  }

  async #archiveAt(place: string): Promise<ArchiveGroup> {
    const groups = await this.#archiveGroups(parseArchiveName(basename(place))?.id);
    const group = groups.find(({ archive }) => archive.place === place);
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
    let path = "";
    try {
      for (let at = 0; at < names.length; at++) {
        if (at % atOnce === atOnce - 1) await new Promise(setImmediate);
        const name = names[at] as string;
        path = this.#pathOf(name);
        const own = lstatSync(path, mayBeGone);
        const stats = own?.isSymbolicLink() ? (targetOf(path) ?? own) : own;
        if (stats === undefined) continue;
        // What else is in a tape's place shall be seen, not missed: opening it tells what is wrong.
        found.push({ name, bytes: stats.isFile() ? stats.size : 0, changedMs: stats.mtimeMs });
      }
    } catch (error) {
      throw fileError("look at", path, error);
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
    await syncFolder(this.#options.folder);
  }

  #unlink(name: string): void {
    try {
      unlinkSync(this.#pathOf(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw fileError("remove", this.#pathOf(name), error);
    }
  }

  /** Put together plainly: `join` takes as long as looking at the file. */
  #pathOf(name: string): string {
    return this.#options.folder + sep + name;
  }
}

/** Undefined for a link that leads nowhere. */
function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function shelved({ tape, files }: Group): ShelvedTape {
  let [bytes, changedMs] = [0, 0];
  for (const file of files) {
    bytes += file.bytes;
    changedMs = Math.max(changedMs, file.changedMs);
  }
  return { tape, bytes, changed: new Date(changedMs).toISOString() };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
