import fc from "fast-check";
import { expect, test } from "vitest";
import { CancelledError } from "../../base/abort.ts";
import type { JsonObject } from "../../base/json.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { ModelMessage, ModelRequest } from "../../model/model.ts";
import { carriedDrafts } from "../../tape/carried.ts";
import type { EntryDraft, TapeEntry } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { InboxDraft } from "../../tape/store.ts";
import { calls, callTool, fail, say, scriptedModel, stall } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { buildContext } from "./context.ts";
import { withPreviews } from "./result-preview.ts";

const echo = defineTool({
  name: "echo",
  description: "Say it back.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  run: ({ text }: JsonObject) => String(text),
});
const big = defineTool({
  name: "big",
  description: "Say much.",
  input: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
  run: ({ size }: JsonObject) => `begin ${"x".repeat(Number(size))} end`,
});
const broken = defineTool({
  name: "broken",
  description: "Fail.",
  run: () => {
    throw new Error("no");
  },
});

const tooLong = (status = 400) => fail(status, { code: "context_length_exceeded", message: "too long" });
const anchorName = "auto_handoff/context_overflow";
const anchorsIn = (entries: readonly TapeEntry[]) =>
  entries.filter(({ kind, payload }) => kind === "anchor" && payload.name === anchorName);
const afterLastAnchor = (entries: readonly TapeEntry[]) =>
  entries.slice(entries.findLastIndex(({ kind }) => kind === "anchor"));
const kinds = (entries: readonly (TapeEntry | EntryDraft)[]) =>
  entries.map(({ kind, payload }) => {
    if (kind === "event") return `event ${payload.name}`;
    return kind === "message" ? String(payload.role) : kind;
  });
const isSummaryCall = ({ tools }: ModelRequest) => tools.length === 0;
const textsOf = (messages: readonly ModelMessage[] = []) => messages.map(({ content }) => content);

/** True when each call has its result right behind it, and a user speaks. */
function isWellFormed(messages: readonly ModelMessage[]): boolean {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (waiting.shift() !== message.callId) return false;
    } else {
      if (waiting.length > 0) return false;
      waiting = message.role === "assistant" ? (message.calls ?? []).map(({ id }) => id) : [];
    }
  }
  return waiting.length === 0 && messages.some(({ role }) => role === "user");
}

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

/** A window that leaves this many tokens for messages beside the fixed parts and the answer. */
async function windowFor(room: number, maxTokens: number, tools: readonly (typeof echo)[] = []): Promise<number> {
  const model = scriptedModel([say("x")]);
  await using runtime = await testRuntime({ model, tools });
  await runtime.send("x");
  const [request] = model.requests;
  const fixed = Buffer.byteLength(request?.system ?? "") + Buffer.byteLength(JSON.stringify(request?.tools));
  return Math.ceil(fixed / 4) + maxTokens + room;
}

test("R2.6 a known window is kept to beforehand: the estimate is the usage since the last anchor and bytes / 4 of what is new", async () => {
  const window = await windowFor(1_000, 100, [echo, big]);
  const model = scriptedModel([
    callTool("big", { size: 400 }, { usage: { total_tokens: window - 300 } }),
    say("short"),
    callTool("big", { size: 900 }, { usage: { total_tokens: window - 300 } }),
    (request) => (isSummaryCall(request) ? say("in short") : fail(500, { message: "sent all the same" })),
    say("done"),
  ]);
  await using runtime = await testRuntime({
    model,
    tools: [echo, big],
    settings: { contextWindow: window, maxTokens: 100 },
  });
  // 100 tokens are new, 100 are for the answer: it fits.
  expect((await runtime.send("go")).text).toBe("short");
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
  // 230 are new: it does not, though it would without the answer.
  const turn = await runtime.send("again");
  expect(turn).toMatchObject({ status: "ok", text: "done" });
  const [anchor] = anchorsIn(await runtime.entries());
  expect(anchor?.payload.state).toMatchObject({ error: expect.stringContaining(`more than the ${window} of`) });
});

test("R2.6 without usage the whole request is estimated, and usage from before an anchor does not count", async () => {
  const window = await windowFor(2_000, 100, [big]);
  const model = scriptedModel([
    callTool("big", { size: 100 }, { usage: { total_tokens: window } }),
    say("summary"),
    callTool("big", { size: 3_000 }),
    callTool("big", { size: 5_000 }),
    (request) => (isSummaryCall(request) ? say("summary") : fail(500)),
    say("done"),
  ]);
  await using runtime = await testRuntime({ model, tools: [big], settings: { contextWindow: window, maxTokens: 100 } });
  expect((await runtime.send("go")).text).toBe("done");
  expect(anchorsIn(await runtime.entries())).toHaveLength(2);
});

