import { describe, expect, test, vi } from "vitest";
import { gate } from "../../test/support/conversations.ts";
import { BubError } from "../base/errors.ts";
import { guardModel } from "./guard.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";

function requestWith(signal = new AbortController().signal): ModelRequest {
  return { system: "", messages: [], tools: [], maxTokens: 1, loadMedia: async () => "", signal };
}

function modelOf(stream: Model["stream"]): Model {
  return { provider: "p", modelId: "m", stream };
}

function modelFrom(...events: ModelEvent[]): Model {
  return modelOf(async function* () {
    yield* events;
  });
}

async function collect(model: Model, request = requestWith()): Promise<{ events: ModelEvent[]; error?: unknown }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request)) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

const text = (delta: string): ModelEvent => ({ type: "text-delta", delta });
const call: ModelEvent = { type: "tool-call", id: "a", name: "bash", arguments: "{}" };
const finish: ModelEvent = { type: "finish", reason: "stop" };

describe("R2.8 every model's stream ends alike", () => {
  test("deltas pass, empty ones and progress do not, calls come with the finish", async () => {
    const model = guardModel(
      modelFrom(text(""), text("a"), { type: "progress" }, call, { type: "reasoning-delta", delta: "r" }, finish),
    );
    expect(await collect(model)).toEqual({
      events: [text("a"), { type: "reasoning-delta", delta: "r" }, call, { ...finish, reason: "tool-calls" }],
    });
    expect(model).toMatchObject({ provider: "p", modelId: "m" });
  });

  test("no finish is a cut: calls that came before it are not handed out", async () => {
    const { events, error } = await collect(guardModel(modelFrom(text("a"), call)));
    expect(events).toEqual([text("a")]);
    expect(error).toMatchObject({
      message: "The answer of p broke off before it was complete.",
      facts: { failure: "cut", retryable: true },
    });
  });

  test("nothing comes after the finish", async () => {
    expect((await collect(guardModel(modelFrom(text("a"), finish, text("b"))))).events).toEqual([text("a"), finish]);
  });

  test("an empty answer is an error; one that its limit or a filter left empty is not tried again", async () => {
    for (const events of [
      [finish],
      [text(" \n"), finish],
      [{ type: "reasoning-delta", delta: "hm" } as ModelEvent, finish],
    ]) {
      expect((await collect(guardModel(modelFrom(...events)))).error).toMatchObject({
        facts: { failure: "empty", retryable: true },
      });
    }
    const said = /^The answer of p reached its limit of \d+ tokens before it said anything: raise BUB_MAX_TOKENS\.$/;
    const filtered = /^The content filter of p ended the answer before it said anything\.$/;
    for (const [reason, message] of [
      ["length", said],
      ["content-filter", filtered],
    ] as const) {
      const { error } = await collect(guardModel(modelFrom({ type: "finish", reason })));
      expect(error).toMatchObject({
        message: expect.stringMatching(message),
        facts: { failure: "empty", retryable: false },
      });
      const events = [text("a"), { type: "finish", reason } as ModelEvent];
      expect(await collect(guardModel(modelFrom(...events)))).toEqual({ events, error: undefined });
    }
  });

  test("an unknown finish reason ends the answer, its calls are handed out", async () => {
    const odd: ModelEvent = { type: "finish", reason: "other", rawReason: "FUNCTION_CALL" };
    expect((await collect(guardModel(modelFrom(call, odd)))).events).toEqual([call, odd]);
  });

  test("a call that the length cut off is marked", async () => {
    const cut: ModelEvent = { type: "tool-call", id: "a", name: "bash", arguments: '{"command":"rm -rf /tm' };
    const { events } = await collect(guardModel(modelFrom(cut, { type: "finish", reason: "length" })));
    expect(events).toEqual([
      { ...cut, incomplete: true },
      { type: "finish", reason: "length" },
    ]);
  });
});

