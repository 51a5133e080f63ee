// The words and runs of words of a text that may be like a phrase; most are told apart by counting their characters.
import { bytesOf, codeAt, lowerCode } from "./characters.ts";
import { Bag, never } from "./fuzzy-bounds.ts";
import type { FuzzyPhrase } from "./fuzzy-phrase.ts";
import type { WordList } from "./word-list.ts";

const space = 0x20;
const stretchRoom = 1024;

export class Candidates {
  readonly #phrase: FuzzyPhrase;
  /** See `Bounds.plain`. */
  readonly #wanted: Int32Array;
  readonly #bag: Bag;
  /** By length, whether the phrase has a word of it. */
  readonly #lengths: Uint8Array;
  readonly #codes: Int32Array;
  #filled = 0;
  /** Of the last candidate, how many characters the phrase has not. */
  #missing = 0;

  constructor(phrase: FuzzyPhrase) {
    this.#phrase = phrase;
    this.#wanted = phrase.bounds.plain;
    this.#bag = new Bag(phrase.codes);
    this.#lengths = new Uint8Array(this.#wanted.length);
    for (const { length } of phrase.words) this.#lengths[length] = 1;
    this.#codes = new Int32Array(this.#wanted.length + stretchRoom);
  }

  /** Whether one of the words, or a run of as many as the phrase has, is like the phrase. */
  areThere(bytes: Uint8Array, words: WordList): boolean {
    const { count, lengths, hits } = words;
    const wanted = this.#wanted;
    for (let index = 0; index < count; index++) {
      const length = lengths[index] as number;
      if (length < wanted.length && (hits[index] as number) >= (wanted[length] as number)) {
        if (this.#runIsAlike(bytes, words, { from: index, to: index + 1, wanted: wanted[length] as number }))
          return true;
      }
    }
    const size = this.#phrase.words.length;
    return size > 1 && count >= size && this.#runsAreThere(bytes, words, size);
  }

  /**
   * In a word of a script without spaces: whether as many characters as the phrase has, from anywhere on, are like it.
   * @param length in characters
   */
  areInWord(bytes: Uint8Array, from: number, to: number, length: number): boolean {
    const size = this.#phrase.codes.length;
    const wanted = this.#wanted[size] as number;
    if (length <= size || wanted === never) return false;
    this.#filled = 0;
    let hits = 0;
    for (let at = from; at < to; ) {
      const code = codeAt(bytes, at);
      at += bytesOf(code);
      if (this.#filled === this.#codes.length) {
        this.#codes.copyWithin(0, this.#filled - size, this.#filled);
        this.#filled = size;
      }
      const lower = lowerCode(code);
      this.#codes[this.#filled++] = lower;
      if (this.#phrase.has(lower)) hits++;
      const start = this.#filled - size;
      if (start < 0) continue;
      if (hits >= wanted && this.#phrase.isAlike(this.#codes, start, this.#filled, hits)) return true;
      if (this.#phrase.has(this.#codes[start] as number)) hits--;
    }
    return false;
  }

  #runsAreThere(bytes: Uint8Array, words: WordList, size: number): boolean {
    const { count, lengths, hits } = words;
    const wanted = this.#wanted;
    let length = 0;
    let hit = 0;
    // Places of the newest word of the phrase, and of the newest word that a later one seems to repeat.
    let known = -1;
    let repeated = -1;
    for (let index = 0; index < count; index++) {
      const own = lengths[index] as number;
      length += own + 1;
      hit += (hits[index] as number) + 1;
      if (hits[index] === own && this.#lengths[own] === 1 && this.#isKnown(bytes, words, index)) known = index;
      repeated = Math.max(repeated, words.placeBefore(index, size));
      const first = index - size + 1;
      if (first < 0) continue;
      // The last word has no space behind it.
      const plain = length <= wanted.length ? (wanted[length - 1] as number) : never;
      if (plain !== never) {
        const least = known >= first || repeated >= first ? this.#wantedOf(bytes, words, first, index + 1) : plain;
        if (hit - 1 >= least && this.#runIsAlike(bytes, words, { from: first, to: index + 1, wanted: least }))
          return true;
      }
      length -= (lengths[first] as number) + 1;
      hit -= (hits[first] as number) + 1;
    }
    return false;
  }

  #isKnown(bytes: Uint8Array, { from, to }: WordList, index: number): boolean {
    return this.#phrase.words.some((word) => {
      let place = 0;
      for (let at = from[index] as number; at < (to[index] as number); place++) {
        const code = codeAt(bytes, at);
        if (lowerCode(code) !== word[place]) return false;
        at += bytesOf(code);
      }
      return place === word.length;
    });
  }

  /** What a run needs that has words of the phrase, or words that seem to be the same. */
  #wantedOf(bytes: Uint8Array, words: WordList, from: number, to: number): number {
    const { lengths, hits } = words;
    let length = -1;
    let distinct = -1;
    let shared = -1;
    for (let index = from; index < to; index++) {
      const own = (lengths[index] as number) + 1;
      length += own;
      if (words.placeBefore(index, index - from + 1) >= from) continue;
      distinct += own;
      if (hits[index] === own - 1 && this.#isKnown(bytes, words, index)) shared += own;
    }
    return this.#phrase.bounds.wanted({ length, distinct, shared: Math.max(0, shared) });
  }

  /** @param run.wanted characters in common, whatever their order, without which it cannot be; 0 when that says nothing */
  #runIsAlike(bytes: Uint8Array, words: WordList, run: { from: number; to: number; wanted: number }): boolean {
    if (!this.#bagHolds(bytes, words, run)) return false;
    this.#filled = 0;
    for (let index = run.from; index < run.to; index++) {
      if (index > run.from) this.#codes[this.#filled++] = space;
      const to = words.to[index] as number;
      for (let at = words.from[index] as number; at < to; ) {
        const code = codeAt(bytes, at);
        this.#codes[this.#filled++] = lowerCode(code);
        at += bytesOf(code);
      }
    }
    return this.#phrase.isAlike(this.#codes, 0, this.#filled, this.#filled - this.#missing);
  }

  #bagHolds(
    bytes: Uint8Array,
    words: WordList,
    { from, to, wanted }: { from: number; to: number; wanted: number },
  ): boolean {
    let length = to - from - 1;
    for (let index = from; index < to; index++) length += words.lengths[index] as number;
    this.#bag.begin(length - wanted);
    for (let index = from; index < to; index++) {
      if (!this.#bag.holds(bytes, words.from[index] as number, words.to[index] as number)) return false;
    }
    this.#missing = length - wanted - this.#bag.left;
    return true;
  }
}
