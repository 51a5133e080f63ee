import { expect, test } from "vitest";
import { guardModel } from "../model/guard.ts";
import type { Model, ModelEvent, ModelMessage } from "../model/model.ts";
import { calls, callTool, cutOff, fail, say, scriptedModel, stall } from "./scripted-model.ts";

async function ask(
  model: Model,
  messages: ModelMessage[] = [{ role: "user", content: "go" }],
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream({
    system: "s",
    messages,
    tools: [],
    maxTokens: 1,
    loadMedia: async () => "",
    signal,
  }))
    events.push(event);
  return events;
}

test("R5.6 steps are given one after the other, calls get counted ids", async () => {
  const model = scriptedModel([
    say(["a", "b"], { reasoning: "r", usage: { input_tokens: 1 } }),
    calls(callTool("fs.read", { path: "x" }), callTool("bash", "{not json", { id: "mine", text: "both" })),
    (request) => say(`${request.messages.length} messages`),
  ]);
  expect(await ask(model)).toEqual([
    { type: "reasoning-delta", delta: "r" },
    { type: "text-delta", delta: "a" },
    { type: "text-delta", delta: "b" },
    { type: "finish", reason: "stop", usage: { input_tokens: 1 } },
  ]);
  expect(model.left).toBe(2);
  expect(await ask(model)).toEqual([
    { type: "text-delta", delta: "both" },
    { type: "tool-call", id: "call_1", name: "fs_read", arguments: '{"path":"x"}' },
    { type: "tool-call", id: "mine", name: "bash", arguments: "{not json" },
    { type: "finish", reason: "tool-calls" },
  ]);
  expect((await ask(model))[0]).toEqual({ type: "text-delta", delta: "1 messages" });
});

test("R5.6 what it was asked is remembered as it was then", async () => {
  const model = scriptedModel([say("a"), say("b")]);
  const messages: ModelMessage[] = [{ role: "user", content: "one" }];
  await ask(model, messages);
  messages.push({ role: "assistant", content: "a" });
  await ask(model, messages);
  expect(model.requests.map(({ messages: seen }) => seen.length)).toEqual([1, 2]);
  expect(model.requests[0]).toMatchObject({ system: "s", maxTokens: 1 });
});

test("a call too many says so", async () => {
  await expect(ask(scriptedModel([]))).rejects.toThrow("the scripted model has 0 steps, this is call number 1");
});

test("faults", async () => {
  const model = guardModel(
    scriptedModel([fail(429, { retryAfterMs: 10 }), cutOff("half"), stall(), fail(500, { text: "a" })]),
  );
  await expect(ask(model)).rejects.toMatchObject({ facts: { failure: "rate-limited", retryAfterMs: 10 } });
  await expect(ask(model)).rejects.toMatchObject({ facts: { failure: "cut" } });
  await expect(ask(model, undefined, AbortSignal.timeout(5))).rejects.toMatchObject({ name: "TimeoutError" });
  await expect(ask(model)).rejects.toMatchObject({ facts: { failure: "server" } });
});

test("a step may stream events by itself", async () => {
  const model = scriptedModel([
    async function* () {
      yield { type: "text-delta", delta: "own" } as const;
      yield { type: "finish", reason: "stop" } as const;
    },
  ]);
  expect(await ask(model)).toHaveLength(2);
});
