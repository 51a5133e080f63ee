// What a shell printed, as text that is read by code points: all of it while short, its first and last part when long.
import { messageOf } from "../base/errors.ts";
import { ByteWindow, type ByteWindowOptions } from "./byte-window.ts";
import { byteOfCodePoint, countCodePoints, strayLength, Utf8Chunks, unfinishedLength } from "./utf8.ts";

/** Where code points are counted: at every multiple of this many bytes. */
const markBytes = 65_536;
/** Marks this far into the gap are still there, for a read that began before the gap grew. */
const markLag = 32;
/** The most that one read gives, in code points. */
const longestRead = 16 * 1024 * 1024;

export interface OutputRange {
  /** First code point; clamped to what there is. */
  offset?: number;
  /** How many code points at most. */
  limit?: number;
}

export interface OutputSlice {
  readonly text: string;
  /** Where the next read goes on. */
  readonly nextOffset: number;
}

/** A stretch of the stream, in bytes and in code points. */
interface Stretch {
  readonly fromByte: number;
  readonly toByte: number;
  readonly from: number;
  readonly to: number;
}

export class OutputBuffer {
  readonly #bytes: ByteWindow;
  readonly #chunks = new Utf8Chunks();
  /** Code points before each multiple of `markBytes`; those inside the gap are forgotten. */
  readonly #marks = new Map<number, number>([[0, 0]]);
  #length = 0;

  constructor(options: ByteWindowOptions) {
    this.#bytes = new ByteWindow(options);
  }

  /** How many code points came in. */
  get length(): number {
    return this.#length;
  }

  /** How many bytes came in, as UTF-8. */
  get byteLength(): number {
    return this.#bytes.total;
  }

  /** Takes a copy of the next bytes of the stream. While the answered promise is open the disk is behind: push no more. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    return this.#add(this.#chunks.push(chunk));
  }

  /** Says that nothing follows. */
  end(): void {
    this.#add(this.#chunks.end());
    this.#bytes.shrink();
  }

  /**
   * The text from `offset` on. What was dropped in between is shown as `[<n> characters dropped]`, from the offset or
   * the drop's start to its end, and then said why when the disk was to blame. A read gives at most 16,777,216 characters.
   */
  async read({ offset = 0, limit = longestRead }: OutputRange = {}): Promise<OutputSlice> {
    const release = this.#bytes.hold();
    try {
      return await this.#readHeld(
        Math.min(Math.max(0, Math.floor(offset)), this.#length),
        Math.min(limit, longestRead),
      );
    } finally {
      release();
    }
  }

  /** Frees memory and disk; nothing can be read afterwards. */
  close(): Promise<void> {
    return this.#bytes.close();
  }

  #add(bytes: Buffer): Promise<void> | undefined {
    let wait: Promise<void> | undefined;
    for (let from = 0; from < bytes.length; ) {
      const untilMark = markBytes - (this.#bytes.total % markBytes);
      const part = bytes.subarray(from, from + untilMark);
      wait = this.#bytes.append(part);
      this.#length += countCodePoints(part);
      if (part.length === untilMark) this.#mark();
      from += part.length;
    }
    return wait;
  }

  #mark(): void {
    this.#marks.set(this.#bytes.total / markBytes, this.#length);
    const { headEnd, tailStart } = this.#bytes.kept;
    const dropped = Math.floor(tailStart / markBytes) - markLag;
    if (dropped * markBytes > headEnd) this.#marks.delete(dropped);
  }

  async #readHeld(offset: number, limit: number): Promise<OutputSlice> {
    const whole: Stretch = { fromByte: 0, toByte: this.#bytes.total, from: 0, to: this.#length };
    const gap = await this.#gapOf(whole);
    let text = "";
    let at = offset;
    let left = limit;
    if (at < gap.from) {
      const end = Math.min(gap.from, at + left);
      text = await this.#textOf(at, end, { ...whole, toByte: gap.fromByte, to: gap.from });
      left -= end - at;
      at = end;
    }
    if (at >= gap.from && at < gap.to && left > 0) {
      const note = this.#noteOf(gap.to - at);
      // A limit holds for notes too, unless nothing but the note could ever be read here.
      if (text !== "" && note.length > left) return { text, nextOffset: at };
      text += note;
      left = Math.max(0, left - note.length);
      at = gap.to;
    }
    if (at >= gap.to && at < whole.to) {
      const end = Math.min(whole.to, at + left);
      text += await this.#textOf(at, end, { ...whole, fromByte: gap.toByte, from: gap.to });
      at = end;
    }
    return { text, nextOffset: at };
  }

  #noteOf(dropped: number): string {
    const note = `[${dropped} characters dropped]`;
    const { problem } = this.#bytes;
    return problem === undefined ? note : `${note}\n[output could not be stored: ${messageOf(problem)}]`;
  }

  /** What was dropped, without cutting a character at either end; empty and at the end when all is there. */
  async #gapOf(whole: Stretch): Promise<Stretch> {
    const { headEnd, tailStart } = this.#bytes.kept;
    if (headEnd === tailStart) return { ...whole, fromByte: whole.toByte, from: whole.to };
    const fromByte = headEnd - unfinishedLength(await this.#bytes.read(Math.max(0, headEnd - 3), headEnd));
    const toByte = tailStart + strayLength(await this.#bytes.read(tailStart, Math.min(whole.toByte, tailStart + 3)));
    return { fromByte, toByte, from: await this.#pointsBefore(fromByte), to: await this.#pointsUpTo(toByte, whole) };
  }

  async #pointsBefore(position: number): Promise<number> {
    const mark = Math.floor(position / markBytes);
    const counted = this.#marks.get(mark) ?? 0;
    return counted + countCodePoints(await this.#bytes.read(mark * markBytes, position));
  }

  /** The same counted from behind, for a position whose mark was dropped. */
  async #pointsUpTo(position: number, whole: Stretch): Promise<number> {
    const mark = Math.ceil(position / markBytes);
    const isBehind = mark * markBytes > whole.toByte;
    const counted = isBehind ? whole.to : (this.#marks.get(mark) ?? whole.to);
    const end = isBehind ? whole.toByte : mark * markBytes;
    return counted - countCodePoints(await this.#bytes.read(position, end));
  }

  async #textOf(from: number, to: number, stretch: Stretch): Promise<string> {
    if (from >= to) return "";
    const fromByte = await this.#positionOf(from, stretch);
    const toByte = await this.#positionOf(to, stretch);
    return (await this.#bytes.read(fromByte, toByte)).toString("utf8");
  }

  /** The byte where a code point of the stretch starts. */
  async #positionOf(point: number, { fromByte, toByte, from, to }: Stretch): Promise<number> {
    if (point <= from) return fromByte;
    if (point >= to) return toByte;
    let low = Math.ceil(fromByte / markBytes) - 1;
    let high = Math.floor(toByte / markBytes);
    // `low` is at or before the point, all above `high` are behind it.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#marks.get(middle) ?? 0) <= point) low = middle;
      else high = middle - 1;
    }
    const isMarked = low * markBytes >= fromByte;
    const base = isMarked ? low * markBytes : fromByte;
    const counted = isMarked ? (this.#marks.get(low) ?? 0) : from;
    const bytes = await this.#bytes.read(base, Math.min(toByte, (low + 1) * markBytes));
    return base + byteOfCodePoint(bytes, point - counted);
  }
}
