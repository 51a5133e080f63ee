// Who in this process wants to know when something arrives for a tape.
import type { TapeId } from "../base/ids.ts";

export class TapeListeners {
  readonly #listeners = new Map<TapeId, Set<() => void>>();

  /** The answer takes it back; the same function may be added more than once. */
  add(tape: TapeId, changed: () => void): () => void {
    const own = () => changed();
    const listeners = this.#listeners.get(tape) ?? new Set();
    this.#listeners.set(tape, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(tape) === listeners) this.#listeners.delete(tape);
    };
  }

  notify(tape: TapeId): void {
    for (const changed of [...(this.#listeners.get(tape) ?? [])]) changed();
  }
}
