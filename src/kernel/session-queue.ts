// The turns of each session of one process, one after the other, and the one that is on.
import { untilAborted } from "../base/abort.ts";
import type { Turn } from "./turn-state.ts";

/** A turn that is on, and the way to end it. */
export interface LiveTurn {
  readonly turn: Turn;
  cancel(reason: Error): void;
}

export class SessionQueue {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #live = new Map<string, LiveTurn>();

  /** Waits for the session's earlier turns; the answer lets the next one in. Rejects with the signal's reason. */
  async enter(sessionId: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(sessionId) ?? Promise.resolve();
    let leave: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const tail = before.then(() => over);
    this.#tails.set(sessionId, tail);
    void tail.then(() => {
      if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId);
    });
    try {
      await untilAborted(before, signal);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** True while a turn is on or waits for its session's lease. */
  isBusy(sessionId: string): boolean {
    return this.#tails.has(sessionId);
  }

  live(sessionId: string): LiveTurn | undefined {
    return this.#live.get(sessionId);
  }

  begin(sessionId: string, live: LiveTurn): void {
    this.#live.set(sessionId, live);
  }

  end(sessionId: string): void {
    this.#live.delete(sessionId);
  }
}
