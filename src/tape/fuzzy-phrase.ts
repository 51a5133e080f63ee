// A query's words as one phrase, prepared for being compared: is the weighted ratio with another phrase high enough?
import { bytesOf, codeAt, lowerCode } from "./characters.ts";
import { type Codes, compareCodes, Pattern, partialRatio, partScale, similarity, tokenScale } from "./fuzzy.ts";
import { Bounds, leastScore, stretchPart, tokenPart, tokenStretchPart } from "./fuzzy-bounds.ts";
import type { Run, WordList } from "./word-list.ts";

const leastTokenScore = leastScore / tokenScale;
const space = 0x20;

export class FuzzyPhrase {
  /** Its words with a space between, in lower case. */
  readonly codes: readonly number[];
  readonly words: readonly Codes[];
  readonly bounds: Bounds;
  readonly #whole: Pattern;
  readonly #sorted: Pattern;
  readonly #sortedCodes: readonly number[];
  /** Each word once, in order of their characters. */
  readonly #distinct: readonly Codes[];
  /** Whether a word occurs twice in it. */
  readonly #repeats: boolean;
  /** The phrase without some of its words, by the sum of 2 to the power of their places. */
  readonly #rests = new Map<number, Pattern>();
  readonly #order: Int32Array;

  /** @param words in lower case */
  constructor(words: readonly Codes[]) {
    this.words = words;
    this.codes = joined(words);
    const sorted = [...words].sort(compareCodes);
    this.#order = new Int32Array(words.length);
    this.#distinct = withoutRepeats(sorted);
    this.#repeats = this.#distinct.length < words.length;
    this.#sortedCodes = joined(sorted);
    this.#whole = new Pattern(this.codes);
    this.#sorted = new Pattern(this.#sortedCodes);
    this.bounds = new Bounds({ length: this.codes.length, distinct: joined(this.#distinct).length });
  }

  has(code: number): boolean {
    return this.#whole.has(code);
  }

  /**
   * Whether the weighted ratio with a run of words, a space between them, reaches the score.
   * @param most how many characters they may have in common at most
   */
  isAlike(bytes: Uint8Array, words: WordList, { from, to }: Run, most: number): boolean {
    const length = words.lengthOf(from, to);
    const both = this.codes.length + length;
    const shorter = Math.min(this.codes.length, length);
    const isNear = this.bounds.isNear(length);
    if (similarity(most, both) >= leastScore || (!isNear && most >= shorter * stretchPart - tolerance)) {
      const common = commonWith(this.#whole, bytes, words, { from, to });
      if (similarity(common, both) >= leastScore) return true;
      if (!isNear && common >= shorter * stretchPart - tolerance) {
        const codes = joined(range(from, to).map((index) => codesIn(bytes, words, index)));
        if (partialRatio(this.codes, codes) * partScale >= leastScore) return true;
      }
    }
    // Of one word and one word the order is the only one.
    if (this.words.length === 1 && to - from === 1) return false;
    const part = isNear ? tokenPart * both : tokenStretchPart * shorter;
    if (most < part - tolerance && this.#isPlain(bytes, words, { from, to })) return false;
    const sorted = this.#sort(bytes, words, { from, to });
    return isNear ? this.#wordsAreAlike(bytes, words, sorted) : this.#wordsHaveStretch(bytes, words, sorted);
  }

  /** The place of a word among the phrase's distinct ones; -1 for another word. */
  placeOf(bytes: Uint8Array, words: WordList, index: number): number {
    const own = this.#distinct;
    const length = words.lengths[index] as number;
    for (let place = 0; place < own.length; place++) {
      const word = own[place] as Codes;
      if (word.length === length && isWord(bytes, words.from[index] as number, word)) return place;
    }
    return -1;
  }

  /** No word occurs twice in one of them, or in both. */
  #isPlain(bytes: Uint8Array, words: WordList, { from, to }: Run): boolean {
    if (this.#repeats) return false;
    for (let index = from; index < to; index++) {
      if (this.placeOf(bytes, words, index) >= 0 || words.isRepeated(index, from)) return false;
    }
    return true;
  }

  /** Places of the run's words, in order of their characters; good until the next call. */
  #sort(bytes: Uint8Array, words: WordList, { from, to }: Run): Int32Array {
    const order = this.#order.subarray(0, to - from);
    for (let index = from; index < to; index++) {
      let place = index - from;
      for (; place > 0 && words.compare(bytes, order[place - 1] as number, index) > 0; place--)
        order[place] = order[place - 1] as number;
      order[place] = index;
    }
    return order;
  }

  /** All words in order; and what both have, with and without what each has besides. */
  #wordsAreAlike(bytes: Uint8Array, words: WordList, sorted: Int32Array): boolean {
    let length = -1;
    this.#sorted.begin();
    for (let place = 0; place < sorted.length; place++) {
      length += words.readInto(this.#sorted, bytes, sorted[place] as number, place > 0) + 1;
    }
    if (similarity(this.#sorted.common, this.codes.length + length) >= leastTokenScore) return true;
    return this.#restsAreAlike(bytes, words, sorted);
  }

  #restsAreAlike(bytes: Uint8Array, words: WordList, sorted: Int32Array): boolean {
    // As sums of 2 to the power of places: there may be more than 32 words.
    let known = 0;
    let shared = -1;
    let other = -1;
    let others = 0;
    for (let place = 0; place < sorted.length; place++) {
      const index = sorted[place] as number;
      if (place > 0 && words.compare(bytes, sorted[place - 1] as number, index) === 0) continue;
      const length = words.lengths[index] as number;
      const own = this.placeOf(bytes, words, index);
      if (own >= 0) {
        known += 2 ** own;
        shared += length + 1;
      } else {
        other += length + 1;
        sorted[others++] = index;
      }
    }
    const rest = this.#rest(known);
    if (shared > 0 && (rest.length === 0 || others === 0)) return true;
    const both = shared > 0 ? shared + 1 : 0;
    const [left, right] = [both + rest.length, both + Math.max(0, other)];
    if (shared > 0 && similarity(shared, shared + Math.min(left, right)) >= leastTokenScore) return true;
    if (similarity(both + Math.min(rest.length, Math.max(0, other)), left + right) < leastTokenScore) return false;
    rest.begin();
    for (let place = 0; place < others; place++) words.readInto(rest, bytes, sorted[place] as number, place > 0);
    return similarity(both + rest.common, left + right) >= leastTokenScore;
  }

  /** One shared word is a stretch of both. */
  #wordsHaveStretch(bytes: Uint8Array, words: WordList, sorted: Int32Array): boolean {
    for (const index of sorted) if (this.placeOf(bytes, words, index) >= 0) return true;
    let length = -1;
    this.#sorted.begin();
    for (let place = 0; place < sorted.length; place++)
      length += words.readInto(this.#sorted, bytes, sorted[place] as number, place > 0) + 1;
    const shorter = Math.min(this.codes.length, length);
    const mayHave = this.#sorted.common >= shorter * stretchPart - tolerance;
    const hasRepeats = this.#repeats || sorted.some((index, place) => isSecond(bytes, words, sorted, index, place));
    if (!mayHave && !hasRepeats) return false;
    const own = [...sorted].map((index) => codesIn(bytes, words, index));
    if (mayHave && reaches(this.#sortedCodes, joined(own))) return true;
    return hasRepeats && haveStretch(this.#rest(0), joined(this.#distinct), joined(withoutRepeats(own)));
  }

  /** @param known places of words, as a sum of powers of 2 */
  #rest(known: number): Pattern {
    const found = this.#rests.get(known);
    if (found !== undefined) return found;
    const words = this.#distinct.filter((_, place) => Math.floor(known / 2 ** place) % 2 === 0);
    const rest = new Pattern(joined(words));
    if (this.#rests.size < mostRests) this.#rests.set(known, rest);
    return rest;
  }
}

const mostRests = 256;
const tolerance = 1e-6;

function commonWith(pattern: Pattern, bytes: Uint8Array, words: WordList, { from, to }: Run): number {
  pattern.begin();
  for (let index = from; index < to; index++) words.readInto(pattern, bytes, index, index > from);
  return pattern.common;
}

function haveStretch(pattern: Pattern, own: Codes, other: Codes): boolean {
  if (pattern.commonWith(other) < Math.min(own.length, other.length) * stretchPart - tolerance) return false;
  return reaches(own, other);
}

function reaches(own: Codes, other: Codes): boolean {
  return partialRatio(own, other) * tokenScale * partScale >= leastScore;
}

function joined(words: readonly Codes[]): number[] {
  const codes: number[] = [];
  for (const word of words) {
    if (codes.length > 0) codes.push(space);
    for (let index = 0; index < word.length; index++) codes.push(word[index] as number);
  }
  return codes;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function codesIn(bytes: Uint8Array, words: WordList, index: number): number[] {
  const codes: number[] = [];
  for (let at = words.from[index] as number; at < (words.to[index] as number); ) {
    const code = codeAt(bytes, at);
    codes.push(lowerCode(code));
    at += bytesOf(code);
  }
  return codes;
}

/** Whether a word of as many characters is this one. */
function isWord(bytes: Uint8Array, from: number, word: Codes): boolean {
  for (let [at, place] = [from, 0]; place < word.length; place++) {
    const code = codeAt(bytes, at);
    if (lowerCode(code) !== word[place]) return false;
    at += bytesOf(code);
  }
  return true;
}

/** Whether a word is the one before it. */
function isSecond(bytes: Uint8Array, words: WordList, sorted: Int32Array, index: number, place: number): boolean {
  return place > 0 && words.compare(bytes, sorted[place - 1] as number, index) === 0;
}

function isSame(left: Codes, right: Codes): boolean {
  return left.length === right.length && compareCodes(left, right) === 0;
}

/** @param words sorted */
function withoutRepeats(words: readonly Codes[]): Codes[] {
  return words.filter((word, index) => index === 0 || !isSame(word, words[index - 1] as Codes));
}
