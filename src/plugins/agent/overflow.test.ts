// Hand-offs when the provider says that a request is too long: what is carried, how often, and how each ends.
import { expect, test } from "vitest";
import { echo, kinds } from "../../../test/support/agent-runs.ts";
import {
  afterLastAnchor,
  anchorName,
  anchorsIn,
  big,
  isSummaryCall,
  isWellFormed,
  textsOf,
  tooLong,
} from "../../../test/support/overflows.ts";
import { CancelledError } from "../../base/abort.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { InboxDraft } from "../../tape/store.ts";
import { calls, callTool, fail, say, scriptedModel, stall } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { buildContext } from "./context.ts";

const broken = defineTool({
  name: "broken",
  description: "Fail.",
  run: () => {
    throw new Error("no");
  },
});

test("R2.6 an overflow writes the anchor with its state, the event, the model's summary and the copies in one batch, and the run goes on", async () => {
  const model = scriptedModel([
    say("old answer"),
    callTool("echo", { text: "a" }),
    callTool("echo", { text: "b" }),
    tooLong(),
    say("They want b."),
    say("done"),
  ]);
  const storage = createMemoryStorage();
  await using runtime = await testRuntime({ model, tools: [echo], storage });
  await runtime.send("old question");
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ status: "ok", text: "done", errors: [] });
  expect(turn.notices).toEqual(["The conversation became too long for scripted:test. Going on from a summary of it."]);
  const entries = afterLastAnchor(await runtime.entries());
  expect(kinds(entries)).toEqual([
    "anchor",
    "event handoff",
    "system",
    "user",
    "user",
    "tool_call",
    "tool_result",
    "assistant",
    "event run",
  ]);
  const [anchor, handoff, , summary, inbound, call, result] = entries;
  expect(anchor?.payload).toEqual({
    name: anchorName,
    state: { reason: "context_length_exceeded", error: expect.stringContaining("too long") },
  });
  expect(handoff?.payload.data).toEqual(anchor?.payload);
  expect(summary?.payload.content).toContain("They want b.");
  expect([summary, inbound, call, result].map((entry) => entry?.meta.carried)).toEqual([true, true, true, true]);
  expect(inbound?.payload.content).toBe("go");
  expect(call?.payload.calls).toMatchObject([{ arguments: { text: "b" } }]);
  expect(result?.payload.results).toEqual(["b"]);
  // The summary was asked for with all that went before, without tools.
  const asked = model.requests.filter(isSummaryCall);
  expect(asked).toHaveLength(1);
  expect(textsOf(asked[0]?.messages)[0]).toContain("old question");
  const after = model.requests.at(-1)?.messages ?? [];
  expect(isWellFormed(after)).toBe(true);
  expect(JSON.stringify(after)).not.toContain("old question");
  expect(after).toEqual(buildContext(entries.slice(0, 7)).messages);
});

test("R2.6 when the model gives no summary a digest names every call since the last answer with its status", async () => {
  const model = scriptedModel([
    callTool("echo", { text: "before" }),
    say("the answer before"),
    calls(callTool("echo", { text: "one" }), callTool("broken")),
    callTool("echo", { text: "two" }),
    tooLong(),
    fail(500),
    say("done"),
  ]);
  await using runtime = await testRuntime({ model, tools: [echo, broken] });
  await runtime.send("first");
  expect((await runtime.send("go")).text).toBe("done");
  const text = String(textsOf(model.requests.at(-1)?.messages)[0]);
  expect(text).toContain("The last answer was:\nthe answer before");
  expect(text).toContain(
    [
      "Calls since the last answer, oldest first:",
      '- echo {"text":"one"}: ok',
      "- broken {}: error",
      '- echo {"text":"two"}: ok',
    ].join("\n"),
  );
  expect(text).not.toContain('"before"');
});

test("R2.6 a 429 is never an overflow, whatever it says; 413 and a 400 that says so are", async () => {
  for (const [answer, anchors] of [
    [fail(429, { code: "insufficient_quota", message: "too many tokens, context length exceeded" }), 0],
    [fail(413), 1],
    [fail(400, { message: "prompt is too long: 210000 tokens" }), 1],
  ] as const) {
    const model = scriptedModel([answer, say("summary"), say("done")]);
    await using runtime = await testRuntime({ model });
    await runtime.send("go");
    expect(anchorsIn(await runtime.entries())).toHaveLength(anchors);
  }
});

test("R2.6 at most two hand-offs without a completed step in between; the third overflow ends the run as an error", async () => {
  const model = scriptedModel([tooLong(), say("summary"), tooLong(), tooLong(), say("never")]);
  await using runtime = await testRuntime({ model });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual([expect.stringContaining("It was cut down twice and is still too long")]);
  const entries = await runtime.entries();
  expect(anchorsIn(entries)).toHaveLength(2);
  expect(model.left).toBe(1);
  // The second one used the first summary again.
  expect(afterLastAnchor(entries).filter(({ meta }) => meta.summary === true)).toMatchObject([
    { payload: { content: expect.stringMatching(/summary$/) } },
  ]);
});

