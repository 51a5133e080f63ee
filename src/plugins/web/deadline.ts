// The total time of one piece of work, from its first byte to its last.
import { longestTimerMs } from "../../base/clock.ts";
import { BubError } from "../../base/errors.ts";

export class Deadline implements Disposable {
  /** Aborted when the time is over, or with the caller's. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  /** @param what begins the sentence of the error: "GET https://…" */
  constructor(seconds: number, caller: AbortSignal, what: string) {
    const error = new BubError("temporary", `${what} did not finish within ${seconds} seconds`);
    this.#timer = setTimeout(() => this.#over.abort(error), Math.min(seconds * 1000, longestTimerMs));
    this.#caller = caller;
    this.signal = AbortSignal.any([caller, this.#over.signal]);
  }

  /** Whatever the work fails with once its time is over, or its caller gone, is that reason. */
  async guard<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      this.#caller.throwIfAborted();
      this.#over.signal.throwIfAborted();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
