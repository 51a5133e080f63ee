// Finds a row of bytes that may each be spelled in several ways, such as letters in both cases.

/** From this many bytes on it pays to look which bytes are rare. */
const largeStretch = 64 * 1024;
const sampleBytes = 8 * 1024;
/** Stretches until the next look: what is rare changes along a file. */
const looksApart = 64;
/** A byte that is met no more often than this in a sample is found fastest by the system's own search. */
const rareCount = 12;

export class BytePattern {
  readonly length: number;
  readonly #spellings: readonly (readonly number[])[];
  /** Whether a byte may stand at a place: `place * 256 + byte`. */
  readonly #fits: Uint8Array;
  /** How far the search may go on when a byte stands at the last place. */
  readonly #jumps: Uint8Array;
  #rarePlace: number | undefined;
  #untilLook = 0;

  /** @param spellings of each place in turn; at most 255 places */
  constructor(spellings: readonly (readonly number[])[]) {
    this.length = spellings.length;
    this.#spellings = spellings;
    this.#fits = new Uint8Array(this.length * 256);
    this.#jumps = new Uint8Array(256).fill(this.length);
    for (const [place, bytes] of spellings.entries()) {
      for (const byte of bytes) {
        this.#fits[place * 256 + byte] = 1;
        if (place < this.length - 1) this.#jumps[byte] = this.length - 1 - place;
      }
    }
  }

  occursIn(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < largeStretch) return this.#occursByJumps(bytes, from, to);
    const stretch = bytes.subarray(from, to);
    if (this.#untilLook-- === 0) this.#look(stretch);
    return this.#rarePlace === undefined
      ? this.#occursByJumps(stretch, 0, stretch.length)
      : this.#occursByRareByte(stretch, this.#rarePlace);
  }

  /** From right to left at each place, going on as far as the byte at the last place allows. */
  #occursByJumps(bytes: Buffer, from: number, to: number): boolean {
    const [fits, jumps] = [this.#fits, this.#jumps];
    const last = this.length - 1;
    const lastRow = last * 256;
    for (let at = from + last; at < to; ) {
      const byte = bytes[at] as number;
      if (fits[lastRow + byte] === 1 && this.#standsAt(bytes, at - last)) return true;
      at += jumps[byte] as number;
    }
    return false;
  }

  #occursByRareByte(bytes: Buffer, place: number): boolean {
    const end = bytes.length - (this.length - 1 - place);
    for (const byte of this.#spellings[place] ?? []) {
      for (let at = bytes.indexOf(byte, place); at >= 0 && at < end; at = bytes.indexOf(byte, at + 1)) {
        if (this.#standsAt(bytes, at - place)) return true;
      }
    }
    return false;
  }

  #standsAt(bytes: Buffer, start: number): boolean {
    let place = this.length - 1;
    while (place >= 0 && this.#fits[place * 256 + (bytes[start + place] as number)] === 1) place--;
    return place < 0;
  }

  #look(bytes: Buffer): void {
    this.#untilLook = looksApart;
    const counts = new Uint32Array(256);
    for (const byte of bytes.subarray(0, sampleBytes)) counts[byte] = (counts[byte] as number) + 1;
    const met = this.#spellings.map((spellings) => spellings.reduce((sum, byte) => sum + (counts[byte] as number), 0));
    const rarest = Math.min(...met);
    this.#rarePlace = rarest <= rareCount ? met.indexOf(rarest) : undefined;
  }
}
