// Files as text: bytes read as UTF-8 or refused, and lines taken from a stream of bytes.
import { BubError } from "../base/errors.ts";
import type { LineRange } from "./environment.ts";
import { firstInvalidByte } from "./utf8.ts";

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The most bytes that become one text. */
export const longestText = 256 * 1024 * 1024;

export interface DecodedText {
  /** Without the byte order mark. */
  readonly text: string;
  readonly hasBom: boolean;
}

/**
 * Reads a file's bytes as UTF-8.
 * @param path named in errors
 * @param start where the bytes stand in the file
 * @throws BubError with the byte offset of what is no UTF-8
 */
export function decodeText(bytes: Uint8Array, path: string, start = 0): DecodedText {
  const invalid = firstInvalidByte(bytes);
  if (invalid !== undefined) {
    throw new BubError("invalid_input", `'${path}' is not UTF-8 text: invalid byte at offset ${start + invalid}`, {
      details: { path, byte_offset: start + invalid },
    });
  }
  const hasBom = start === 0 && bom.equals(bytes.subarray(0, bom.length));
  const body = hasBom ? bytes.subarray(bom.length) : bytes;
  return { text: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"), hasBom };
}

/** The bytes of a text that replaces one with these properties. */
export function encodeText(text: string, hasBom: boolean): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return hasBom ? Buffer.concat([bom, bytes]) : bytes;
}

export function textTooLong(path: string): BubError {
  return new BubError("invalid_input", `'${path}' is larger than 256 MiB: read a part of it with offset and limit`, {
    details: { path, limit_bytes: longestText },
  });
}

/** Takes some lines out of a file's bytes, chunk by chunk; only `\n`, `\r\n` and `\r` end a line. */
export class LineSlicer {
  readonly #first: number;
  readonly #end: number;
  readonly #taken: Buffer[] = [];
  #takenBytes = 0;
  /** Where the first taken byte stands in the file. */
  #start = 0;
  #position = 0;
  /** The line that the next byte belongs to, unless a lone `\r` just ended it. */
  #line = 0;
  #afterReturn = false;

  constructor({ offset, limit }: LineRange) {
    this.#first = Math.max(0, offset);
    this.#end = limit === undefined ? Number.POSITIVE_INFINITY : this.#first + limit;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Copies what it needs of the next chunk; false when it needs nothing more. */
  push(chunk: Uint8Array): boolean {
    let line = this.#line;
    let afterReturn = this.#afterReturn;
    let from = -1;
    let index = 0;
    for (; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (afterReturn && byte !== lineFeed) line++;
      if (line >= this.#end) break;
      if (from < 0 && line >= this.#first) from = index;
      afterReturn = byte === carriageReturn;
      if (byte === lineFeed) line++;
    }
    if (from >= 0) this.#take(chunk.subarray(from, index), this.#position + from);
    this.#line = line;
    this.#afterReturn = afterReturn;
    this.#position += index;
    return line < this.#end;
  }

  /** @throws BubError when the lines are not UTF-8 */
  text(path: string): string {
    return decodeText(Buffer.concat(this.#taken), path, this.#start).text;
  }

  #take(bytes: Uint8Array, position: number): void {
    if (this.#taken.length === 0) this.#start = position;
    this.#taken.push(Buffer.from(bytes));
    this.#takenBytes += bytes.length;
  }
}
