import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../base/json.ts";
import type { ModelEvent } from "../model.ts";
import { ChatAnswerReader } from "./answer.ts";

const endpoint = { provider: "p", address: "http://x", key: undefined, keyVariable: undefined };

function read(...chunks: JsonValue[]): ModelEvent[] {
  const reader = new ChatAnswerReader({ endpoint, sentMedia: false }, "m");
  const events = chunks.flatMap((chunk) => reader.read(JSON.stringify(chunk)));
  return [...events, ...reader.end()];
}

const delta = (content: JsonValue, finish: string | null = null): JsonValue => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
});
const finishOf = (...chunks: JsonValue[]) => read(...chunks).at(-1);

describe("R2.8 finish reasons", () => {
  test.each([
    ["stop", "stop"],
    ["end_turn", "stop"],
    ["eos", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["content_filter", "content-filter"],
    ["something_new", "other"],
    ["constructor", "other"],
  ])("%s is %s, and the raw one is kept", (raw, reason) => {
    expect(finishOf(delta({ content: "a" }, raw))).toMatchObject({ type: "finish", reason, rawReason: raw });
  });

  test("calls and stop fit each other", () => {
    const calls = { tool_calls: [{ index: 0, id: "a", function: { name: "x", arguments: "{}" } }] };
    expect(finishOf(delta(calls, "stop"))).toMatchObject({ reason: "tool-calls" });
    expect(finishOf(delta({ content: "a" }, "tool_calls"))).toMatchObject({ reason: "stop" });
  });

  test("none, or an empty one, is a cut", () => {
    expect(() => read(delta({ content: "a" }))).toThrow(
      expect.objectContaining({ facts: { failure: "cut", retryable: true } }),
    );
    expect(() => read(delta({ content: "a" }, ""))).toThrow(/broke off/);
  });

  test.each(["error", "insufficient_system_resource"])("%s is a failure of the provider", (raw) => {
    expect(() => read(delta({ content: "a" }, raw))).toThrow(
      expect.objectContaining({ facts: { failure: "server", retryable: true } }),
    );
  });
});

test("R2.8 a missing usage is no usage", () => {
  expect(finishOf(delta({ content: "a" }, "stop"))).toEqual({ type: "finish", reason: "stop", rawReason: "stop" });
});

test("R2.8 the same reasoning under two names is taken once", () => {
  expect(read(delta({ reasoning: "r", reasoning_content: "r" }), delta({ content: "a" }, "stop"))[0]).toEqual({
    type: "reasoning-delta",
    delta: "r",
  });
});

test("R2.8 a delta of a call is progress, of nothing is nothing", () => {
  const calls = { tool_calls: [{ index: 0, id: "a", function: { name: "x", arguments: "{" } }] };
  const reader = new ChatAnswerReader({ endpoint, sentMedia: false }, "m");
  expect(reader.read(JSON.stringify(delta(calls)))).toEqual([{ type: "progress" }]);
  for (const nothing of [
    delta({}),
    delta({ content: "", role: "assistant" }),
    delta({ content: null, tool_calls: null }),
    {},
    { choices: null },
    { choices: [] },
  ]) {
    expect(reader.read(JSON.stringify(nothing))).toEqual([]);
  }
});

test("R2.8 error objects inside the stream, in their shapes", () => {
  const fail = (chunk: JsonValue) => () => read(delta({ content: "a" }), chunk);
  expect(fail({ error: { message: "m", type: "server_error" } })).toThrow(
    expect.objectContaining({ message: "p failed to answer: m.", facts: { failure: "server", retryable: true } }),
  );
  expect(fail({ error: { code: 429, message: "slow" } })).toThrow(
    expect.objectContaining({ facts: { failure: "rate-limited", retryable: true, status: 429 } }),
  );
  expect(fail({ object: "error", message: "vllm", code: 500 })).toThrow(/vllm/);
  expect(fail({ error: "text" })).toThrow(/text/);
  expect(() => read(delta({ content: "a" }), { error: null, ...(delta({}, "stop") as object) })).not.toThrow();
});

test("only one choice is read", () => {
  const both = {
    choices: [
      { index: 1, delta: { content: "b" } },
      { index: 0, delta: { content: "a" } },
    ],
  };
  const events = read(
    both,
    { choices: [{ index: 0, delta: { content: "x" } }] },
    { choices: [{ index: 1, delta: { content: "c" }, finish_reason: "stop" }] },
  );
  expect(events.slice(0, -1)).toEqual(["b", "c"].map((text) => ({ type: "text-delta", delta: text })));
});

describe("R2.8 an answer in one piece", () => {
  const whole = (value: JsonValue): ModelEvent[] => {
    const reader = new ChatAnswerReader({ endpoint, sentMedia: false }, "m");
    return [...reader.readWhole(JSON.stringify(value)), ...reader.end()];
  };

  test("text, reasoning, calls and usage", () => {
    const message = {
      role: "assistant",
      content: "Hi",
      reasoning: "hm",
      tool_calls: [
        { id: "a", type: "function", function: { name: "x", arguments: "{}" } },
        { id: "b", type: "function", function: { name: "y", arguments: { q: 1 } } },
      ],
    };
    expect(
      whole({ choices: [{ message, finish_reason: "tool_calls" }], usage: { prompt_tokens: 2, completion_tokens: 3 } }),
    ).toEqual([
      { type: "reasoning-delta", delta: "hm" },
      { type: "text-delta", delta: "Hi" },
      { type: "tool-call", id: "a", name: "x", arguments: "{}" },
      { type: "tool-call", id: "b", name: "y", arguments: '{"q":1}' },
      {
        type: "finish",
        reason: "tool-calls",
        rawReason: "tool_calls",
        usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5 },
        providerData: { provider: "p", model: "m", field: "reasoning" },
      },
    ]);
  });

  test("without a finish reason it is finished all the same", () => {
    expect(whole({ choices: [{ message: { content: "Hi" } }] }).at(-1)).toMatchObject({ reason: "stop" });
  });

  test("an error under status 200", () => {
    expect(() => whole({ error: { message: "no", code: 402 } })).toThrow(
      expect.objectContaining({ facts: { failure: "rejected", retryable: false, status: 402 } }),
    );
    expect(() => whole([{ error: { message: "no", code: 400 } }])).toThrow(/no/);
  });
});

test("R2.9 usage under our names, absent counts absent", () => {
  const usage = (raw: JsonValue) =>
    (finishOf({ ...(delta({ content: "a" }, "stop") as object), usage: raw }) as { usage?: object }).usage;
  expect(usage({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 9 })).toEqual({
    input_tokens: 5,
    output_tokens: 2,
    total_tokens: 9,
  });
  expect(
    usage({
      prompt_tokens: 5,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
  ).toEqual({
    input_tokens: 5,
    output_tokens: 2,
    total_tokens: 7,
    cached_tokens: 4,
    cache_write_tokens: 1,
    reasoning_tokens: 0,
  });
  expect(usage({ prompt_tokens: "5", completion_tokens: null, prompt_cache_hit_tokens: 3 })).toEqual({
    cached_tokens: 3,
  });
  expect(usage(null)).toBeUndefined();
});
