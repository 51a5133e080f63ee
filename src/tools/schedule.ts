// Which calls of a step run together, and what becomes of them when the step is cancelled.
import { AsyncQueue } from "../base/async-queue.ts";
import type { Logger } from "../base/log.ts";
import { CallGate } from "./call-gate.ts";
import { cancelledOutcome, failedOutcome, type ToolOutcome } from "./outcome.ts";
import type { Toolset } from "./toolset.ts";

export interface ScheduleOptions {
  /** Tells which calls are exclusive: those wait for the earlier ones and hold the later ones. */
  readonly toolset: Pick<Toolset, "find">;
  /** The turn's. After it aborts nothing starts, and what runs has 800 ms to end. */
  readonly signal: AbortSignal;
  /** How many run at once. */
  readonly maxConcurrency?: number;
  readonly log: Logger;
}

const patienceMs = 800;

/**
 * Runs the calls of one step, together as far as the limit and exclusive calls allow.
 * @param run runs one call; the answer is its outcome, and a rejection one too
 * @returns an outcome for every call, each as it is there; in any order
 */
export async function* runCalls<Call extends NamedCall>(
  calls: readonly Call[],
  run: (call: Call) => Promise<ToolOutcome>,
  { toolset, signal, maxConcurrency = 16, log }: ScheduleOptions,
): AsyncGenerator<ToolOutcome, void, undefined> {
  const outcomes = new AsyncQueue<ToolOutcome>();
  const gate = new CallGate(maxConcurrency);
  const patience = new Patience(signal);
  const all = calls.map((call) =>
    gate.pass(isExclusive(call, toolset), async () => {
      outcomes.push(await settle(call, run, { signal, abandoned: patience.isOver, log }));
    }),
  );
  void Promise.all(all).finally(() => {
    patience.stop();
    outcomes.end();
  });
  yield* outcomes;
}

interface NamedCall {
  readonly id: string;
  readonly name: string;
}

function isExclusive({ name }: NamedCall, toolset: Pick<Toolset, "find">): boolean {
  return toolset.find(name, "model")?.tool.exclusive ?? false;
}

interface Cancelling {
  signal: AbortSignal;
  /** Settles when a cancelled call is waited for no longer. */
  abandoned: Promise<void>;
  log: Logger;
}

async function settle<Call extends NamedCall>(
  call: Call,
  run: (call: Call) => Promise<ToolOutcome>,
  { signal, abandoned, log }: Cancelling,
): Promise<ToolOutcome> {
  if (signal.aborted) return cancelledOutcome(call);
  const started = performance.now();
  const outcome = await Promise.race([runOrFail(call, run), abandoned]);
  if (outcome !== undefined) return outcome;
  log.warn("a cancelled tool call is still running and is left behind", { tool: call.name, call: call.id });
  return cancelledOutcome(call, Math.round(performance.now() - started));
}

async function runOrFail<Call extends NamedCall>(
  call: Call,
  run: (call: Call) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    return await run(call);
  } catch (error) {
    return failedOutcome(call, error);
  }
}

/** Waits for what was cancelled, for a while. Plain listener and timer: a signal of its own would cost each step. */
class Patience {
  /** Resolves when the time after the abort is over. */
  readonly isOver: Promise<void>;
  readonly #signal: AbortSignal;
  #end: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.isOver = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (signal.aborted) this.#begin();
    else signal.addEventListener("abort", this.#begin, { once: true });
  }

  /** From here on it holds no timer and no listener, and settles no more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#begin);
  }

  readonly #begin = (): void => {
    this.#timer = setTimeout(this.#end, patienceMs);
  };
}
