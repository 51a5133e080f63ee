// UTF-8 as bytes: streams cut between characters, code points counted and found, bad bytes located.
import { isAscii, isUtf8 } from "node:buffer";

/** Turns a byte stream into pieces of valid UTF-8 that never cut a character; what is invalid becomes U+FFFD. */
export class Utf8Chunks {
  #held: Buffer = Buffer.alloc(0);

  /** Whole characters only; an unfinished one waits for the next chunk. The answer may share `chunk`'s memory. */
  push(chunk: Uint8Array): Buffer {
    const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = this.#held.length === 0 ? given : Buffer.concat([this.#held, given]);
    const whole = bytes.length - unfinishedLength(bytes);
    this.#held = Buffer.from(bytes.subarray(whole));
    return toValid(bytes.subarray(0, whole));
  }

  /** What a stream that ended inside a character leaves. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return toValid(rest);
  }
}

/** How many code points valid UTF-8 holds. */
export function countCodePoints(bytes: Uint8Array): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let index = 0; index < bytes.length; index++) if (!isContinuation(bytes[index] as number)) count++;
  return count;
}

/** The byte where code point `wanted` (from 0) starts; the length when there are fewer. */
export function byteOfCodePoint(bytes: Uint8Array, wanted: number): number {
  if (isAscii(bytes)) return Math.min(wanted, bytes.length);
  let seen = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (isContinuation(bytes[index] as number)) continue;
    if (seen === wanted) return index;
    seen++;
  }
  return bytes.length;
}

/** How many bytes at the end belong to a character that is not complete yet: 0 to 3. */
export function unfinishedLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (!isContinuation(byte)) return lengthByLead(byte) > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start belong to a character that began before: 0 to 3. */
export function strayLength(bytes: Uint8Array): number {
  let index = 0;
  while (index < Math.min(3, bytes.length) && isContinuation(bytes[index] as number)) index++;
  return index;
}

/** Where the first bytes that are no UTF-8 start; undefined when all is valid. */
export function firstInvalidByte(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  for (let start = 0; ; ) {
    const block = bytes.subarray(start, start + 65_536);
    const whole = block.length - unfinishedLength(block);
    if (whole === 0 || !isUtf8(block.subarray(0, whole))) return scanFrom(bytes, start);
    start += whole;
  }
}

/** The first character from `start` on that is not valid. */
function scanFrom(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length) {
    const length = lengthByLead(bytes[index] as number);
    if (index + length > bytes.length || !isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
  return index;
}

function toValid(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString("utf8"), "utf8");
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function lengthByLead(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
