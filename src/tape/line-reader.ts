// Reads a file in blocks of whole lines, from its end or its start, in bounded memory; only byte 0x0A ends a line.
import { read } from "node:fs";

/** Whole lines. The bytes are valid until the next block is asked for. */
export interface Block {
  readonly bytes: Buffer;
  /** Where the bytes begin in the file. */
  readonly offset: number;
}

export interface BlockOptions {
  /** Bytes of the file to read; what is appended later is left out. */
  size: number;
  /** Where a line begins; reading forward starts there. */
  from?: number;
  signal?: AbortSignal;
}

const newline = 0x0a;
const firstChunk = 64 * 1024;
const largestChunk = 256 * 1024;

/** Blocks from the end of the file to its start. Each read costs by itself, so taking little costs little. */
export async function* blocksBackward(
  fd: number,
  { size, signal }: BlockOptions,
): AsyncGenerator<Block, void, undefined> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(size, firstChunk) * 2);
  let chunk = firstChunk;
  // Bytes at the buffer's start that belong to a line whose own start was not read yet.
  let held = 0;
  for (let end = size; end > 0; ) {
    signal?.throwIfAborted();
    const length = Math.min(end, Math.max(chunk, held));
    buffer = withRoom(buffer, length + held, held);
    buffer.copyWithin(length, 0, held);
    await readWhole(fd, buffer.subarray(0, length), end - length);
    end -= length;
    const filled = length + held;
    const start = end === 0 ? 0 : buffer.subarray(0, length).indexOf(newline) + 1;
    held = end === 0 ? 0 : start === 0 ? filled : start;
    if (held < filled) yield { bytes: buffer.subarray(held, filled), offset: end + held };
    chunk = Math.min(chunk * 2, largestChunk);
  }
}

/** Blocks from the start of the file to its end. */
export async function* blocksForward(
  fd: number,
  { size, from = 0, signal }: BlockOptions,
): AsyncGenerator<Block, void, undefined> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(size - from, firstChunk) * 2);
  let chunk = firstChunk;
  // Bytes at the buffer's start that belong to a line whose end was not read yet.
  let held = 0;
  for (let at = from; at < size; ) {
    signal?.throwIfAborted();
    const length = Math.min(size - at, Math.max(chunk, held));
    const filled = length + held;
    buffer = withRoom(buffer, filled, held);
    await readWhole(fd, buffer.subarray(held, filled), at);
    at += length;
    const end = at === size ? filled : buffer.subarray(0, filled).lastIndexOf(newline) + 1;
    if (end > 0) yield { bytes: buffer.subarray(0, end), offset: at - filled };
    buffer.copyWithin(0, end, filled);
    held = filled - end;
    chunk = Math.min(chunk * 2, largestChunk);
  }
}

function withRoom(buffer: Buffer, length: number, held: number): Buffer {
  if (buffer.length >= length) return buffer;
  const larger = Buffer.allocUnsafe(length * 2);
  buffer.copy(larger, 0, 0, held);
  return larger;
}

async function readWhole(fd: number, into: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < into.length; ) {
    const count = await readSome(fd, into.subarray(filled), position + filled);
    // The file was cut while it was read: what is missing reads as blank.
    if (count === 0) return void into.fill(0, filled);
    filled += count;
  }
}

function readSome(fd: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, into, 0, into.length, position, (error, count) => (error ? reject(error) : resolve(count)));
  });
}