test("R2.5 max_tokens is at most a quarter of a known window", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using small = await testRuntime({ model, settings: { contextWindow: 32_000, maxTokens: 16_384 } });
  await small.send("go");
  await using large = await testRuntime({ model, settings: { contextWindow: 200_000, maxTokens: 16_384 } });
  await large.send("go");
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([8_000, 16_384]);
});

test("R2.6 the window of the provider's list counts where none is set, and is asked for only when it matters", async () => {
  let asked = 0;
  const scripted = scriptedModel([say("1"), say("2")]);
  const model = Object.assign(scripted, {
    async limits() {
      asked++;
      return { contextWindow: 40_000 };
    },
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  expect([asked, model.requests[0]?.maxTokens]).toEqual([0, 16_384]);
  await runtime.send("word ".repeat(5_000));
  expect([asked, model.requests[1]?.maxTokens]).toEqual([1, 10_000]);
});

test("R2.6 carried results that do not fit a known window are cut to previews, the largest first", async () => {
  const window = await windowFor(1_500, 100, [big]);
  const model = scriptedModel([
    calls(callTool("big", { size: 1_000 }), callTool("big", { size: 8_000 })),
    say("summary"),
    say("done"),
  ]);
  await using runtime = await testRuntime({ model, tools: [big], settings: { contextWindow: window, maxTokens: 100 } });
  expect((await runtime.send("go")).text).toBe("done");
  const [small, large] = textsOf(model.requests.at(-1)?.messages).slice(-2).map(String);
  expect(small).toHaveLength(1_010);
  expect(large).toBe(
    [
      "[tool output truncated: 8,010 bytes; it did not fit the context]",
      `begin ${"x".repeat(294)}`,
      "...[7,410 chars omitted]...",
      `${"x".repeat(296)} end`,
    ].join("\n"),
  );
});

test("R2.6 without a known window carried results are cut when they are all there is, and at the second overflow", async () => {
  const model = scriptedModel([
    say("before"),
    ...[callTool("big", { size: 5_000 }), tooLong(), say("summary"), tooLong(), say("done")],
  ]);
  await using runtime = await testRuntime({ model, tools: [big] });
  await runtime.send("old");
  expect((await runtime.send("go")).text).toBe("done");
  const sent = model.requests.filter((request) => !isSummaryCall(request)).slice(-2);
  expect(sent.map(({ messages }) => String(messages.at(-1)?.content).length)).toEqual([5_010, expect.any(Number)]);
  expect(String(sent[1]?.messages.at(-1)?.content).length).toBeLessThan(800);

  const alone = scriptedModel([callTool("big", { size: 5_000 }), tooLong(), say("summary"), say("done")]);
  await using other = await testRuntime({ model: alone, tools: [big] });
  expect((await other.send("go")).text).toBe("done");
  expect(String(alone.requests.at(-1)?.messages.at(-1)?.content).length).toBeLessThan(800);
});

test("R2.6 fixed parts that do not fit alone end the run with a clear error: nothing is asked, no anchor is written", async () => {
  const model = scriptedModel([say("never")]);
  await using runtime = await testRuntime({ model, settings: { contextWindow: 400 } });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual([
    expect.stringMatching(/^The system prompt and the tools alone take about \d+ tokens and do not fit/),
  ]);
  expect(model.requests).toHaveLength(0);
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
});

test("R2.6 a message that does not fit alone ends the run with a clear error, and the next one goes on", async () => {
  const window = await windowFor(1_000, 100);
  const model = scriptedModel([say("summary"), say("fine")]);
  await using runtime = await testRuntime({ model, settings: { contextWindow: window, maxTokens: 100 } });
  const turn = await runtime.send("word ".repeat(2_000));
  expect(turn.errors).toEqual([expect.stringContaining("The message and what the run needs to go on do not fit")]);
  expect(model.requests).toHaveLength(0);
  expect((await runtime.send("short")).text).toBe("fine");
});

test("R2.6 a summary longer than what is left of a known window is shortened to it", async () => {
  const window = await windowFor(1_200, 100, [big]);
  const model = scriptedModel([
    callTool("big", { size: 800 }),
    callTool("big", { size: 800 }),
    callTool("big", { size: 3_000 }),
    say("s".repeat(20_000)),
    say("done"),
  ]);
  const settings = { contextWindow: window, maxTokens: 100 };
  await using runtime = await testRuntime({ model, tools: [big], settings });
  expect(await runtime.send("go")).toMatchObject({ status: "ok", text: "done" });
  expect(anchorsIn(await runtime.entries())).toHaveLength(1);
  const bytes = Buffer.byteLength(JSON.stringify(model.requests.at(-1)?.messages));
  expect(bytes).toBeGreaterThan(4_000);
  expect(bytes).toBeLessThan(5_200);
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

let nextId = 0;
const entry = (kind: TapeEntry["kind"], payload: JsonObject, meta: JsonObject): TapeEntry => ({
  ...{ id: ++nextId, kind, payload, meta },
  date: "2026-01-01T00:00:00.000Z",
});
const turns = fc.constantFrom("before", "now");
const ids = fc.constantFrom("a", "b", "c");
const anyEntry = fc.oneof(
  fc
    .tuple(turns, fc.constantFrom("user", "assistant"))
    .map(([turn_id, role]) => entry("message", { role, content: "m" }, { turn_id })),
  fc
    .tuple(turns, fc.uniqueArray(ids, { minLength: 1 }))
    .map(([turn_id, called]) =>
      entry("tool_call", { calls: called.map((id) => ({ id, name: "echo", arguments: {} })) }, { turn_id }),
    ),
  fc.tuple(turns, ids, fc.boolean(), fc.boolean()).map(([turn_id, id, paired, told]) =>
    entry(
      "tool_result",
      { results: ["r".repeat(2_000)] },
      {
        ...{ turn_id },
        ...(paired && { calls: [{ id, name: "echo", status: "ok" }] }),
        ...(told && { tasks: ["sub-00000001"] }),
      },
    ),
  ),
  turns.map((turn_id) => entry("event", { name: "run", data: { status: "ok" } }, { turn_id })),
);

test("R2.6 property: what is carried of any tape, cut anywhere, makes a request that pairs calls and results", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), fc.boolean(), (entries, cut) => {
      const inbound = entry("message", { role: "user", content: "go" }, { turn_id: "now" });
      const recent = [entry("anchor", { name: "a" }, {}), inbound, ...entries];
      const drafts = carriedDrafts(recent, "now").map((draft) => (cut ? withPreviews(draft) : draft));
      const after = buildContext(drafts.map(({ kind, payload, meta = {} }) => entry(kind, payload, meta)));
      // A call that is still open stays so: its result is written after the anchor, or told as interrupted.
      const kept = drafts.some(({ kind }) => kind === "tool_call");
      if (kept) expect(after.openCalls).toEqual(expect.arrayContaining([...buildContext(recent).openCalls]));
      expect(isWellFormed(after.messages)).toBe(true);
    }),
  );
});

