// Names of models for who types one: asked of the providers once in a while, and never waited for longer than wanted.
import { untilAborted } from "../../base/abort.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { listChoices } from "./model-choices.ts";

/** A list is good for so long (milliseconds); one that lacks a provider's part is asked for again sooner. */
const freshMs = 10 * 60_000;
const retryMs = 30_000;

export class ModelNames {
  #asked: { readonly names: Promise<readonly string[]>; freshUntil: number } | undefined;

  /** What settings and providers name; none once the signal aborts, while what was asked goes on for the next one. */
  async list(runtime: Runtime, signal: AbortSignal): Promise<readonly string[]> {
    const now = runtime.clock.now().getTime();
    if (this.#asked === undefined || this.#asked.freshUntil <= now) this.#asked = this.#ask(runtime, now);
    return untilAborted(this.#asked.names, signal).catch(() => []);
  }

  #ask(runtime: Runtime, now: number): { names: Promise<readonly string[]>; freshUntil: number } {
    const asked = { names: Promise.resolve<readonly string[]>([]), freshUntil: now + freshMs };
    asked.names = listChoices(runtime, { most: Number.POSITIVE_INFINITY, signal: runtime.ending }).then(
      ({ choices, notes }) => {
        if (notes.length > 0) asked.freshUntil = now + retryMs;
        return choices;
      },
      () => {
        asked.freshUntil = now + retryMs;
        return [];
      },
    );
    return asked;
  }
}
