// Times every call of a hook, plugin by plugin, for whoever asks why a turn is slow.
import type { HookName } from "./hooks.ts";

/** What one plugin took in one hook. Times include whatever was asked meanwhile: `runModel` holds most of a turn. */
export interface HookTiming {
  readonly plugin: string;
  readonly hook: HookName;
  readonly count: number;
  readonly total_ms: number;
  readonly slowest_ms: number;
}

type Call = (...args: unknown[]) => unknown;

/** Give it to a runtime; without one, hooks are called directly. */
export class HookTrace {
  readonly #timings = new Map<string, { -readonly [Key in keyof HookTiming]: HookTiming[Key] }>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The same call, timed until its promise settles or its stream has ended. */
  timed(plugin: string, hook: HookName, call: Call): Call {
    return (...args) => {
      const started = this.#now();
      const record = () => this.#record(plugin, hook, this.#now() - started);
      let answer: unknown;
      try {
        answer = call(...args);
      } catch (error) {
        record();
        throw error;
      }
      if (answer instanceof Promise) return answer.finally(record);
      if (isStream(answer)) return untilEnd(answer, record);
      record();
      return answer;
    };
  }

  /** Slowest in total first. */
  timings(): readonly HookTiming[] {
    return [...this.#timings.values()].sort((one, other) => other.total_ms - one.total_ms);
  }

  #record(plugin: string, hook: HookName, elapsed: number): void {
    const key = `${plugin} ${hook}`;
    const timing = this.#timings.get(key) ?? { plugin, hook, count: 0, total_ms: 0, slowest_ms: 0 };
    timing.count += 1;
    timing.total_ms += elapsed;
    timing.slowest_ms = Math.max(timing.slowest_ms, elapsed);
    this.#timings.set(key, timing);
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

async function* untilEnd(stream: AsyncIterable<unknown>, ended: () => void): AsyncGenerator<unknown, void> {
  try {
    yield* stream;
  } finally {
    ended();
  }
}
