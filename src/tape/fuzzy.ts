// How alike two texts are, from 0 to 100: RapidFuzz's weighted ratio, by bit-parallel common subsequences.
import { codesOf } from "./characters.ts";

/** Characters as numbers: code points. */
export type Codes = ArrayLike<number>;

/**
 * The weighted ratio of two texts: the best of comparing them whole, word by word in any order, and, where one is much
 * longer, with its best part; each but the first at a small discount. Case and punctuation count. 0 when one is empty.
 */
export function weightedRatio(left: string, right: string): number {
  const a = codesOf(left);
  const b = codesOf(right);
  if (a.length === 0 || b.length === 0) return 0;
  const lengths = Math.max(a.length, b.length) / Math.min(a.length, b.length);
  const whole = ratio(a, b);
  if (lengths < 1.5) return Math.max(whole, tokenRatio(tokensOf(left), tokensOf(right)) * tokenScale);
  const scale = lengths <= 8 ? partScale : smallPartScale;
  const part = partialRatio(a, b);
  const tokens = partialTokenRatio(tokensOf(left), tokensOf(right)) * tokenScale;
  return Math.max(whole, part * scale, tokens * scale);
}

export const tokenScale = 0.95;
export const partScale = 0.9;
const smallPartScale = 0.6;

/** A text, prepared to be compared with many others. */
export class Pattern {
  readonly length: number;
  readonly #words: number;
  /** For each character that occurs, a bit for each place where it does. */
  readonly #places = new Map<number, Int32Array>();
  /** The same for ASCII, found faster. */
  readonly #ascii: (Int32Array | undefined)[] = new Array(128).fill(undefined);
  readonly #left: Int32Array;

  constructor(codes: Codes) {
    this.length = codes.length;
    this.#words = Math.max(1, Math.ceil(codes.length / 32));
    this.#left = new Int32Array(this.#words);
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] as number;
      const places = this.#places.get(code) ?? new Int32Array(this.#words);
      places[index >>> 5] = (places[index >>> 5] as number) | (1 << (index & 31));
      this.#places.set(code, places);
      if (code < 128) this.#ascii[code] = places;
    }
  }

  has(code: number): boolean {
    return this.#places.has(code);
  }

  /** Length of the longest common subsequence with `codes[start, end)`. */
  commonWith(codes: Codes, start = 0, end = codes.length): number {
    const left = this.#left.fill(-1);
    for (let index = start; index < end; index++) {
      const code = codes[index] as number;
      const places = code < 128 ? this.#ascii[code] : this.#places.get(code);
      if (places === undefined) continue;
      let carry = 0;
      for (let word = 0; word < this.#words; word++) {
        const free = left[word] as number;
        const hits = free & (places[word] as number);
        const sum = (free >>> 0) + (hits >>> 0) + carry;
        carry = sum > 0xffffffff ? 1 : 0;
        left[word] = sum | 0 | (free & ~hits);
      }
    }
    return this.#taken(left);
  }

  #taken(left: Int32Array): number {
    let taken = 0;
    for (let word = 0; word < this.#words; word++) {
      const bits = Math.min(32, this.length - word * 32);
      const mask = bits === 32 ? -1 : (1 << bits) - 1;
      taken += bitsIn(~(left[word] as number) & mask);
    }
    return taken;
  }
}

/** The best that the shorter text reaches against any stretch of the longer one, no longer than itself. */
export function partialRatio(left: Codes, right: Codes): number {
  if (left.length > right.length) return partialRatio(right, left);
  const best = bestStretch(left, right);
  // Of two equally long texts either one may be cut.
  return left.length === right.length && best < 100 ? Math.max(best, bestStretch(right, left)) : best;
}

function bestStretch(shorter: Codes, longer: Codes): number {
  const pattern = new Pattern(shorter);
  const size = shorter.length;
  let best = 0;
  for (let start = 1 - size; start < longer.length && best < 100; start++) {
    const from = Math.max(0, start);
    const to = Math.min(longer.length, start + size);
    // A stretch that ends outside of the pattern is never better than the one that leaves this end out.
    const isCutRight = to === longer.length;
    if (!pattern.has(longer[isCutRight ? from : to - 1] as number)) continue;
    best = Math.max(best, similarity(pattern.commonWith(longer, from, to), size + to - from));
  }
  return best;
}

function ratio(left: Codes, right: Codes): number {
  return similarity(new Pattern(left).commonWith(right), left.length + right.length);
}

/** @param total both lengths together */
export function similarity(common: number, total: number): number {
  return total === 0 ? 100 : (200 * common) / total;
}

/** Words in order of their characters, as often as they occur. */
interface Tokens {
  readonly sorted: readonly string[];
  readonly distinct: ReadonlySet<string>;
}

const blanks = /\p{White_Space}+/u;

function tokensOf(text: string): Tokens {
  const words = text.split(blanks).filter((word) => word !== "");
  const sorted = words.sort(byCodePoint);
  return { sorted, distinct: new Set(sorted) };
}

function tokenRatio(left: Tokens, right: Tokens): number {
  if (left.sorted.length === 0 || right.sorted.length === 0) return 0;
  const set = tokenSetRatio(left, right);
  return set === 100 ? set : Math.max(set, ratio(joined(left.sorted), joined(right.sorted)));
}

/** Compares what both share with what each has besides. */
function tokenSetRatio(left: Tokens, right: Tokens): number {
  const shared = joined([...left.distinct].filter((word) => right.distinct.has(word))).length;
  const onlyLeft = joined(without(left, right));
  const onlyRight = joined(without(right, left));
  if (shared > 0 && (onlyLeft.length === 0 || onlyRight.length === 0)) return 100;
  const gap = shared > 0 ? 1 : 0;
  const wholeLeft = shared + gap + onlyLeft.length;
  const wholeRight = shared + gap + onlyRight.length;
  const common = shared + gap + new Pattern(onlyLeft).commonWith(onlyRight);
  const rests = similarity(common, wholeLeft + wholeRight);
  if (shared === 0) return rests;
  return Math.max(rests, similarity(shared, shared + wholeLeft), similarity(shared, shared + wholeRight));
}

function partialTokenRatio(left: Tokens, right: Tokens): number {
  if (left.sorted.length === 0 || right.sorted.length === 0) return 0;
  if ([...left.distinct].some((word) => right.distinct.has(word))) return 100;
  const all = partialRatio(joined(left.sorted), joined(right.sorted));
  const areDistinct = left.distinct.size === left.sorted.length && right.distinct.size === right.sorted.length;
  return areDistinct ? all : Math.max(all, partialRatio(joined([...left.distinct]), joined([...right.distinct])));
}

function without(left: Tokens, right: Tokens): string[] {
  return [...left.distinct].filter((word) => !right.distinct.has(word));
}

function joined(words: readonly string[]): number[] {
  return codesOf(words.join(" "));
}

function byCodePoint(left: string, right: string): number {
  return compareCodes(codesOf(left), codesOf(right));
}

/** Below 0 where the first text comes first in the order of its characters. */
export function compareCodes(left: Codes, right: Codes): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
