// The words and runs of words of a text that may be like a phrase; most are told apart by counting their characters.
import { bytesOf, classOf, codeAt, lowerCode, separator, unspaced } from "./characters.ts";
import { Bag, never } from "./fuzzy-bounds.ts";
import type { FuzzyPhrase } from "./fuzzy-phrase.ts";

const space = 0x20;
const stretchRoom = 1024;

/** Takes the words of texts one by one and says when one, or the run that ends with it, is like the phrase. */
export class Candidates {
  readonly #phrase: FuzzyPhrase;
  /** How many words a run has. */
  readonly #size: number;
  /** See `Bounds.plain`. */
  readonly #wanted: Int32Array;
  readonly #leastHits: number;
  readonly #bag: Bag;
  readonly #codes: Int32Array;
  #filled = 0;
  /** Words of this text so far. */
  #count = 0;
  /** Number of the newest word that a later one seems to repeat. */
  #repeated = -1;
  // What is known of the last words, in turns.
  #place = 0;
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #lengths: Int32Array;
  readonly #hits: Int32Array;
  readonly #signs: Int32Array;
  readonly #known: Int32Array;
  // Sums of these.
  #length = 0;
  #hitCount = 0;
  #knownCount = 0;

  constructor(phrase: FuzzyPhrase) {
    this.#phrase = phrase;
    this.#size = phrase.words.length;
    this.#wanted = phrase.bounds.plain;
    this.#leastHits = Math.min(...this.#wanted);
    this.#bag = new Bag(phrase.codes);
    this.#codes = new Int32Array(this.#wanted.length + stretchRoom);
    this.#from = new Int32Array(this.#size);
    this.#to = new Int32Array(this.#size);
    this.#lengths = new Int32Array(this.#size);
    this.#hits = new Int32Array(this.#size);
    this.#signs = new Int32Array(this.#size);
    this.#known = new Int32Array(this.#size);
  }