describe("errors of any model", () => {
  const failing = (error: unknown) =>
    collect(
      guardModel(
        modelOf(async function* () {
          yield text("a");
          throw error;
        }),
      ),
    );

  test("model errors and other coded errors stay, the rest become model errors", async () => {
    const own = new ModelError("no", { failure: "server", retryable: true });
    const media = new BubError("not_found", "no such media");
    expect((await failing(own)).error).toBe(own);
    expect((await failing(media)).error).toBe(media);
    expect((await failing(new Error("odd"))).error).toMatchObject({
      message: "p failed: odd",
      facts: { failure: "rejected", retryable: false },
    });
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect((await failing(reset)).error).toMatchObject({ facts: { failure: "network", retryable: true } });
  });
});

describe("R2.5 time limits", () => {
  test("idle time counts content: progress and text put it off, empty deltas do not", async () => {
    vi.useFakeTimers();
    try {
      const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
      const model = modelOf(async function* () {
        for (const event of [text("a"), { type: "progress" } as const, text("b")]) {
          await wait(80);
          yield event;
        }
        for (;;) {
          await wait(30);
          yield text("");
        }
      });
      const started = Date.now();
      const result = collect(guardModel(model, { idleMs: 100 }));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await result).toMatchObject({
        events: [text("a"), text("b")],
        error: { message: "p sent no content for 0.1 seconds.", facts: { failure: "idle", retryable: true } },
      });
      expect(Date.now() - started).toBe(1_000);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a slow reader is not idle time", async () => {
    vi.useFakeTimers();
    try {
      const events = guardModel(modelFrom(text("a"), text("b"), finish), { idleMs: 100 })
        .stream(requestWith())
        [Symbol.asyncIterator]();
      expect((await events.next()).value).toEqual(text("a"));
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await events.next()).value).toEqual(text("b"));
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await events.next()).value).toEqual(finish);
      expect((await events.next()).done).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the whole call's limit ends it even while content comes; it is not retried", async () => {
    vi.useFakeTimers();
    try {
      const model = modelOf(async function* () {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          yield text("a");
        }
      });
      const result = collect(guardModel(model, { idleMs: 100, timeoutMs: 505 }));
      await vi.advanceTimersByTimeAsync(600);
      const { events, error } = await result;
      expect(events).toHaveLength(50);
      expect(error).toMatchObject({
        message: "p took longer than the 0.5 seconds allowed for one answer.",
        facts: { failure: "timeout", retryable: false },
      });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("R1.7 cancelling", () => {
  test("throws the signal's reason at once, also when the model ignores its signal", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const held = gate();
    const model = modelOf(async function* () {
      yield text("a");
      await held.pass();
    });
    const result = collect(guardModel(model), requestWith(controller.signal));
    await held.reached;
    controller.abort(reason);
    expect(await result).toEqual({ events: [text("a")], error: reason });
  });

  test("tells the model, which may clean up", async () => {
    const controller = new AbortController();
    let seen: unknown;
    const held = gate();
    const model = modelOf(async function* ({ signal }) {
      yield text("a");
      await held.pass(signal).catch((reason: unknown) => {
        seen = reason;
      });
    });
    const result = collect(guardModel(model), requestWith(controller.signal));
    await held.reached;
    controller.abort(new Error("stop"));
    expect(await result).toMatchObject({ error: { message: "stop" } });
    expect(seen).toMatchObject({ message: "stop" });
  });

  test("an aborted signal asks nobody", async () => {
    const stream = vi.fn();
    const model = modelOf(async function* () {
      stream();
      yield text("a");
    });
    const reason = new Error("before");
    expect(await collect(guardModel(model), requestWith(AbortSignal.abort(reason)))).toEqual({
      events: [],
      error: reason,
    });
    expect(stream).not.toHaveBeenCalled();
  });

  test("a reader that stops early has the model closed", async () => {
    let closed = false;
    const model = modelOf(async function* ({ signal }) {
      try {
        yield text("a");
        yield text("b");
      } finally {
        closed = signal.aborted;
      }
    });
    for await (const _ of guardModel(model).stream(requestWith())) break;
    expect(closed).toBe(true);
  });

  test("a finished answer's signal is not aborted: its connection stays usable", async () => {
    let signal: AbortSignal | undefined;
    const model = modelOf(async function* (request) {
      signal = request.signal;
      yield* [text("a"), finish];
    });
    await collect(guardModel(model));
    expect(signal?.aborted).toBe(false);
  });
});
