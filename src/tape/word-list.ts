// Words of one text by their places in its bytes, with what can be counted of each.

import { bytesOf, codeAt, lowerCode } from "./characters.ts";
import type { Pattern } from "./fuzzy.ts";

/** Words next to each other: from one up to, not including, another. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

// Bytes of a character after its first.
const continuationMask = 0xc0;
const continuation = 0x80;

const room = 4096;
/** Longer words are never compared, so that their sums stay whole numbers of 32 bits. */
const longest = 1 << 16;

/** One word by its bytes. */
export interface Word extends Run {
  /** In characters. */
  readonly length: number;
  /** How many of these the query has. */
  readonly hits: number;
}

export class WordList {
  count = 0;
  readonly from = new Int32Array(room);
  readonly to = new Int32Array(room);
  /** In characters. */
  readonly lengths = new Int32Array(room);
  /** How many of these the query has. */
  readonly hits = new Int32Array(room);
  /** Equal for words that are the same, up to case. */
  readonly signs = new Int32Array(room);

  get isFull(): boolean {
    return this.count === room;
  }

  add(bytes: Uint8Array, { from, to, length, hits }: Word): void {
    const index = this.count++;
    this.from[index] = from;
    this.to[index] = to;
    this.lengths[index] = Math.min(length, longest);
    this.hits[index] = Math.min(hits, longest);
    this.signs[index] = (length << 20) ^ (hits << 16) ^ endsOf(bytes, from, to);
  }

  clear(): void {
    this.count = 0;
  }

  /** Leaves the last `count` words, for runs that go on from them. */
  keepLast(count: number): void {
    const start = Math.max(0, this.count - count);
    for (const list of [this.from, this.to, this.lengths, this.hits, this.signs]) list.copyWithin(0, start, this.count);
    this.count -= start;
  }

  /** Whether at `from` or later, before `index`, a word stands that seems to be the same. */
  isRepeated(index: number, from: number): boolean {
    const sign = this.signs[index];
    for (let place = index - 1; place >= from; place--) if (this.signs[place] === sign) return true;
    return false;
  }

  /** In characters, with a space between words. */
  lengthOf(from: number, to: number): number {
    let length = to - from - 1;
    for (let index = from; index < to; index++) length += this.lengths[index] as number;
    return length;
  }

  /** Answers the word's length. */
  readInto(pattern: Pattern, bytes: Uint8Array, index: number, spaced: boolean): number {
    if (spaced) pattern.readSpace();
    pattern.read(bytes, this.from[index] as number, this.to[index] as number);
    return this.lengths[index] as number;
  }

  /** Below 0 where the first word comes first in the order of its characters in lower case. */
  compare(bytes: Uint8Array, one: number, other: number): number {
    let [at, place] = [this.from[one] as number, this.from[other] as number];
    const [end, otherEnd] = [this.to[one] as number, this.to[other] as number];
    while (at < end && place < otherEnd) {
      const [code, otherCode] = [codeAt(bytes, at), codeAt(bytes, place)];
      const difference = lowerCode(code) - lowerCode(otherCode);
      if (difference !== 0) return difference;
      at += bytesOf(code);
      place += bytesOf(otherCode);
    }
    return end - at - (otherEnd - place);
  }
}

/** The first and the last character, in lower case. */
function endsOf(bytes: Uint8Array, from: number, to: number): number {
  let last = to - 1;
  while (((bytes[last] as number) & continuationMask) === continuation) last--;
  return (lowerCode(codeAt(bytes, from)) << 8) ^ lowerCode(codeAt(bytes, last));
}