test("R2.6 property: an overflow at any model call of any run leaves requests that pair calls and results, with a user message, and need nothing before the anchor", async () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    overflows: fc.integer({ min: 0, max: 2 }),
    summary: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const answers = steps.flatMap(({ calls: count, overflows, summary }, index) => [
        ...(overflows > 0 ? [tooLong(), summary ? say(`summary ${index}`) : fail(400)] : []),
        ...(overflows > 1 ? [tooLong()] : []),
        count === 0
          ? say(`answer ${index}`)
          : calls(...Array.from({ length: count }, (_, at) => callTool("echo", { text: `${index} ${at}` }))),
      ]);
      const model = scriptedModel([...answers, say("end")]);
      await using runtime = await testRuntime({ model, tools: [echo] });
      for (let turn = 0; model.left > 0 && turn < 10; turn++)
        expect((await runtime.send(`message ${turn}`)).status).toBe("ok");
      for (const request of model.requests) expect(isWellFormed(request.messages)).toBe(true);
      const entries = await runtime.entries();
      const handedOff = anchorsIn(entries).length;
      expect(handedOff).toBe(steps.reduce((sum, { overflows }) => sum + overflows, 0));
      // Each request since the last anchor is what the entries since then make.
      const last = buildContext(afterLastAnchor(entries)).messages;
      const sent = model.requests.at(-1)?.messages ?? [];
      expect(last.slice(0, sent.length)).toEqual(sent);
    }),
    { numRuns: 25 },
  );
});
