// A fork: what another tape held up to an entry, and entries of its own that end with it.
import type { TapeId } from "../base/ids.ts";
import type { TapeEntry } from "./entry.ts";
import type { ReadOptions, TapeLog, TapeProblem } from "./store.ts";

export interface ForkLogOptions {
  readonly id: TapeId;
  /** Opened for the fork alone, which closes it: a reset of the tape does not reach what is open. */
  readonly parent: TapeLog;
  /** The last entry of the parent that the fork sees. */
  readonly upTo: number;
}

export class ForkLog implements TapeLog {
  readonly id: TapeId;
  readonly #parent: TapeLog;
  readonly #own: TapeEntry[] = [];
  /** 0 after a reset. */
  #upTo: number;
  #wasReset = false;

  constructor({ id, parent, upTo }: ForkLogOptions) {
    this.id = id;
    this.#parent = parent;
    this.#upTo = upTo;
  }

  /** What was written since the fork was made, or since it was begun anew. */
  get own(): readonly TapeEntry[] {
    return structuredClone(this.#own);
  }

  /** Whether the fork was begun anew: then nothing of the parent is seen any more. */
  get wasReset(): boolean {
    return this.#wasReset;
  }

  get problems(): readonly TapeProblem[] {
    return this.#parent.problems;
  }

  async *backward(options: ReadOptions = {}): AsyncGenerator<TapeEntry> {
    const { before = Number.POSITIVE_INFINITY, after = 0, signal } = options;
    for (const entry of this.#own.slice().reverse()) {
      signal?.throwIfAborted();
      if (entry.id <= after) return;
      if (entry.id < before) yield structuredClone(entry);
    }
    if (this.#upTo > after) yield* this.#parent.backward({ ...options, before: Math.min(before, this.#upTo + 1) });
  }

  async *forward(options: ReadOptions = {}): AsyncGenerator<TapeEntry> {
    const { before = Number.POSITIVE_INFINITY, after = 0, signal } = options;
    if (this.#upTo > after) yield* this.#parent.forward({ ...options, before: Math.min(before, this.#upTo + 1) });
    for (const entry of this.#own.slice()) {
      signal?.throwIfAborted();
      if (entry.id > after && entry.id < before) yield structuredClone(entry);
    }
  }

  async append(entries: readonly TapeEntry[]): Promise<void> {
    this.#own.push(...structuredClone(entries));
  }

  async sync(): Promise<void> {}

  async replace(entries: readonly TapeEntry[]): Promise<void> {
    this.#upTo = 0;
    this.#wasReset = true;
    this.#own.splice(0, this.#own.length, ...structuredClone(entries));
  }

  /** A fork is discarded: there is nothing to keep. */
  async archive(): Promise<undefined> {
    return undefined;
  }

  async size(): Promise<number> {
    let bytes = 0;
    for await (const entry of this.forward()) bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parent[Symbol.asyncDispose]();
  }
}
