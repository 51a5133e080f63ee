// A query's words as one phrase, prepared for being compared: is the weighted ratio with another phrase high enough?
import { type Codes, compareCodes, Pattern, partialRatio, partScale, similarity, tokenScale } from "./fuzzy.ts";
import { Bounds, leastScore, stretchPart, tokenPart, tokenStretchPart } from "./fuzzy-bounds.ts";

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

  /** @param words in lower case */
  constructor(words: readonly Codes[]) {
    this.words = words;
    this.codes = joined(words);
    const sorted = [...words].sort(compareCodes);
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
   * Whether the weighted ratio with `codes[from, to)`, one word or several with a space between, reaches the score.
   * @param most how many characters they may have in common at most
   */
  isAlike(codes: Int32Array, from: number, to: number, most = to - from): boolean {
    const length = to - from;
    const common = this.#whole.commonWith(codes, from, to);
    if (similarity(common, this.codes.length + length) >= leastScore) return true;
    const isNear = this.bounds.isNear(length);
    if (!isNear && this.#stretchIsAlike(common, codes.subarray(from, to))) return true;
    // Of one word and one word the order is the only one.
    if (this.words.length === 1 && codes.indexOf(space, from) < 0) return false;
    const words = split(codes, from, to);
    const isPlain = !this.#repeats && !hasRepeats(words) && !words.some((word) => this.#placeOf(word) >= 0);
    const part = isNear
      ? tokenPart * (this.codes.length + length)
      : tokenStretchPart * Math.min(this.codes.length, length);
    if (isPlain && most < part - tolerance) return false;
    words.sort(compareCodes);
    return isNear ? this.#wordsAreAlike(words, length) : this.#wordsHaveStretch(words);
  }

  #stretchIsAlike(common: number, candidate: Codes): boolean {
    if (common < Math.min(this.codes.length, candidate.length) * stretchPart - tolerance) return false;
    return partialRatio(this.codes, candidate) * partScale >= leastScore;
  }

  /** All words in order; and what both have, with and without what each has besides. */
  #wordsAreAlike(words: readonly Codes[], length: number): boolean {
    const sorted = joined(words);
    const both = this.codes.length + length;
    if (similarity(this.#sorted.commonWith(sorted), both) >= leastTokenScore) return true;
    const known = new Set<number>();
    const others: Codes[] = [];
    for (const word of withoutRepeats(words)) {
      const place = this.#placeOf(word);
      if (place < 0) others.push(word);
      else known.add(place);
    }
    const shared = joined(this.#distinct.filter((_, place) => known.has(place))).length;
    const rest = this.#rest(known);
    if (shared > 0 && (rest.length === 0 || others.length === 0)) return true;
    const gap = shared > 0 ? 1 : 0;
    const other = joined(others);
    const [left, right] = [shared + gap + rest.length, shared + gap + other.length];
    const common = shared + gap + rest.commonWith(other);
    return (
      similarity(common, left + right) >= leastTokenScore ||
      (shared > 0 && similarity(shared, shared + Math.min(left, right)) >= leastTokenScore)
    );
  }

  /** One shared word is a stretch of both. */
  #wordsHaveStretch(words: readonly Codes[]): boolean {
    const distinct = withoutRepeats(words);
    if (distinct.some((word) => this.#placeOf(word) >= 0)) return true;
    if (haveStretch(this.#sorted, this.#sortedCodes, joined(words))) return true;
    const isPlain = distinct.length === words.length && this.#distinct.length === this.words.length;
    return !isPlain && haveStretch(this.#rest(nothing), joined(this.#distinct), joined(distinct));
  }

  #placeOf(word: Codes): number {
    return this.#distinct.findIndex((own) => isSame(own, word));
  }

  #rest(known: ReadonlySet<number>): Pattern {
    let key = 0;
    for (const place of known) key += 2 ** place;
    const found = this.#rests.get(key);
    if (found !== undefined) return found;
    const rest = new Pattern(joined(this.#distinct.filter((_, place) => !known.has(place))));
    if (this.#rests.size < mostRests) this.#rests.set(key, rest);
    return rest;
  }
}

const mostRests = 256;
const nothing: ReadonlySet<number> = new Set();
const tolerance = 1e-6;

function haveStretch(pattern: Pattern, own: Codes, other: Codes): boolean {
  if (pattern.commonWith(other) < Math.min(own.length, other.length) * stretchPart - tolerance) return false;
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

function split(codes: Int32Array, from: number, to: number): Codes[] {
  const words: Codes[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && codes[at] !== space) continue;
    words.push(codes.subarray(start, at));
    start = at + 1;
  }
  return words;
}

function hasRepeats(words: readonly Codes[]): boolean {
  return words.some((word, index) => words.slice(0, index).some((earlier) => isSame(earlier, word)));
}

function isSame(left: Codes, right: Codes): boolean {
  return left.length === right.length && compareCodes(left, right) === 0;
}

/** @param words sorted */
function withoutRepeats(words: readonly Codes[]): Codes[] {
  return words.filter((word, index) => index === 0 || !isSame(word, words[index - 1] as Codes));
}
