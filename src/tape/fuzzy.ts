// How alike two texts are, from 0 to 100: RapidFuzz's weighted ratio, by bit-parallel common subsequences.
import { bytesOf, codeAt, codesOf, lowerCode } from "./characters.ts";

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
const space = 0x20;

/** A text, prepared to be compared with many others. Those may also be read piece by piece, from bytes. */
export class Pattern {
  readonly length: number;
  /** In how many numbers of 32 bits its places are. */
  readonly #words: number;
  /** For each ASCII character, a bit for each place where it stands. */
  readonly #ascii: Int32Array;
  /** The same for others that occur. */
  #others: Map<number, Int32Array> | undefined;
  /** A bit for each place that is not taken, where all are in one number, and where they are not. */
  #free = -1;
  readonly #left: Int32Array;

  constructor(codes: Codes) {
    this.length = codes.length;
    const words = Math.max(1, Math.ceil(codes.length / 32));
    this.#words = words;
    this.#left = words === 1 ? nowhere : new Int32Array(words);
    this.#ascii = new Int32Array(128 * words);
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] as number;
      const places = code < 128 ? this.#ascii : this.#makeOther(code);
      const at = (code < 128 ? code * words : 0) + (index >>> 5);
      places[at] = (places[at] as number) | (1 << (index & 31));
    }
  }

  has(code: number): boolean {
    if (code >= 128) return this.#others?.has(code) === true;
    for (let word = 0; word < this.#words; word++) if (this.#ascii[code * this.#words + word] !== 0) return true;
    return false;
  }

  /** Length of the longest common subsequence with `codes[start, end)`. */
  commonWith(codes: Codes, start = 0, end = codes.length): number {
    this.begin();
    if (this.#words > 1) for (let index = start; index < end; index++) this.#takeInMany(codes[index] as number);
    else {
      let free = -1;
      for (let index = start; index < end; index++) {
        const places = this.#firstPlaces(codes[index] as number);
        free = (free + (free & places)) | 0 | (free & ~places);
      }
      this.#free = free;
    }
    return this.common;
  }

  /** Begins another text. */
  begin(): void {
    if (this.#words === 1) this.#free = -1;
    else this.#left.fill(-1);
  }

  /** Reads on in UTF-8, letters in lower case. */
  read(bytes: Uint8Array, from: number, to: number): void {
    if (this.#words > 1) {
      for (let at = from; at < to; ) {
        const code = codeAt(bytes, at);
        this.#takeInMany(lowerCode(code));
        at += bytesOf(code);
      }
      return;
    }
    let free = this.#free;
    for (let at = from; at < to; ) {
      const code = codeAt(bytes, at);
      const places = this.#firstPlaces(lowerCode(code));
      free = (free + (free & places)) | 0 | (free & ~places);
      at += bytesOf(code);
    }
    this.#free = free;
  }

  readSpace(): void {
    this.#words > 1 ? this.#takeInMany(space) : this.#takeInOne(this.#ascii[space] as number);
  }

  /** Length of the longest common subsequence with what was read since `begin`. */
  get common(): number {
    if (this.#words === 1) return bitsIn(~this.#free & maskOf(this.length));
    let taken = 0;
    for (let word = 0; word < this.#words; word++)
      taken += bitsIn(~(this.#left[word] as number) & maskOf(this.length - word * 32));
    return taken;
  }

  #makeOther(code: number): Int32Array {
    this.#others ??= new Map();
    const places = this.#others.get(code) ?? new Int32Array(this.#words);
    this.#others.set(code, places);
    return places;
  }

  #firstPlaces(code: number): number {
    return code < 128 ? (this.#ascii[code] as number) : (this.#others?.get(code)?.[0] ?? 0);
  }

  #takeInOne(places: number): void {
    const free = this.#free;
    this.#free = (free + (free & places)) | 0 | (free & ~places);
  }

  #takeInMany(code: number): void {
    const words = this.#words;
    const places = code < 128 ? this.#ascii : this.#others?.get(code);
    if (places === undefined) return;
    const start = code < 128 ? code * words : 0;
    const left = this.#left;
    let carry = 0;
    for (let word = 0; word < words; word++) {
      const free = left[word] as number;
      const hits = free & (places[start + word] as number);
      const sum = (free + hits + carry) | 0;
      carry = (hits | (free & ~sum)) >>> 31;
      left[word] = sum | (free & ~hits);
    }
  }
}

const nowhere = new Int32Array(0);

/** So many bits, at most 32. */
function maskOf(bits: number): number {
  return bits >= 32 ? -1 : (1 << bits) - 1;
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

function tokensOf(text: string): Tokens {
  const words = text.split(/\p{White_Space}+/u).filter((word) => word !== "");
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