  /** Begins a text: no run reaches over its start. */
  begin(): void {
    if (this.#count === 0) return;
    this.#count = this.#place = 0;
    this.#length = this.#hitCount = this.#knownCount = 0;
    this.#repeated = -1;
  }

  /**
   * Takes the next word of the text.
   * @param length in characters
   * @param hits how many of them the phrase has
   */
  take(bytes: Uint8Array, from: number, to: number, length: number, hits: number): boolean {
    if (length < this.#wanted.length && hits >= (this.#wanted[length] as number)) {
      if (this.#wordIsAlike(bytes, from, to, length)) return true;
    }
    if (this.#size === 1) return false;
    const place = this.#place;
    this.#place = place + 1 === this.#size ? 0 : place + 1;
    if (this.#count >= this.#size) this.#forget(place);
    this.#from[place] = from;
    this.#to[place] = to;
    this.#lengths[place] = length;
    this.#hits[place] = hits;
    this.#length += length;
    this.#hitCount += hits;
    const known = hits === length && this.#isKnown(bytes, from, to, length) ? 1 : 0;
    this.#known[place] = known;
    this.#knownCount += known;
    this.#sign(place, (length << 20) ^ (hits << 16) ^ ((bytes[from] as number) << 8) ^ (bytes[to - 1] as number));
    this.#count++;
    return this.#count >= this.#size && this.#runIsAlike(bytes);
  }

  /**
   * Takes what stands between two ASCII separators, with characters of any script.
   * @param hits at least as many as characters that the phrase has
   */
  takeMixed(bytes: Uint8Array, from: number, to: number, hits: number): boolean {
    if (this.#size === 1 && hits < this.#leastHits) return false;
    let kind: number = separator;
    let [start, length, own] = [from, 0, 0];
    for (let at = from; ; ) {
      const code = at < to ? codeAt(bytes, at) : 0;
      const next = at < to ? classOf(code) : separator;
      if (next !== kind) {
        if (kind !== separator && this.take(bytes, start, at, length, own)) return true;
        if (kind === unspaced && this.#stretchIsAlike(bytes, start, at, length)) return true;
        kind = next;
        [start, length, own] = [at, 0, 0];
      }
      if (at >= to) return false;
      length++;
      if (this.#phrase.has(lowerCode(code))) own++;
      at += bytesOf(code);
    }
  }

  #forget(place: number): void {
    this.#length -= this.#lengths[place] as number;
    this.#hitCount -= this.#hits[place] as number;
    this.#knownCount -= this.#known[place] as number;
  }

  /** @param sign the same for words that are the same */
  #sign(place: number, sign: number): void {
    this.#signs[place] = sign;
    const before = Math.min(this.#count, this.#size - 1);
    for (let ago = 1, at = place; ago <= before; ago++) {
      at = at === 0 ? this.#size - 1 : at - 1;
      if (this.#signs[at] !== sign) continue;
      this.#repeated = Math.max(this.#repeated, this.#count - ago);
      return;
    }
  }

  #isKnown(bytes: Uint8Array, from: number, to: number, length: number): boolean {
    for (const word of this.#phrase.words) {
      if (word.length !== length) continue;
      let index = 0;
      for (let at = from; at < to; index++) {
        const code = codeAt(bytes, at);
        if (lowerCode(code) !== word[index]) break;
        at += bytesOf(code);
      }
      if (index === length) return true;
    }
    return false;
  }

  #wordIsAlike(bytes: Uint8Array, from: number, to: number, length: number): boolean {
    this.#bag.begin(length - (this.#wanted[length] as number));
    if (!this.#bag.holds(bytes, from, to)) return false;
    this.#filled = 0;
    this.#read(bytes, from, to);
    return this.#phrase.isAlike(this.#codes, 0, this.#filled);
  }

  /** The last words together, as many as the phrase has. */
  #runIsAlike(bytes: Uint8Array): boolean {
    const gaps = this.#size - 1;
    const length = this.#length + gaps;
    if (length >= this.#wanted.length) return false;
    let wanted = this.#wanted[length] as number;
    if (wanted === never) return false;
    if (this.#knownCount > 0 || this.#repeated >= this.#count - this.#size) wanted = this.#wantedOfRun(length);
    if (this.#hitCount + gaps < wanted || !this.#bagHolds(bytes, length - wanted)) return false;
    this.#filled = 0;
    for (let index = 0, place = this.#place; index < this.#size; index++) {
      if (index > 0) this.#codes[this.#filled++] = space;
      this.#read(bytes, this.#from[place] as number, this.#to[place] as number);
      place = place + 1 === this.#size ? 0 : place + 1;
    }
    return this.#phrase.isAlike(this.#codes, 0, this.#filled);
  }

  #bagHolds(bytes: Uint8Array, missing: number): boolean {
    this.#bag.begin(missing);
    for (let place = 0; place < this.#size; place++) {
      if (!this.#bag.holds(bytes, this.#from[place] as number, this.#to[place] as number)) return false;
    }
    return true;
  }

  /** For a run with words of the phrase, or with words that seem to be the same. */
  #wantedOfRun(length: number): number {
    let [distinct, shared] = [-1, -1];
    for (let place = 0; place < this.#size; place++) {
      if (this.#signs.indexOf(this.#signs[place] as number) < place) continue;
      const own = (this.#lengths[place] as number) + 1;
      distinct += own;
      if (this.#known[place] === 1) shared += own;
    }
    return this.#phrase.bounds.wanted({ length, distinct, shared: Math.max(0, shared) });
  }

  /** In a word of a script without spaces: whether as many characters as the phrase has, from anywhere on, are like it. */
  #stretchIsAlike(bytes: Uint8Array, from: number, to: number, length: number): boolean {
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
      if (hits >= wanted && this.#phrase.isAlike(this.#codes, start, this.#filled)) return true;
      if (this.#phrase.has(this.#codes[start] as number)) hits--;
    }
    return false;
  }

  #read(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const code = codeAt(bytes, at);
      this.#codes[this.#filled++] = lowerCode(code);
      at += bytesOf(code);
    }
  }
}
