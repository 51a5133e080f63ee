// Says by counting which phrases cannot reach the score of a fuzzy match, so that few have to be compared at all.
import { bytesOf, codeAt, lowerCode } from "./characters.ts";
import { type Codes, partScale, tokenScale } from "./fuzzy.ts";

/** From this weighted ratio on two phrases are alike. */
export const leastScore = 80;
const leastLength = 3;

/** No count of characters is enough. */
export const never = 0x7fffffff;

/** What is known of a phrase without comparing it; lengths in characters. */
export interface Measures {
  readonly length: number;
  /** Length without words that it repeats. */
  readonly distinct: number;
  /** Length of the query's words in it, each once. */
  readonly shared: number;
}

/** Rules that follow from the weighted ratio's definition, for one query. */
export class Bounds {
  /**
   * As `wanted`, by length, for a phrase with no word twice and none of the query's; `never` outside of the lengths that
   * are compared.
   */
  readonly plain: Int32Array;
  readonly #length: number;
  readonly #distinct: number;

  constructor({ length, distinct }: Pick<Measures, "length" | "distinct">) {
    this.#length = length;
    this.#distinct = distinct;
    this.plain = Int32Array.from({ length: length * 2 + 1 }, (_, size) =>
      size < leastLength || size * 2 < length ? never : this.wanted({ length: size, distinct: size, shared: 0 }),
    );
  }

  /** So near in length that no stretch of the longer one is compared by itself. */
  isNear(length: number): boolean {
    return Math.max(this.#length, length) < 1.5 * Math.min(this.#length, length);
  }

  /**
   * The least number of characters in common, whatever their order, with which a phrase may reach the score; 0 when
   * it has to be compared anyhow.
   */
  wanted({ length, distinct, shared }: Measures): number {
    const both = this.#length + length;
    const shorter = Math.min(this.#distinct, distinct);
    if (!this.isNear(length)) return shared > 0 ? 0 : countFor(Math.min(both * wholePart, shorter * stretchPart));
    // What both share is compared with what each has besides.
    if (shared > 0 && shared >= shorter * sharedPart - tolerance) return 0;
    return countFor(Math.min(both * wholePart, (this.#distinct + distinct) * tokenPart));
  }
}

/** `200 * common / both >= score`: of both lengths together, the part that has to be common. */
const wholePart = leastScore / 200;
/** The same for words in any order. */
export const tokenPart = leastScore / tokenScale / 200;
/** `200 * shared / (shared + one) >= score`: of one side, the part that has to be shared. */
const sharedPart = tokenPart / (1 - tokenPart);
/** The same for a stretch as long as the common part, which is the best that a stretch can be. */
export const stretchPart = leastScore / partScale / (200 - leastScore / partScale);
export const tokenStretchPart = leastScore / tokenScale / partScale / (200 - leastScore / tokenScale / partScale);
const tolerance = 1e-6;

function countFor(least: number): number {
  return Math.max(1, Math.ceil(least - tolerance));
}

/** Counts how many characters words have in common with the query, whatever their order. */
export class Bag {
  readonly #slots = new Map<number, number>();
  /** For ASCII in any case. */
  readonly #asciiSlots: Int32Array;
  /** Of each character, how many count; of the last slot, for those that the query has not, none. */
  readonly #most: Int32Array;
  readonly #met: Int32Array;
  #common = 0;

  constructor(codes: Codes) {
    const most: number[] = [];
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] as number;
      const slot = this.#slots.get(code) ?? most.length;
      this.#slots.set(code, slot);
      most[slot] = (most[slot] ?? 0) + 1;
    }
    this.#most = Int32Array.from([...most, 0]);
    this.#met = new Int32Array(most.length + 1);
    this.#asciiSlots = Int32Array.from({ length: 128 }, (_, code) => this.#slots.get(lowerCode(code)) ?? most.length);
  }

  get common(): number {
    return this.#common;
  }

  clear(): void {
    this.#met.fill(0);
    this.#common = 0;
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    const met = this.#met;
    for (let at = from; at < to; ) {
      const slot = this.#slotAt(bytes, at);
      const count = met[slot] as number;
      if (count < (this.#most[slot] as number)) this.#common++;
      met[slot] = count + 1;
      at += widthAt(bytes, at);
    }
  }

  /** Takes back what was added. */
  remove(bytes: Uint8Array, from: number, to: number): void {
    const met = this.#met;
    for (let at = from; at < to; ) {
      const slot = this.#slotAt(bytes, at);
      const count = (met[slot] as number) - 1;
      if (count < (this.#most[slot] as number)) this.#common--;
      met[slot] = count;
      at += widthAt(bytes, at);
    }
  }

  #slotAt(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    if (byte < 128) return this.#asciiSlots[byte] as number;
    return this.#slots.get(lowerCode(codeAt(bytes, at))) ?? this.#most.length - 1;
  }
}

function widthAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) < 128 ? 1 : bytesOf(codeAt(bytes, at));
}
