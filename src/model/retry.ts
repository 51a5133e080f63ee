// Asks again when an answer failed before its first content and the failure may pass.
import { delay as delayBy, isAbortError } from "../base/abort.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { isModelError, type ModelError } from "./model-error.ts";

export interface Retry {
  /** Counts from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  /** Why the last try failed. */
  readonly error: ModelError;
}

export interface RetryOptions {
  /** Most further tries. */
  readonly retries?: number;
  /** Told before each wait. */
  readonly onRetry?: (retry: Retry) => void;
  /** From 0 to below 1. */
  readonly random?: () => number;
  readonly delay?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const longestBackoffMs = 8_000;
/** A provider that asks for a longer pause than this is not waited for (milliseconds). */
const longestWaitMs = 60_000;

/**
 * Streams one answer of a guarded model. A retryable failure is tried again as long as nothing was given out; blanks
 * before the first word wait with it. A failure after that is thrown: what was shown stays.
 * @throws ModelError of the last try, or the signal's reason
 */
export async function* streamWithRetry(
  model: Model,
  request: ModelRequest,
  options: RetryOptions = {},
): AsyncGenerator<ModelEvent, void, undefined> {
  const { retries = 3, onRetry, random = Math.random, delay = delayBy } = options;
  for (let attempt = 1; ; attempt++) {
    const held: ModelEvent[] = [];
    let given = false;
    try {
      for await (const event of model.stream(request)) {
        if (!given && !isContent(event)) {
          held.push(event);
          continue;
        }
        given = true;
        yield* held.splice(0);
        yield event;
      }
      return;
    } catch (error) {
      const waitMs = given || attempt > retries ? undefined : waitBefore(attempt, error, random);
      if (waitMs === undefined || !isModelError(error)) throw error;
      onRetry?.({ attempt, waitMs, error });
      await delay(waitMs, request.signal);
    }
  }
}

/** Whether another model may be asked instead, if nothing was given out: not when the conversation itself is the fault, not when cancelled. */
export function isFallbackWorthy(error: unknown): boolean {
  return isModelError(error) ? error.facts.failure !== "overflow" : !isAbortError(error);
}

function isContent(event: ModelEvent): boolean {
  if (event.type === "text-delta" || event.type === "reasoning-delta") return event.delta.trim() !== "";
  return event.type === "tool-call" || event.type === "finish";
}

/** Undefined: not again. Doubles from half a second, jittered downwards by up to half. */
function waitBefore(attempt: number, error: unknown, random: () => number): number | undefined {
  if (!isModelError(error) || !error.facts.retryable) return undefined;
  const { retryAfterMs } = error.facts;
  if (retryAfterMs !== undefined) return retryAfterMs <= longestWaitMs ? retryAfterMs : undefined;
  return Math.min(longestBackoffMs, 500 * 2 ** (attempt - 1)) * (0.5 + random() / 2);
}
