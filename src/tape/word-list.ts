// Words of one text by their places in its bytes, with what can be counted of each.

const room = 4096;
/** Longer words are never compared, so that their sums stay whole numbers of 32 bits. */
const longest = 1 << 16;

export class WordList {
  count = 0;
  readonly from = new Int32Array(room);
  readonly to = new Int32Array(room);
  /** In characters. */
  readonly lengths = new Int32Array(room);
  /** How many of these the query has. */
  readonly hits = new Int32Array(room);
  /** The same for words that are the same. */
  readonly #signs = new Int32Array(room);

  get isFull(): boolean {
    return this.count === room;
  }

  add(bytes: Uint8Array, from: number, to: number, length: number, hits: number): void {
    const index = this.count++;
    this.from[index] = from;
    this.to[index] = to;
    this.lengths[index] = Math.min(length, longest);
    this.hits[index] = Math.min(hits, longest);
    this.#signs[index] = (length << 20) ^ (hits << 16) ^ ((bytes[from] as number) << 8) ^ (bytes[to - 1] as number);
  }

  clear(): void {
    this.count = 0;
  }

  /** Leaves the last `count` words, for runs that go on from them. */
  keepLast(count: number): void {
    const start = Math.max(0, this.count - count);
    for (const list of [this.from, this.to, this.lengths, this.hits, this.#signs])
      list.copyWithin(0, start, this.count);
    this.count -= start;
  }

  /** Where, less than `reach` words before, a word stands that seems to be the same; -1 if nowhere. */
  placeBefore(index: number, reach: number): number {
    const sign = this.#signs[index];
    for (let place = index - 1; place >= 0 && place > index - reach; place--) {
      if (this.#signs[place] === sign) return place;
    }
    return -1;
  }
}
