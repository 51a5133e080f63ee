// Keeps the first and the last bytes of a stream of any length: a little in memory, the rest in a file.
import { SpoolFile } from "./spool-file.ts";

export interface ByteWindowOptions {
  /** How many bytes to keep; the first and the last half of them when there are more. */
  maxBytes: number;
  /** Folder for the file; made when the first byte goes there. */
  directory: string;
  /** Told once when the file can no longer be written; the newest bytes are then kept in memory. */
  onProblem?: (error: unknown) => void;
  /** Opens a file to write and read, for tests that need a full disk. */
  openFile?: (directory: string) => number;
}

/** With more bytes than this the stream moves to the file, whose own buffers are smaller. */
const memoryBytes = 768 * 1024;

/** Bytes that are still there: those before `headEnd` and those from `tailStart` on. Equal ends: all of them. */
export interface KeptBytes {
  readonly headEnd: number;
  readonly tailStart: number;
}

export class ByteWindow {
  readonly #options: ByteWindowOptions;
  /** Positions below this keep their place; later ones share the rest of the room in turn. */
  readonly #headRoom: number;
  readonly #tailRoom: number;
  #total = 0;
  #memory: Buffer = Buffer.alloc(0);
  #spool: SpoolFile | undefined;

  constructor(options: ByteWindowOptions) {
    this.#options = options;
    this.#headRoom = Math.floor(options.maxBytes / 2);
    this.#tailRoom = options.maxBytes - this.#headRoom;
  }

  /** How many bytes came in. */
  get total(): number {
    return this.#total;
  }

  get kept(): KeptBytes {
    if (this.#spool?.failedAt !== undefined) {
      const headEnd = Math.min(this.#headRoom, this.#spool.failedAt);
      return { headEnd, tailStart: Math.max(headEnd, this.#spool.memoryStart) };
    }
    if (this.#total <= this.#headRoom + this.#tailRoom) return { headEnd: this.#total, tailStart: this.#total };
    return { headEnd: this.#headRoom, tailStart: this.#total - this.#tailRoom };
  }

  /** Why bytes could not be stored, when that happened. */
  get problem(): unknown {
    return this.#spool?.problem;
  }

  /** Adds a copy of `bytes`. While the answered promise is open the disk is behind: add no more. */
  append(bytes: Uint8Array): Promise<void> | undefined {
    const { maxBytes } = this.#options;
    if (this.#spool === undefined && maxBytes > memoryBytes && this.#total + bytes.length > memoryBytes)
      this.#moveToFile();
    if (this.#spool === undefined) this.#keepInMemory(bytes);
    else this.#spool.append(bytes);
    this.#total += bytes.length;
    return this.#spool?.drained();
  }

  /** Lets nothing that is kept now be dropped until the answer is called. */
  hold(): () => void {
    return this.#spool?.hold() ?? (() => undefined);
  }

  /** The bytes from `from` up to `to`; only what is kept, or was when the hold began, can be asked for. */
  async read(from: number, to: number): Promise<Buffer> {
    if (this.#spool !== undefined) return this.#spool.read(from, to);
    const slot = this.#slotOf(from);
    const untilWrap = Math.min(to - from, this.#headRoom + this.#tailRoom - slot);
    const first = this.#memory.subarray(slot, slot + untilWrap);
    const rest = to - from - untilWrap;
    const second = this.#memory.subarray(this.#headRoom, this.#headRoom + rest);
    return Buffer.concat([first, second]);
  }

  /** Gives back memory that is held for bytes to come. */
  shrink(): void {
    this.#spool?.shrink();
    if (this.#total < this.#memory.length) this.#memory = Buffer.from(this.#memory.subarray(0, this.#total));
  }

  async close(): Promise<void> {
    this.#memory = Buffer.alloc(0);
    await this.#spool?.close();
  }

  #moveToFile(): void {
    const { directory, onProblem, openFile } = this.#options;
    const place = { directory, onProblem, openFile, headRoom: this.#headRoom, tailRoom: this.#tailRoom };
    this.#spool = new SpoolFile(place, this.#memory.subarray(0, this.#total));
    this.#memory = Buffer.alloc(0);
  }

  #keepInMemory(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const slot = this.#slotOf(this.#total + from);
      const part = bytes.subarray(from, from + this.#headRoom + this.#tailRoom - slot);
      this.#makeRoom(slot + part.length);
      this.#memory.set(part, slot);
      from += part.length;
    }
  }

  #makeRoom(length: number): void {
    if (length <= this.#memory.length) return;
    const most = Math.min(this.#options.maxBytes, memoryBytes);
    const grown = Buffer.allocUnsafeSlow(Math.min(most, Math.max(length, this.#memory.length * 2, 1024)));
    this.#memory.copy(grown);
    this.#memory = grown;
  }

  #slotOf(position: number): number {
    if (position < this.#headRoom) return position;
    return this.#headRoom + ((position - this.#headRoom) % this.#tailRoom);
  }
}
