// One tape's file, held open: appends whole batches at its end, reads it from either end, begins it anew.
import {
  closeSync,
  constants,
  copyFile,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../base/clock.ts";
import { BubError, codeOf } from "../base/errors.ts";
import type { TapeId } from "../base/ids.ts";
import { parseJson } from "../base/json.ts";
import { archiveNameOf } from "./archive-name.ts";
import { asideOf, openPrivate, syncData, syncFolder, writeWhole } from "./durable-file.ts";
import { parseEntry, type TapeEntry } from "./entry.ts";
import { fileError, orFileError } from "./file-error.ts";
import { parseLine, type Report } from "./line-parser.ts";
import { type Block, type BlockOptions, blocksBackward, blocksForward } from "./line-reader.ts";
import type { LineFilter, ReadOptions, TapeLog, TapeProblem } from "./store.ts";

/** When appended entries are brought onto the disk: with each batch, when `sync` is called, or as the system likes. */
export type FsyncPolicy = "always" | "step" | "never";

export interface FileLogOptions {
  id: TapeId;
  path: string;
  fsync: FsyncPolicy;
  clock: Clock;
}

const newline = 0x0a;
const mostProblems = 1_000;
const burstMs = 5;
const appending = constants.O_RDWR | constants.O_APPEND;

export class FileLog implements TapeLog {
  readonly id: TapeId;
  readonly #options: FileLogOptions;
  readonly #problems = new Map<number, TapeProblem>();
  #file: CountedFile | undefined;
  /** Bytes that this log knows of; others make it differ. */
  #end = 0;
  /** Whether the file's last line is known to end. */
  #terminated = false;
  #wroteAt = -Infinity;
  #folderChanged = false;
  /** Size of the file at the last read: what seemed torn there may only have been on its way. */
  #readTo = 0;
  #closed = false;

  /** @throws BubError `config` when the file is there but cannot be opened */
  constructor(options: FileLogOptions) {
    this.id = options.id;
    this.#options = options;
    this.#file = openExisting(options.path);
    if (this.#file !== undefined) this.#end = fstatSync(this.#file.fd).size;
  }

  get problems(): readonly TapeProblem[] {
    return [...this.#problems.values()].sort((a, b) => a.offset - b.offset);
  }

  async *backward({ before = Infinity, after = -Infinity, mayHold = always, signal }: ReadOptions = {}) {
    for await (const { bytes, offset } of this.#blocks(blocksBackward, signal)) {
      if (!mayHold(bytes, 0, bytes.length)) {
        if (after > -Infinity && firstId(bytes) <= after) return;
        continue;
      }
      for (const entry of this.#entriesBackward(bytes, offset, mayHold)) {
        if (entry.id <= after) return;
        if (entry.id < before) yield entry;
      }
    }
  }

  async visitBackward(visit: (entry: TapeEntry) => boolean): Promise<void> {
    for await (const { bytes, offset } of this.#blocks(blocksBackward, undefined)) {
      for (const entry of this.#entriesBackward(bytes, offset, always)) if (!visit(entry)) return;
    }
  }

  async *forward({ after = -Infinity, before = Infinity, mayHold = always, signal }: ReadOptions = {}) {
    const read: ReadBlocks = (fd, options) => blocksAfter(after, fd, options);
    for await (const { bytes, offset } of this.#blocks(read, signal)) {
      if (before < Infinity && firstId(bytes) >= before) return;
      if (!mayHold(bytes, 0, bytes.length)) continue;
      for (let start = 0; start < bytes.length; ) {
        const found = bytes.indexOf(newline, start);
        const end = found < 0 ? bytes.length : found;
        const entries = mayHold(bytes, start, end) ? parseLine(bytes, start, end, offset, this.#report) : [];
        for (const entry of entries) {
          if (entry.id >= before) return;
          if (entry.id > after) yield entry;
        }
        start = end + 1;
      }
    }
  }

  async append(entries: readonly TapeEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const text = linesOf(entries);
    orFileError("write the tape", this.#options.path, () => this.#write(text));
    if (this.#options.fsync === "always") await this.#flush();
  }

  async sync(): Promise<void> {
    if (this.#options.fsync === "step") await this.#flush();
  }

  async replace(entries: readonly TapeEntry[]): Promise<void> {
    const { path } = this.#options;
    const text = linesOf(entries);
    const file = this.#existing();
    if (file !== undefined) this.#refuseForeignChange(file);
    try {
      this.#file = await writeAndRename(path, text);
      file?.release();
      this.#end = Buffer.byteLength(text);
      this.#terminated = true;
      this.#wroteAt = -Infinity;
      this.#problems.clear();
      await syncFolder(dirname(path));
    } catch (error) {
      throw fileError("begin the tape anew at", path, error);
    }
  }

  async archive(): Promise<string | undefined> {
    return this.#existing() === undefined ? undefined : this.#archive();
  }

  async size(): Promise<number> {
    const file = this.#existing();
    return file === undefined ? 0 : fstatSync(file.fd).size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#file?.release();
    this.#file = undefined;
  }

  async *#blocks(read: ReadBlocks, signal: AbortSignal | undefined): AsyncGenerator<Block, void, undefined> {
    const file = this.#existing()?.retain();
    if (file === undefined) return;
    try {
      const { size } = fstatSync(file.fd);
      this.#forgetTail(size);
      yield* read(file.fd, { size, signal });
    } catch (error) {
      throw codeOf(error) === undefined || signal?.aborted
        ? error
        : fileError("read the tape", this.#options.path, error);
    } finally {
      file.release();
    }
  }

  *#entriesBackward(bytes: Buffer, offset: number, mayHold: LineFilter): Generator<TapeEntry, void, undefined> {
    let end = lastLineEnd(bytes);
    if (mayHold === always) {
      // Sound lines are decoded together; the first that is none, and all before it, are read from their bytes.
      const lines = bytes.toString("utf8", 0, end).split("\n");
      for (let entry = parseEntry(parseJson(lines.at(-1) ?? "")); entry !== undefined; ) {
        yield entry;
        lines.pop();
        if (lines.length === 0) return;
        entry = parseEntry(parseJson(lines.at(-1) ?? ""));
      }
      end = lineEnd(bytes, lines.length - 1);
    }
    for (; end >= 0; ) {
      const start = end === 0 ? 0 : bytes.lastIndexOf(newline, end - 1) + 1;
      if (mayHold(bytes, start, end)) yield* parseLine(bytes, start, end, offset, this.#report).reverse();
      end = start - 1;
    }
  }

  readonly #report: Report = (problem) => {
    if (this.#problems.size < mostProblems) this.#problems.set(problem.offset, problem);
  };

  #forgetTail(size: number): void {
    if (size === this.#readTo) return;
    for (const { offset, length } of this.#problems.values()) {
      if (offset + length === this.#readTo) this.#problems.delete(offset);
    }
    this.#readTo = size;
  }

  /** The open file; one that others made since is opened now. */
  #existing(): CountedFile | undefined {
    if (this.#closed) throw new Error(`the tape ${this.#options.path} was used after it was closed`);
    this.#file ??= openExisting(this.#options.path);
    return this.#file;
  }

  #write(text: string): void {
    const file = this.#writable();
    // Asking costs as much as half a write: within one burst of our own writes it is done once.
    const size = performance.now() - this.#wroteAt < burstMs ? this.#end : this.#refuseForeignChange(file);
    const lead = this.#terminated || size === 0 || lastByte(file.fd, size) === newline ? "" : "\n";
    const content = lead + text;
    const length = Buffer.byteLength(content);
    try {
      const written = writeSync(file.fd, content);
      if (written < length) writeWhole(file.fd, Buffer.from(content).subarray(written));
    } catch (error) {
      this.#takeBack(file, size);
      throw error;
    }
    this.#end = size + length;
    this.#terminated = true;
    this.#wroteAt = performance.now();
  }

  #writable(): CountedFile {
    if (this.#file?.writable) return this.#file;
    const existed = this.#existing() !== undefined;
    if (this.#file?.writable) return this.#file;
    // A file that could only be read is opened again for the system's reason.
    const file = new CountedFile(openPrivate(this.#options.path, appending | constants.O_CREAT), true);
    this.#file?.release();
    this.#file = file;
    this.#folderChanged = !existed;
    return file;
  }

  /** Answers the file's size. Ids are counted from what was read, so nothing may be added to anything else. */
  #refuseForeignChange(file: CountedFile): number {
    const { size, nlink } = fstatSync(file.fd);
    if (nlink > 0 && size === this.#end) return size;
    throw new BubError("temporary", `the tape ${this.#options.path} was changed by another process while it was open`, {
      hint: "Nothing was written; send the message again.",
    });
  }

  /** A batch that was written in part must not count. */
  #takeBack(file: CountedFile, size: number): void {
    try {
      ftruncateSync(file.fd, size);
    } catch {
      // Its remains are for the next one who opens the file: this log's ids may now be on the disk.
      this.#end = -1;
    }
    this.#wroteAt = -Infinity;
  }

  async #flush(): Promise<void> {
    const file = this.#file?.retain();
    if (file === undefined) return;
    try {
      await syncData(file.fd);
      if (this.#folderChanged) await syncFolder(dirname(this.#options.path));
      this.#folderChanged = false;
    } catch (error) {
      throw fileError("bring onto the disk the tape", this.#options.path, error);
    } finally {
      file.release();
    }
  }

  async #archive(): Promise<string> {
    const { path, clock } = this.#options;
    let time = clock.now().getTime();
    try {
      for (;;) {
        const copy = archiveNameOf(path, time);
        if (await copyAside(path, copy)) return copy;
        time++;
      }
    } catch (error) {
      throw fileError("archive the tape", path, error);
    }
  }
}

const always = () => true;

type ReadBlocks = (fd: number, options: BlockOptions) => AsyncGenerator<Block, void, undefined>;

/** Forward from a block that begins at or before the id: what comes long before it is not read. */
async function* blocksAfter(id: number, fd: number, options: BlockOptions): AsyncGenerator<Block, void, undefined> {
  yield* blocksForward(fd, { ...options, from: id > 0 ? await offsetBefore(id, fd, options) : 0 });
}

async function offsetBefore(id: number, fd: number, options: BlockOptions): Promise<number> {
  for await (const { bytes, offset } of blocksBackward(fd, options)) if (firstId(bytes) <= id) return offset;
  return 0;
}

/** The id in a block's first line; NaN where that is no sound entry. */
function firstId(bytes: Buffer): number {
  const found = bytes.indexOf(newline);
  const [first] = parseLine(bytes, 0, found < 0 ? bytes.length : found, 0, () => undefined);
  return first?.id ?? Number.NaN;
}

/** A file that stays open until its last reader is done, also when the log has gone on to another. */
class CountedFile {
  readonly fd: number;
  readonly writable: boolean;
  #users = 1;

  constructor(fd: number, writable: boolean) {
    this.fd = fd;
    this.writable = writable;
  }

  retain(): this {
    this.#users++;
    return this;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) closeSync(this.fd);
  }
}

function openExisting(path: string): CountedFile | undefined {
  try {
    return new CountedFile(openSync(path, appending), true);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw fileError("open the tape", path, error);
  }
  return orFileError("open the tape", path, () => new CountedFile(openSync(path, "r"), false));
}

async function writeAndRename(path: string, text: string): Promise<CountedFile> {
  const aside = asideOf(path);
  const fd = openPrivate(aside, appending | constants.O_CREAT | constants.O_EXCL);
  try {
    writeWhole(fd, text);
    await syncData(fd);
    renameSync(aside, path);
    return new CountedFile(fd, true);
  } catch (error) {
    closeSync(fd);
    rmSync(aside, { force: true });
    throw error;
  }
}

/** False when something stands at `copy` already. */
async function copyAside(path: string, copy: string): Promise<boolean> {
  try {
    await promisify(copyFile)(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    rmSync(copy, { force: true });
    throw error;
  }
  const fd = openSync(copy, "r");
  try {
    await syncData(fd);
  } finally {
    closeSync(fd);
  }
  return true;
}

function linesOf(entries: readonly TapeEntry[]): string {
  let text = "";
  for (const entry of entries) text += `${JSON.stringify(entry)}\n`;
  return text;
}

/** Where the block's last line ends, its newline left out. */
function lastLineEnd(bytes: Buffer): number {
  return bytes[bytes.length - 1] === newline ? bytes.length - 1 : bytes.length;
}

/** Where the block's line of that index ends, its newline left out. */
function lineEnd(bytes: Buffer, index: number): number {
  let end = -1;
  for (let line = 0; line <= index; line++) {
    end = bytes.indexOf(newline, end + 1);
    if (end < 0) return bytes.length;
  }
  return end;
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(fd, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}
