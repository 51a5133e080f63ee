// One stream on disk: its first bytes stay, the newest share the rest of the room in turn; memory holds what is on its way.
import { closeSync, mkdirSync, openSync, read, unlinkSync, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { randomHex } from "../base/ids.ts";

const readAt = promisify(read);
const writeAt = promisify(write);

const blockBytes = 192 * 1024;
/** With more bytes than this waiting, whoever adds should wait too. */
const waitingBytes = 3 * blockBytes;

export interface SpoolPlace {
  directory: string;
  /** Positions below this keep their place in the file. */
  headRoom: number;
  /** All later positions share as many bytes behind it. */
  tailRoom: number;
  /** Told once, when the file cannot be opened or written. */
  onProblem?: (error: unknown) => void;
  openFile?: (directory: string) => number;
}

interface Block {
  /** Position of its first byte in the stream. */
  readonly start: number;
  readonly bytes: Buffer;
  length: number;
}

export class SpoolFile {
  readonly #place: SpoolPlace;
  /** Oldest first; all but the last wait for the disk. After a failure the last two hold the newest bytes. */
  #blocks: Block[];
  #free: Buffer[] = [];
  #file: number | undefined;
  #writing: Promise<void> | undefined;
  #drained: { promise: Promise<void>; resolve: () => void } | undefined;
  #failure: { at: number; error: unknown } | undefined;
  #holds = 0;
  #released: { promise: Promise<void>; resolve: () => void } | undefined;
  /** Stands in for a file that never came to be. */
  #headInMemory: Buffer | undefined;

  /** @param begun the stream so far; taken over, not copied */
  constructor(place: SpoolPlace, begun: Buffer) {
    this.#place = place;
    this.#blocks = [{ start: 0, bytes: begun, length: begun.length }, newBlock(begun.length)];
    try {
      this.#file = (place.openFile ?? openHidden)(place.directory);
      this.#startWriting();
    } catch (error) {
      this.#giveUp(0, error);
    }
  }

  /** Position of the first byte that is in memory. */
  get memoryStart(): number {
    return this.#blocks[0]?.start ?? 0;
  }

  /** From this position on nothing was stored in the file; undefined while all goes well. */
  get failedAt(): number | undefined {
    return this.#failure?.at;
  }

  get problem(): unknown {
    return this.#failure?.error;
  }

  append(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const block = this.#roomyBlock();
      const part = bytes.subarray(from, from + block.bytes.length - block.length);
      block.bytes.set(part, block.length);
      block.length += part.length;
      from += part.length;
    }
    this.#startWriting();
  }

  /** Open while too much waits for the disk; undefined when nothing does. */
  drained(): Promise<void> | undefined {
    const isMoving = this.#file !== undefined && this.#failure === undefined;
    if (this.#waiting() <= waitingBytes || !(isMoving || this.#holds > 0)) return undefined;
    this.#drained ??= openPromise();
    return this.#drained.promise;
  }

  /** Until the answer is called nothing is written over and nothing leaves memory. */
  hold(): () => void {
    this.#holds++;
    this.#released ??= openPromise();
    return () => {
      if (--this.#holds > 0) return;
      this.#released?.resolve();
      this.#released = undefined;
      if (this.#failure !== undefined) this.#release();
    };
  }

  /** The bytes from `from` up to `to`. */
  async read(from: number, to: number): Promise<Buffer> {
    const memoryFrom = Math.max(from, this.memoryStart);
    const fromMemory = this.#readMemory(memoryFrom, to);
    const fromFile = from < memoryFrom ? await this.#readFile(from, Math.min(to, memoryFrom)) : Buffer.alloc(0);
    return Buffer.concat([fromFile, ...fromMemory]);
  }

  /** Gives back memory that is held for bytes to come. */
  shrink(): void {
    this.#free = [];
    const last = this.#blocks.pop();
    if (last === undefined) return;
    this.#blocks.push({ ...last, bytes: Buffer.from(last.bytes.subarray(0, last.length)) });
  }

  async close(): Promise<void> {
    await this.#released?.promise;
    const file = this.#file;
    this.#file = undefined;
    await this.#writing;
    this.#drained?.resolve();
    if (file !== undefined) closeSync(file);
  }

  #waiting(): number {
    const last = this.#blocks.at(-1);
    return last === undefined ? 0 : last.start + last.length - this.memoryStart;
  }

  #roomyBlock(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.length < last.bytes.length) return last;
    const next = newBlock(last === undefined ? 0 : last.start + last.length, this.#free.pop());
    // Nobody takes the older blocks away any more: keep the newest bytes only.
    const isFull = this.#failure !== undefined && this.#holds === 0 && last !== undefined;
    this.#blocks = isFull ? [last, next] : [...this.#blocks, next];
    return next;
  }

  #startWriting(): void {
    if (this.#writing !== undefined || this.#failure !== undefined || this.#blocks.length < 2) return;
    this.#writing = this.#writeBlocks().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeBlocks(): Promise<void> {
    while (this.#file !== undefined && this.#failure === undefined && this.#blocks.length > 1) {
      if (this.#released !== undefined) {
        await this.#released.promise;
        continue;
      }
      const block = this.#blocks[0] as Block;
      const failure = await this.#writeBlock(block, this.#file);
      if (failure !== undefined) return this.#giveUp(failure.at, failure.error);
      this.#blocks.shift();
      if (block.bytes.length === blockBytes && this.#free.length < 2) this.#free.push(block.bytes);
      if (this.#waiting() <= waitingBytes) this.#release();
    }
  }

  async #writeBlock(block: Block, file: number): Promise<{ at: number; error: unknown } | undefined> {
    let done = 0;
    while (done < block.length) {
      const { slot, room } = this.#slotOf(block.start + done);
      try {
        const length = Math.min(block.length - done, room);
        done += (await writeAt(file, block.bytes, done, length, slot)).bytesWritten;
      } catch (error) {
        return { at: block.start + done, error };
      }
    }
    return undefined;
  }

  #giveUp(at: number, error: unknown): void {
    const [first] = this.#blocks;
    if (at === 0 && first !== undefined)
      this.#headInMemory = Buffer.from(first.bytes.subarray(0, Math.min(first.length, blockBytes)));
    this.#failure = { at: this.#headInMemory?.length ?? at, error };
    this.#release();
    this.#place.onProblem?.(error);
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #readMemory(from: number, to: number): Buffer[] {
    return this.#blocks
      .filter(({ start, length }) => start < to && start + length > from)
      .map(({ start, length, bytes }) =>
        Buffer.from(bytes.subarray(Math.max(0, from - start), Math.min(length, to - start))),
      );
  }

  async #readFile(from: number, to: number): Promise<Buffer> {
    if (this.#headInMemory !== undefined) return this.#headInMemory.subarray(from, to);
    const file = this.#file;
    if (file === undefined) return Buffer.alloc(0);
    const bytes = Buffer.alloc(to - from);
    let done = 0;
    while (done < bytes.length) {
      const { slot, room } = this.#slotOf(from + done);
      const { bytesRead } = await readAt(file, bytes, done, Math.min(bytes.length - done, room), slot);
      if (bytesRead === 0) return bytes.subarray(0, done);
      done += bytesRead;
    }
    return bytes;
  }

  /** Where a position stands in the file, and how many bytes follow it there without a jump. */
  #slotOf(position: number): { slot: number; room: number } {
    const { headRoom, tailRoom } = this.#place;
    if (position < headRoom) return { slot: position, room: headRoom - position };
    const inTail = (position - headRoom) % tailRoom;
    return { slot: headRoom + inTail, room: tailRoom - inTail };
  }
}

function newBlock(start: number, bytes: Buffer = Buffer.allocUnsafeSlow(blockBytes)): Block {
  return { start, bytes, length: 0 };
}

/** A file without a name: it goes with the process, however that ends. */
function openHidden(directory: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `output-${process.pid}-${randomHex(8)}`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return file;
}

function openPromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
