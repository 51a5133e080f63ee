// Looks in JSON text for words that are nearly those of a query, at the speed of bytes.
import { bytesOf, classOf, codeAt, codesOf, lowerCode, separator, unspaced } from "./characters.ts";
import { Candidates } from "./fuzzy-candidates.ts";
import { FuzzyPhrase } from "./fuzzy-phrase.ts";
import { hidesCharacter, isOddNumber } from "./json-spelling.ts";
import { WordList } from "./word-list.ts";

const leastLength = 3;
/** A longer query is a text of its own: comparing every stretch of a tape with it would take minutes. */
const mostLength = 256;
const mostWords = 50;

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const lowerU = 0x75;

// What a byte is to the scan. What those of one word are is added up: its hits, and far above them its high bytes.
const inWord = 0;
/** A character that the query has. */
const hit = 1;
/** Part of a character beyond ASCII. */
const high = 1 << 16;
const between = -1;
/** Ends a text, or begins an escape. */
const special = -2;
/** Sums of longer stretches say nothing. */
const longestSum = 1 << 14;

/**
 * One query. Its words, joined by a space, are compared with each word of a text and with each run of as many words; in
 * scripts without spaces, with each stretch of as many characters. A text is what stands between two quotes. Candidates
 * under 3 characters, or under half or over twice the query's length, are passed over.
 */
export class FuzzySearch {
  readonly #phrase: FuzzyPhrase;
  readonly #candidates: Candidates;
  readonly #kinds: Int32Array;
  readonly #leastHits: number;
  /** Whether runs of words are compared, too. */
  readonly #hasRuns: boolean;
  /** See `Bounds.plain`. */
  readonly #wanted: Int32Array;
  /** Those of the text that is being read. */
  readonly #words = new WordList();

  /** Undefined where a query has nothing to compare. */
  static of(query: string): FuzzySearch | undefined {
    const words = wordsOf(query);
    const { length } = codesOf(query);
    const isSearchable = length >= leastLength && length <= mostLength && words.length > 0 && words.length <= mostWords;
    return isSearchable ? new FuzzySearch(words) : undefined;
  }

  private constructor(words: readonly (readonly number[])[]) {
    this.#phrase = new FuzzyPhrase(words);
    this.#candidates = new Candidates(this.#phrase);
    this.#kinds = kindsOf(words);
    this.#hasRuns = words.length > 1;
    this.#wanted = this.#phrase.bounds.plain;
    this.#leastHits = Math.min(...this.#wanted);
  }

  /**
   * Whether JSON text in UTF-8 holds something alike. Text that escapes letters, or writes numbers as JavaScript would
   * not, counts as holding it: only its values, once read, can tell.
   */
  matches(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
    const kinds = this.#kinds;
    this.#words.clear();
    let inText = false;
    let start = from;
    let sum = 0;
    for (let at = from; at < to; at++) {
      const kind = kinds[bytes[at] as number] as number;
      if (kind >= inWord) {
        sum = (sum + kind) | 0;
        continue;
      }
      if (at > start) {
        if (!inText && isOddNumber(bytes, start)) return true;
        if (this.#endWord(bytes, start, at, sum)) return true;
      }
      sum = 0;
      if (kind === special) {
        if (bytes[at] === backslash) {
          if (hidesCharacter(bytes, at)) return true;
          at += bytes[at + 1] === lowerU ? 5 : 1;
        } else {
          inText = bytes[at] === quote && !inText;
          if (this.#endText(bytes)) return true;
        }
      }
      start = at + 1;
    }
    if (to > start) {
      if (!inText && isOddNumber(bytes, start)) return true;
      if (this.#endWord(bytes, start, to, sum)) return true;
    }
    return this.#endText(bytes);
  }

  /** Bytes without ASCII separators. @param sum see `kindsOf` */
  #endWord(bytes: Uint8Array, from: number, to: number, sum: number): boolean {
    const length = to - from;
    if (length >= longestSum)
      return hasHigh(bytes, from, to)
        ? this.#readMixed(bytes, from, to, length)
        : this.#takeWord(bytes, from, to, length, length);
    const hits = sum & (high - 1);
    return sum >= high ? this.#readMixed(bytes, from, to, hits) : this.#takeWord(bytes, from, to, length, hits);
  }

  /** @param length in characters; `hits` of them are the query's */
  #takeWord(bytes: Uint8Array, from: number, to: number, length: number, hits: number): boolean {
    if (length < this.#wanted.length && hits >= (this.#wanted[length] as number)) {
      if (this.#candidates.isAlike(bytes, from, to, { length, hits })) return true;
    }
    if (!this.#hasRuns) return false;
    this.#words.add(bytes, { from, to, length, hits });
    return this.#words.isFull && this.#endBatch(bytes);
  }

  #endText(bytes: Uint8Array): boolean {
    const words = this.#words;
    if (words.count === 0) return false;
    if (this.#candidates.areThere(bytes, words)) return true;
    words.clear();
    return false;
  }

  #endBatch(bytes: Uint8Array): boolean {
    if (this.#candidates.areThere(bytes, this.#words)) return true;
    this.#words.keepLast(this.#phrase.words.length - 1);
    return false;
  }

  /**
   * Reads what stands between two ASCII separators, with characters of any script.
   * @param hits at least as many as characters that the phrase has
   */
  #readMixed(bytes: Uint8Array, from: number, to: number, hits: number): boolean {
    if (!this.#hasRuns && hits < this.#leastHits) return false;
    let kind: number = separator;
    let start = from;
    let length = 0;
    let own = 0;
    for (let at = from; ; ) {
      const code = at < to ? codeAt(bytes, at) : 0;
      const next = at < to ? classOf(code) : separator;
      if (next !== kind) {
        if (kind === unspaced && this.#candidates.areInWord(bytes, start, at, length)) return true;
        if (kind !== separator && this.#takeWord(bytes, start, at, length, own)) return true;
        kind = next;
        start = at;
        length = 0;
        own = 0;
      }
      if (at >= to) return false;
      length++;
      if (this.#phrase.has(lowerCode(code))) own++;
      at += bytesOf(code);
    }
  }
}

/** The words of a text in lower case. */
export function wordsOf(text: string): number[][] {
  const words: number[][] = [];
  let kind: number = separator;
  for (const code of codesOf(text)) {
    const next = classOf(code);
    if (next !== separator && next !== kind) words.push([]);
    kind = next;
    if (next !== separator) words.at(-1)?.push(lowerCode(code));
  }
  return words;
}

function hasHigh(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] as number) >= 128) return true;
  return false;
}

function kindsOf(words: readonly (readonly number[])[]): Int32Array {
  const codes = new Set(words.flat());
  const kinds = new Int32Array(256).fill(between);
  for (let byte = 0; byte < 128; byte++) {
    if (classOf(byte) !== separator) kinds[byte] = inWord + (codes.has(lowerCode(byte)) ? hit : 0);
  }
  const isAscii = [...codes].every((code) => code < 128);
  for (let byte = 128; byte < 256; byte++) {
    // Only two characters beyond ASCII have a lower case in it, and these are their first bytes.
    const isHit = byte >= 0xc2 && (!isAscii || byte === 0xc4 || byte === 0xe2);
    kinds[byte] = high + (isHit ? hit : 0);
  }
  kinds[quote] = kinds[newline] = kinds[backslash] = special;
  return kinds;
}
