import { describe, expect, test } from "vitest";
import { BubError } from "../base/errors.ts";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { isFallbackWorthy, type Retry, streamWithRetry } from "./retry.ts";

const text = (delta: string): ModelEvent => ({ type: "text-delta", delta });
const finish: ModelEvent = { type: "finish", reason: "stop" };
const request: ModelRequest = {
  system: "",
  messages: [],
  tools: [],
  maxTokens: 1,
  loadMedia: async () => "",
  signal: new AbortController().signal,
};

const failed = (failure: ModelFailure, retryable = true, retryAfterMs?: number) =>
  new ModelError(failure, { failure, retryable, retryAfterMs });

/** Each call plays the next list; an error in it is thrown. */
function modelOf(...tries: (ModelEvent | Error)[][]): Model & { asked: number } {
  const model = {
    provider: "p",
    modelId: "m",
    asked: 0,
    async *stream() {
      for (const step of tries[model.asked++] ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  return model;
}

async function run(model: Model, options: { retries?: number; random?: () => number } = {}) {
  const waits: number[] = [];
  const retries: Retry[] = [];
  const events: ModelEvent[] = [];
  const delay = async (milliseconds: number) => void waits.push(milliseconds);
  let error: unknown;
  try {
    for await (const event of streamWithRetry(model, request, {
      ...options,
      delay,
      onRetry: (retry) => retries.push(retry),
    }))
      events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, error, waits, retries };
}

describe("R2.5 retries", () => {
  test("a passing failure is tried again, up to three times, each wait about twice the last", async () => {
    const model = modelOf([failed("server")], [failed("network")], [failed("idle")], [text("a"), finish]);
    const { events, waits, retries } = await run(model, { random: () => 0 });
    expect(events).toEqual([text("a"), finish]);
    expect(waits).toEqual([250, 500, 1000]);
    expect(retries.map(({ attempt, error }) => [attempt, error.facts.failure])).toEqual([
      [1, "server"],
      [2, "network"],
      [3, "idle"],
    ]);
    expect((await run(modelOf([failed("server")], [text("a"), finish]), { random: () => 0.999 })).waits[0]).toBeCloseTo(
      500,
      0,
    );
  });

  test("the last failure is thrown when tries are used up", async () => {
    const model = modelOf([failed("server")], [failed("server")], [failed("cut")]);
    const { error, events } = await run(model, { retries: 2 });
    expect(error).toMatchObject({ facts: { failure: "cut" } });
    expect(events).toEqual([]);
    expect(model.asked).toBe(3);
  });

  test("not after content: text, reasoning or a call", async () => {
    for (const first of [
      text("a"),
      { type: "reasoning-delta", delta: "r" } as const,
      { type: "tool-call", id: "a", name: "b", arguments: "{}" } as const,
    ]) {
      const model = modelOf([first, failed("cut")], [text("b"), finish]);
      const { events, error } = await run(model);
      expect(events).toEqual([first]);
      expect(error).toMatchObject({ facts: { failure: "cut" } });
      expect(model.asked).toBe(1);
    }
  });

  test("blanks are no content: they wait for the first word, and are dropped with a failed try", async () => {
    const { events } = await run(modelOf([text("\n"), failed("cut")], [text("\n"), text("a"), finish]));
    expect(events).toEqual([text("\n"), text("a"), finish]);
  });

  test("not when it cannot pass, and not for other errors", async () => {
    for (const error of [failed("unauthorized", false), new BubError("not_found", "media"), new Error("bug")]) {
      const model = modelOf([error], [text("a"), finish]);
      expect((await run(model)).error).toBe(error);
      expect(model.asked).toBe(1);
    }
  });

  test("retry-after is honoured up to 60 seconds; a longer one is an answer", async () => {
    const { waits } = await run(modelOf([failed("rate-limited", true, 60_000)], [text("a"), finish]));
    expect(waits).toEqual([60_000]);
    const long = failed("rate-limited", true, 60_001);
    expect(await run(modelOf([long], [text("a"), finish]))).toMatchObject({ error: long, waits: [] });
  });

  test("cancelling ends the wait with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const stream = streamWithRetry(
      modelOf([failed("server", true, 50_000)]),
      { ...request, signal: controller.signal },
      { onRetry: () => setImmediate(() => controller.abort(reason)) },
    );
    await expect(stream.next()).rejects.toBe(reason);
  });
});

test("R2.5 another model may be asked after any failure but overflow and cancel", () => {
  const failures: ModelFailure[] = [
    "unauthorized",
    "rate-limited",
    "rejected-image",
    "rejected",
    "server",
    "network",
    "cut",
    "idle",
    "timeout",
    "empty",
    "malformed",
  ];
  for (const failure of failures) expect(isFallbackWorthy(failed(failure, false)), failure).toBe(true);
  for (const error of [new BubError("config", "no key"), new Error("what a plugin's model throws")])
    expect(isFallbackWorthy(error)).toBe(true);
  for (const error of [failed("overflow", false), new DOMException("x", "AbortError")])
    expect(isFallbackWorthy(error)).toBe(false);
});