test("R2.6 a completed step in between makes two further hand-offs possible", async () => {
  const model = scriptedModel([
    ...[tooLong(), say("one"), tooLong(), callTool("echo", { text: "a" })],
    ...[tooLong(), say("two"), tooLong(), say("done")],
  ]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  expect(await runtime.send("go")).toMatchObject({ status: "ok", text: "done" });
  expect(anchorsIn(await runtime.entries())).toHaveLength(4);
});

test("R2.6 an overflow after the first content is an error like any other", async () => {
  const model = scriptedModel([fail(400, { code: "context_length_exceeded", text: "half" })]);
  await using runtime = await testRuntime({ model });
  expect((await runtime.send("go")).status).toBe("error");
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
});

test("R2.6 an overflow never goes to a fallback model, not even one of a fallback model", async () => {
  const first = scriptedModel([fail(400)], { provider: "first" });
  const second = scriptedModel([tooLong(), say("summary"), say("done")], { provider: "second" });
  const third = scriptedModel([say("third")], { provider: "third" });
  const plugin = definePlugin({
    name: "more",
    provideModels: () => [second, third].map((model) => ({ provider: model.provider, create: () => model })),
  });
  await using runtime = await testRuntime({
    model: first,
    plugins: [plugin],
    settings: { fallbackModels: ["second:test", "third:test"] },
  });
  expect((await runtime.send("go")).text).toBe("done");
  expect(third.requests).toHaveLength(0);
  expect(anchorsIn(await runtime.entries())).toHaveLength(1);
});

test("R2.6 the summary is asked for in one bounded call: no retries, few tokens, part of a long conversation", async () => {
  const model = scriptedModel([
    ...Array.from({ length: 4 }, (_, index) => callTool("big", { size: 30_000 + index })),
    ...[tooLong(), fail(503), say("done")],
  ]);
  await using runtime = await testRuntime({ model, tools: [big] });
  expect((await runtime.send("go")).text).toBe("done");
  const [asked] = model.requests.filter(isSummaryCall);
  expect(asked?.maxTokens).toBe(4_096);
  expect(String(asked?.messages[0]?.content).length).toBeLessThan(60_000);
});

test("R2.6 cancelled while the summary is asked for: no anchor, the turn is cancelled, the next one works", async () => {
  const cancel = new AbortController();
  const model = scriptedModel([
    tooLong(),
    () => {
      cancel.abort(new CancelledError());
      return stall();
    },
    say("next"),
  ]);
  await using runtime = await testRuntime({ model });
  const turn = await runtime.send("go", { signal: cancel.signal });
  expect(turn).toMatchObject({ status: "cancelled", errors: [] });
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
  expect((await runtime.send("again")).text).toBe("next");
});

test("R2.6 the summary's tokens count in the run's usage", async () => {
  const model = scriptedModel([
    tooLong(),
    say("summary", { usage: { total_tokens: 40 } }),
    say("done", { usage: { total_tokens: 2 } }),
  ]);
  await using runtime = await testRuntime({ model });
  let total: unknown;
  runtime.runtime.events.on("run-finished", ({ usage }) => {
    total = usage;
  });
  await runtime.send("go");
  expect(total).toEqual({ total_tokens: 42 });
});

test("R2.6 results and notifications of tasks that no answered request held are carried from an earlier turn", async () => {
  const storage = createMemoryStorage();
  const waiting = defineTool({ name: "waiting", description: "Wait.", run: () => "the task's end" });
  const marking = definePlugin({
    name: "marking",
    afterToolCall: (outcome, { name }) =>
      outcome.ok && name === "waiting" ? { ...outcome, meta: { tasks: ["sub-00000001"] } } : undefined,
  });
  const model = scriptedModel([callTool("waiting"), fail(400), tooLong(), say("summary"), say("done")]);
  await using runtime = await testRuntime({ model, tools: [waiting], plugins: [marking], storage });
  expect((await runtime.send("wait")).status).toBe("error");
  const tape = runtime.runtime.tapeIdOf("cli:test");
  const item: InboxDraft = {
    kind: "notification",
    payload: { content: "another end" },
    meta: { tasks: ["sub-00000002"] },
  };
  await storage.inboxes.put(tape, item);
  expect((await runtime.send("go")).text).toBe("done");
  const texts = textsOf(model.requests.at(-1)?.messages);
  expect(texts.slice(1)).toEqual([undefined, "the task's end", "another end", "go"]);
});

test("R2.6 after a restart the conversation goes on from the hand-off, and nothing before it is read", async () => {
  const storage = createMemoryStorage();
  const before = scriptedModel([say("one"), tooLong(), say("kept words"), say("two")]);
  await using first = await testRuntime({ model: before, storage });
  await first.send("secret");
  await first.send("go");
  const model = scriptedModel([say("three")]);
  await using second = await testRuntime({ model, storage });
  await second.send("and now?");
  const sent = JSON.stringify(model.requests[0]?.messages);
  expect(sent).toContain("kept words");
  expect(sent).not.toContain("secret");
  expect(isWellFormed(model.requests[0]?.messages ?? [])).toBe(true);
});
