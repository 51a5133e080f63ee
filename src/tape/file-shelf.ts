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

/** A copy of a tape or of one of its sidecars. */
interface Copy {
  readonly date: string;
  readonly isMain: boolean;
  readonly name: string;
  readonly bytes: number;
}

interface ArchiveGroup {
  archive: TapeArchive;
  /** Their names, the tape's own last. */
  readonly files: string[];
}

export class FileShelf implements TapeShelf {
  readonly #options: FileShelfOptions;

  constructor(options: FileShelfOptions) {
    this.#options = options;
  }

  async list(prefix = ""): Promise<readonly ShelvedTape[]> {
    const tapes = new Map<TapeId, { tape: TapeId; bytes: number; changed: Date }>();
    await this.#lookAt(await this.#tapeNames(prefix), (name, bytes, changed) => {
      const tape = tapeOf(name);
      const known = tapes.get(tape);
      if (known === undefined) tapes.set(tape, { tape, bytes, changed });
      else {
        known.bytes += bytes;
        if (changed > known.changed) known.changed = changed;
      }
    });
    return [...tapes.values()];
  }

  async find(tape: TapeId): Promise<ShelvedTape | undefined> {
    return (await this.list(tape)).find((one) => one.tape === tape);
  }

  async rename(from: TapeId, to: TapeId): Promise<void> {
    if ((await this.#filesOf(to)).length > 0) throw new BubError("invalid_input", `there is a tape ${to} already`);
    await this.#moveAll(await this.#known(from), (name) => to + name.slice(from.length));
  }

  async archive(tape: TapeId): Promise<string> {
    const files = await this.#known(tape);
    let time = this.#options.clock.now().getTime();
    const placeOf = (name: string) => archiveNameOf(name, time);
    while (files.some((name) => existsSync(this.#pathOf(placeOf(name))))) time++;
    await this.#moveAll(files, placeOf);
    return this.#pathOf(placeOf(tape + suffix));
  }

  async archives(): Promise<readonly TapeArchive[]> {
    return (await this.#archiveGroups()).map(({ archive }) => archive);
  }

  async restore(place: string): Promise<TapeId> {
    const { archive, files } = await this.#archiveAt(place);
    if ((await this.#filesOf(archive.tape)).length > 0)
      throw new BubError("invalid_input", `the tape of ${place} is in use`, { hint: "Archive it first." });
    await this.#moveAll(files, archivedFile);
    return archive.tape;
  }

  async remove(tape: TapeId): Promise<void> {
    for (const name of await this.#known(tape)) this.#unlink(name);
    for (const folder of this.#options.besides)
      await promisify(rm)(join(folder, tape), { recursive: true, force: true });
    await syncFolder(this.#options.folder);
  }

  async removeArchive(place: string): Promise<void> {
    for (const name of (await this.#archiveAt(place)).files) this.#unlink(name);
    await syncFolder(this.#options.folder);
  }

  /** Names of the files of tapes whose names begin so. */
  async #tapeNames(prefix: string): Promise<string[]> {
    const isWanted = (name: string) => name.endsWith(suffix) && name.startsWith(prefix) && name !== index;
    return (await this.#names()).filter(isWanted);
  }

  /** Names of a tape's files, its own last; none where it is not there. */
  async #filesOf(tape: TapeId): Promise<readonly string[]> {
    const files: string[] = [];
    await this.#lookAt(await this.#tapeNames(tape), (name) => {
      if (name === tape + suffix) files.push(name);
      else if (tapeOf(name) === tape) files.unshift(name);
    });
    return files;
  }

  async #known(tape: TapeId): Promise<readonly string[]> {
    const files = await this.#filesOf(tape);
    if (files.length === 0) throw new BubError("not_found", `there is no tape ${tape}`);
    return files;
  }

  /** Oldest first. @param prefix only of tapes whose names begin so */
  async #archiveGroups(prefix = ""): Promise<ArchiveGroup[]> {
    const copies = new Map<TapeId, Copy[]>();
    const isWanted = (name: string) => name.startsWith(prefix) && parseArchiveName(name) !== undefined;
    await this.#lookAt((await this.#names()).filter(isWanted), (name, bytes) => {
      const { id, date } = parseArchiveName(name) ?? { id: "" as TapeId, date: "" };
      const tape = parseSidecarId(id)?.tape ?? id;
      const own = copies.get(tape) ?? [];
      own.push({ date, isMain: tape === id, name, bytes });
      copies.set(tape, own);
    });
    const groups = [...copies].flatMap(([tape, own]) => this.#groupCopies(tape, own));
    return groups.sort((one, other) => byText(one.archive.date, other.archive.date));
  }

  /** A sidecar's copy belongs to its tape's last copy before or at the same time. */
  #groupCopies(tape: TapeId, copies: readonly Copy[]): ArchiveGroup[] {
    const groups: ArchiveGroup[] = [];
    // Of the same time, the tape's own stands first.
    const sorted = [...copies].sort((a, b) => byText(a.date, b.date) || Number(b.isMain) - Number(a.isMain));
    for (const { date, isMain, name, bytes } of sorted) {
      const last = groups.at(-1);
      if (isMain) groups.push({ archive: { tape, place: this.#pathOf(name), date, bytes }, files: [name] });
      else if (last !== undefined) {
        last.archive = { ...last.archive, bytes: last.archive.bytes + bytes };
        last.files.unshift(name);
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
  async #lookAt(names: readonly string[], see: (name: string, bytes: number, changed: Date) => void): Promise<void> {
    let path = "";
    try {
      for (let at = 0; at < names.length; at++) {
        if (at % atOnce === atOnce - 1) await new Promise(setImmediate);
        const name = names[at] as string;
        path = this.#pathOf(name);
        const own = lstatSync(path, mayBeGone);
        const stats = own?.isSymbolicLink() ? (targetOf(path) ?? own) : own;
        // What else is in a tape's place shall be seen, not missed: opening it tells what is wrong.
        if (stats !== undefined) see(name, stats.isFile() ? stats.size : 0, stats.mtime);
      }
    } catch (error) {
      throw fileError("look at", path, error);
    }
  }

  /** The tape's own file last: where it is, all is. */
  async #moveAll(files: readonly string[], nameOf: (name: string) => string): Promise<void> {
    for (const name of files) {
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

/** The tape that a file belongs to, as its own or as a sidecar. */
function tapeOf(name: string): TapeId {
  const id = name.slice(0, -suffix.length) as TapeId;
  return parseSidecarId(id)?.tape ?? id;
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
