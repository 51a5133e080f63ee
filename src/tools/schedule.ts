// Which calls of a step run together, and what becomes of them when the step is cancelled.
import { delay } from "../base/abort.ts";
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
  const patience = new AbortController();
  const abandoned = patienceOver(signal, patience.signal);
  const all = calls.map((call) =>
    gate.pass(isExclusive(call, toolset), async () => {
      outcomes.push(await settle(call, run, { signal, abandoned, log }));
    }),
  );
  void Promise.all(all).finally(() => {
    patience.abort();
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

/** Resolves when the patience after the abort is over. Once `enough` aborts it holds no timer, and settles no more. */
async function patienceOver(signal: AbortSignal, enough: AbortSignal): Promise<void> {
  await aborted(signal, enough);
  await delay(patienceMs, enough).catch(() => undefined);
}

function aborted(signal: AbortSignal, enough: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true, signal: enough });
  });
}
