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

// What a byte is to the scan, in bits.
const between = 0;
const inWord = 1;
/** A character that the query has. */
const hit = 2;
/** Ends a text, or begins an escape. */
const special = 4;
/** Part of a character beyond ASCII. */
const high = 8;

/**
 * One query. Its words, joined by a space, are compared with each word of a text and with each run of as many words; in
 * scripts without spaces, with each stretch of as many characters. A text is what stands between two quotes. Candidates
 * under 3 characters, or under half or over twice the query's length, are passed over.
 */
export class FuzzySearch {
  readonly #phrase: FuzzyPhrase;
  readonly #candidates: Candidates;
  readonly #kinds: Uint8Array;
  readonly #leastHits: number;
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
    this.#leastHits = Math.min(...this.#phrase.bounds.plain);
  }

  /**
   * Whether JSON text in UTF-8 holds something alike. Text that escapes letters, or writes numbers as JavaScript would
   * not, counts as holding it: only its values, once read, can tell.
   */
  matches(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
    const kinds = this.#kinds;
    const words = this.#words;
    words.clear();
    let inText = false;
    for (let at = from; at < to; ) {
      let kind = kinds[bytes[at] as number] as number;
      if (kind === between) at++;
      else if (kind !== special) {
        const start = at;
        let all = 0;
        let hits = 0;
        while (at < to && kind & (inWord | high)) {
          all |= kind;
          hits += kind & hit;
          at++;
          kind = kinds[bytes[at] as number] as number;
        }
        if (!inText && isOddNumber(bytes, start)) return true;
        if (all & high) {
          if (this.#readMixed(bytes, start, at, hits / hit)) return true;
        } else words.add(bytes, start, at, at - start, hits / hit);
        if (words.isFull && this.#endBatch(bytes)) return true;
      } else if (bytes[at] === backslash) {
        if (hidesCharacter(bytes, at)) return true;
        at += bytes[at + 1] === lowerU ? 6 : 2;
      } else {
        inText = bytes[at] === quote && !inText;
        at++;
        if (words.count > 0 && this.#candidates.areThere(bytes, words)) return true;
        words.clear();
      }
    }
    return this.#candidates.areThere(bytes, words);
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
    if (this.#phrase.words.length === 1 && hits < this.#leastHits) return false;
    let kind: number = separator;
    let start = from;
    let length = 0;
    let own = 0;
    for (let at = from; ; ) {
      const code = at < to ? codeAt(bytes, at) : 0;
      const next = at < to ? classOf(code) : separator;
      if (next !== kind) {
        if (kind !== separator) this.#words.add(bytes, start, at, length, own);
        if (kind === unspaced && this.#candidates.areInWord(bytes, start, at, length)) return true;
        if (this.#words.isFull && this.#endBatch(bytes)) return true;
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

function kindsOf(words: readonly (readonly number[])[]): Uint8Array {
  const codes = new Set(words.flat());
  const kinds = new Uint8Array(256);
  for (let byte = 0; byte < 128; byte++) {
    if (classOf(byte) !== separator) kinds[byte] = inWord | (codes.has(lowerCode(byte)) ? hit : 0);
  }
  const isAscii = [...codes].every((code) => code < 128);
  for (let byte = 128; byte < 256; byte++) {
    // Only two characters beyond ASCII have a lower case in it, and these are their first bytes.
    const isHit = byte >= 0xc2 && (!isAscii || byte === 0xc4 || byte === 0xe2);
    kinds[byte] = high | (isHit ? hit : 0);
  }
  kinds[quote] = kinds[newline] = kinds[backslash] = special;
  return kinds;
}
