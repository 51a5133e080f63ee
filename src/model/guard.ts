// Makes every model end alike: whole calls and one finish, or an error; in time; and at once when cancelled.
import { longestTimerMs } from "../base/clock.ts";
import { isBubError, messageOf } from "../base/errors.ts";
import { type RawCall, settleCalls, settleReason, type ToolCallEvent } from "./calls.ts";
import { cutError } from "./errors.ts";
import type { FinishReason, Model, ModelEvent, ModelFailure, ModelRequest } from "./model.ts";
import { isModelError, ModelError } from "./model-error.ts";
import { networkError } from "./network-error.ts";

export interface GuardLimits {
  /** Most milliseconds without new content: text, reasoning or a piece of a call. Bytes that are none do not count. */
  readonly idleMs?: number;
  /** Most milliseconds of the whole call. */
  readonly timeoutMs?: number;
}

/**
 * The model with the end of its stream guarded, whatever made it. Calls are held back until `finish`; `progress` and empty
 * deltas are dropped. Throws ModelError: `cut` without a finish, `empty` without an answer, `idle` and `timeout` by the
 * limits. Once the request's signal aborts, its reason is thrown at once, even if the model goes on.
 */
export function guardModel(model: Model, limits: GuardLimits = {}): Model {
  const { provider, modelId } = model;
  const stream: Model["stream"] = (request) => guarded(model, request, limits);
  if (model.limits === undefined) return { provider, modelId, stream };
  return { provider, modelId, stream, limits: (signal) => model.limits?.(signal) ?? Promise.resolve({}) };
}

async function* guarded(
  model: Model,
  request: ModelRequest,
  limits: GuardLimits,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { provider } = model;
  request.signal.throwIfAborted();
  const watch = new Watch(request.signal, limits, provider);
  let events: AsyncIterator<ModelEvent> | undefined;
  const calls: RawCall[] = [];
  let hasText = false;
  let finished = false;
  try {
    events = model.stream({ ...request, signal: watch.signal })[Symbol.asyncIterator]();
    for (;;) {
      const next = await watch.over(events.next());
      if (next.done === true) throw cutError(provider);
      const event = next.value;
      if (event.type === "finish") {
        finished = true;
        yield* ending(event, calls, hasText, { provider, maxTokens: request.maxTokens });
        return;
      }
      if (event.type === "tool-call") calls.push(event);
      const isDelta = event.type === "text-delta" || event.type === "reasoning-delta";
      if (isDelta && event.delta === "") continue;
      watch.sawContent();
      if (isDelta) yield event;
      hasText ||= event.type === "text-delta" && event.delta.trim() !== "";
    }
  } catch (error) {
    throw watch.reason ?? asModelError(error, provider);
  } finally {
    watch.stop();
    if (!finished) watch.abandon();
    // Not waited for: a model that ignores its signal may never answer.
    void Promise.resolve(events?.return?.()).catch(() => undefined);
  }
}

function* ending(
  finish: Extract<ModelEvent, { type: "finish" }>,
  rawCalls: readonly RawCall[],
  hasText: boolean,
  asked: Asked,
): Generator<ModelEvent> {
  const calls = settleCalls(rawCalls, finish.reason);
  if (!hasText && calls.length === 0) throw emptyError(finish.reason, asked);
  yield* calls satisfies readonly ToolCallEvent[];
  yield { ...finish, reason: settleReason(finish.reason, calls) };
}

interface Asked {
  readonly provider: string;
  readonly maxTokens: number;
}

/** An empty answer may be a passing fault; one that says itself why it is empty would be so again. */
function emptyError(reason: FinishReason, { provider, maxTokens }: Asked): ModelError {
  const why = {
    length: `The answer of ${provider} reached its limit of ${maxTokens} tokens before it said anything: raise BUB_MAX_TOKENS.`,
    "content-filter": `The content filter of ${provider} ended the answer before it said anything.`,
  };
  if (reason === "length" || reason === "content-filter")
    return new ModelError(why[reason], { failure: "empty", retryable: false });
  return new ModelError(`The answer of ${provider} is empty.`, { failure: "empty", retryable: true });
}

function asModelError(error: unknown, provider: string): unknown {
  if (isModelError(error) || isBubError(error)) return error;
  if (typeof (error as { code?: unknown })?.code === "string") return networkError(error, provider);
  const facts = { failure: "rejected", retryable: false } as const;
  return new ModelError(`${provider} failed: ${messageOf(error)}`, facts, { cause: error });
}

/** Ends a wait when the signal aborts or time is up, and tells the model to stop. */
class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #idleMs: number;
  readonly #provider: string;
  readonly #total: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #idleFrom = 0;
  #isFresh = true;
  #interrupt: ((reason: unknown) => void) | undefined;
  /** Why the stream was ended from here; undefined while it was not. */
  reason: unknown;

  constructor(outer: AbortSignal, { idleMs, timeoutMs }: GuardLimits, provider: string) {
    this.#outer = outer;
    this.#idleMs = idleMs ?? Number.POSITIVE_INFINITY;
    this.#provider = provider;
    outer.addEventListener("abort", this.#abort, { once: true });
    if (timeoutMs !== undefined) this.#total = setTimeout(() => this.#expire("timeout", timeoutMs), timerMs(timeoutMs));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles with `work` unless the watch ends it first. The reader's own time between two waits is not idle time. */
  over<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject);
      if (this.reason !== undefined) return reject(this.reason);
      this.#interrupt = reject;
      if (this.#isFresh) this.#idleFrom = performance.now();
      this.#isFresh = false;
      if (this.#idleMs !== Number.POSITIVE_INFINITY) this.#idle ??= setTimeout(this.#checkIdle, timerMs(this.#idleMs));
    });
  }

  sawContent(): void {
    this.#isFresh = true;
  }

  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    this.#outer.removeEventListener("abort", this.#abort);
    this.#interrupt = undefined;
  }

  /** Tells the model that nobody reads its answer to the end. */
  abandon(): void {
    this.#controller.abort(this.reason ?? new DOMException("the answer is no longer read", "AbortError"));
  }

  readonly #abort = (): void => this.#end(this.#outer.reason);

  /** One timer for the whole stream: what came meanwhile moves its next look, not the timer of each chunk. */
  readonly #checkIdle = (): void => {
    const waited = this.#isFresh ? 0 : performance.now() - this.#idleFrom;
    if (waited >= this.#idleMs) this.#expire("idle", this.#idleMs);
    else this.#idle = setTimeout(this.#checkIdle, timerMs(this.#idleMs - waited));
  };

  #expire(failure: Extract<ModelFailure, "idle" | "timeout">, milliseconds: number): void {
    const seconds = Number((milliseconds / 1000).toFixed(1));
    const message =
      failure === "idle"
        ? `${this.#provider} sent no content for ${seconds} seconds.`
        : `${this.#provider} took longer than the ${seconds} seconds allowed for one answer.`;
    this.#end(new ModelError(message, { failure, retryable: failure === "idle" }));
  }

  #end(reason: unknown): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#controller.abort(reason);
    this.#interrupt?.(reason);
  }
}

/** Timers cannot run longer than 2^31 - 1 ms; zero or less would mean now. */
function timerMs(milliseconds: number): number {
  return Math.min(Math.max(1, Math.ceil(milliseconds)), longestTimerMs);
}
