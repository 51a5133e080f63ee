import { expect, test } from "vitest";
import { CancelledError } from "../../base/abort.ts";
import { BubError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { anchorDrafts, type TapeEntry } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { InboxPort, TapeStorage } from "../../tape/store.ts";
import { Tape } from "../../tape/tape.ts";
import { calls, callTool, cutOff, fail, say, scriptedModel, stall } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const echo = defineTool({
  name: "echo",
  description: "Say it back.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  run: ({ text }: JsonObject) => String(text),
});

const kinds = (entries: readonly TapeEntry[]) =>
  entries.map(({ kind, payload }) => {
    if (kind === "event") return `event ${payload.name}`;
    return kind === "message" ? `${payload.role}` : kind;
  });

test("R2.1 a turn without calls is one step: question, answer, run event", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([say("hello", { usage: { total_tokens: 7 } })]) });
  const turn = await runtime.send("hi");
  expect(turn).toMatchObject({ text: "hello", status: "ok", errors: [] });
  expect(kinds(await runtime.entries())).toEqual([
    "anchor",
    "event handoff",
    "system",
    "user",
    "assistant",
    "event run",
  ]);
});

test("R3.2 a step's order on the tape: calls, results, run; ids of turn and run in meta", async () => {
  const model = scriptedModel([callTool("echo", { text: "a" }, { text: "Let me see." }), say("done")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  await runtime.send("go");
  const entries = await runtime.entries();
  expect(kinds(entries).slice(3)).toEqual(["user", "tool_call", "tool_result", "event run", "assistant", "event run"]);
  const [call, result, run, answer] = entries.slice(4);
  expect(call?.payload).toEqual({
    calls: [{ id: "call_1", name: "echo", arguments: { text: "a" } }],
    content: "Let me see.",
  });
  expect(result).toMatchObject({
    payload: { results: ["a"] },
    meta: { calls: [{ id: "call_1", name: "echo", status: "ok" }] },
  });
  expect(run?.payload).toMatchObject({ data: { status: "ok", provider: "scripted", model: "test" } });
  expect(run?.meta.run_id).toBe(call?.meta.run_id);
  expect(answer?.meta.run_id).not.toBe(call?.meta.run_id);
  expect(new Set(entries.slice(2).map(({ meta }) => meta.turn_id)).size).toBe(1);
});

test("R2.2 events: ids equal the entries' meta, final once and last", async () => {
  const model = scriptedModel([callTool("echo", { text: "a" }), say(["do", "ne"], { reasoning: "easy" })]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const { events } = await runtime.send("go");
  expect(events.map(({ type }) => type)).toEqual([
    "tool-call",
    "tool-result",
    "step-finished",
    "reasoning-delta",
    "text-delta",
    "text-delta",
    "step-finished",
    "final",
  ]);
  expect(events.map(({ step }) => step)).toEqual([1, 1, 1, 2, 2, 2, 2, 2]);
  const runs = (await runtime.entries()).filter(({ payload }) => payload.name === "run").map(({ meta }) => meta.run_id);
  expect([...new Set(events.map(({ run_id }) => run_id))]).toEqual(runs);
  expect(events[1]).toMatchObject({ id: "call_1", name: "echo", value: "a", text: "a", is_error: false });
});

test("R3.3 results reach the next request in call order, though they finish in another", async () => {
  const gate = makeGate();
  const slow = defineTool({ name: "slow", description: "Wait.", run: () => gate.promise.then(() => "slow") });
  const fast = defineTool({
    name: "fast",
    description: "Do not wait.",
    run: () => {
      gate.resolve(undefined);
      return "fast";
    },
  });
  const model = scriptedModel([calls(callTool("slow"), callTool("fast")), say("both")]);
  await using runtime = await testRuntime({ model, tools: [slow, fast] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ name }) => name)).toEqual(["fast", "slow"]);
  expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ content: "slow" }, { content: "fast" }]);
});

function makeGate(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test("R2.1 steering: a message left during a step is read before the next one, and leaves the inbox once on the tape", async () => {
  const storage = createMemoryStorage();
  const model = scriptedModel([callTool("steer"), say("seen")]);
  const steer = defineTool({
    name: "steer",
    description: "Leave a message.",
    async run(_args, { turn }) {
      await storage.inboxes.put(turn.tape.id, { kind: "steer", payload: { content: "also this" }, meta: {} });
      return "left";
    },
  });
  await using runtime = await testRuntime({ model, tools: [steer], storage });
  await runtime.send("go");
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "also this" });
  const entries = await runtime.entries();
  const left = entries.find(({ payload }) => payload.content === "also this");
  expect(left?.meta.inbox).toMatch(/./);
  expect(await storage.inboxes.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});

test("R1.8 an item that already stands on the tape is only deleted", async () => {
  const storage = createMemoryStorage();
  await using runtime = await testRuntime({ model: scriptedModel([say("one"), say("two")]), storage });
  const tape = runtime.runtime.tapeIdOf("cli:test");
  const item = await storage.inboxes.put(tape, { kind: "notification", payload: { content: "news" }, meta: {} });
  await runtime.send("first");
  // As after a crash between the append and the delete.
  await storage.inboxes.put(tape, { kind: "notification", payload: { content: "other" }, meta: {} });
  let left = [item];
  const inboxes: InboxPort = {
    ...methodsOf(storage.inboxes),
    list: async () => [...left, ...(await storage.inboxes.list(tape))],
    async remove(id, itemId) {
      left = left.filter((one) => one.id !== itemId);
      await storage.inboxes.remove(id, itemId);
    },
  };
  await using later = await testRuntime({
    model: scriptedModel([say("two")]),
    storage: { ...portsOf(storage), inboxes },
  });
  expect((await later.send("second")).errors).toEqual([]);
  const messages = (await later.entries())
    .filter(({ kind }) => kind === "message")
    .map(({ payload }) => payload.content);
  expect(messages.filter((content) => content === "news")).toHaveLength(1);
  expect(messages).toContain("other");
});

test("R2.1 continueRun: its prompt goes on, outstanding waits for the inbox without polling", async () => {
  const storage = createMemoryStorage();
  let asked = 0;
  const plugin = definePlugin({
    name: "waiting",
    continueRun(turn) {
      asked++;
      if (asked === 1) return { kind: "message", content: "go on" };
      if (asked === 2) {
        setImmediate(() => {
          void storage.inboxes.put(turn.tape.id, { kind: "notification", payload: { content: "finished" }, meta: {} });
        });
        return "outstanding";
      }
      return undefined;
    },
  });
  const model = scriptedModel([say("1"), say("2"), say("3")]);
  await using runtime = await testRuntime({ model, plugins: [plugin], storage });
  const turn = await runtime.send("go");
  expect(turn.text).toBe("3");
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "go on" });
  expect(model.requests[2]?.messages.at(-1)).toEqual({ role: "user", content: "finished" });
  expect(asked).toBe(4);
});

test("R2.5 BUB_MAX_STEPS ends the run as an error that says how to go on", async () => {
  const model = scriptedModel([callTool("echo", { text: "1" }), callTool("echo", { text: "2" }), say("late")]);
  await using runtime = await testRuntime({ model, tools: [echo], settings: { maxSteps: 2 } });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({
    status: "error",
    errors: ["The run was stopped after 2 steps (BUB_MAX_STEPS); send another message to let it go on."],
  });
  expect((await runtime.send("go on")).text).toBe("late");
});

test("R2.5 a failure before the first content goes to the fallback model, with a notice, for the rest of the run", async () => {
  const broken = scriptedModel([fail(400)], { provider: "first" });
  const other = scriptedModel([callTool("echo", { text: "x" }), say("from other")], { provider: "second" });
  const plugin = definePlugin({ name: "two", provideModels: () => [{ provider: "second", create: () => other }] });
  await using runtime = await testRuntime({
    model: broken,
    tools: [echo],
    plugins: [plugin],
    settings: { fallbackModels: ["second:test"] },
  });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ text: "from other", status: "ok", errors: [] });
  expect(turn.notices).toEqual([expect.stringMatching(/^first:test failed: .* Going on with second:test\.$/)]);
  expect(broken.requests).toHaveLength(1);
});

test("R2.5 when all models fail the first one's error is told", async () => {
  const first = scriptedModel([fail(400, { message: "first is broken" })], { provider: "first" });
  const second = scriptedModel([fail(400, { message: "second is broken" })], { provider: "second" });
  const plugin = definePlugin({ name: "two", provideModels: () => [{ provider: "second", create: () => second }] });
  await using runtime = await testRuntime({
    model: first,
    plugins: [plugin],
    settings: { fallbackModels: ["second:test"] },
  });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual([expect.stringContaining("first is broken")]);
});

test("R2.8 a stream cut after text keeps the text, runs nothing, and ends as an error", async () => {
  await using runtime = await testRuntime({
    model: scriptedModel([cutOff("half an ans"), say("whole")]),
    tools: [echo],
  });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  const entries = await runtime.entries();
  expect(kinds(entries).slice(3)).toEqual(["user", "assistant", "error", "event run"]);
  expect(entries[4]?.payload.content).toBe("half an ans");
  expect(entries.at(-1)?.payload).toMatchObject({ data: { status: "error" } });
  expect((await runtime.send("again")).text).toBe("whole");
});

test("R2.7 the run ends when a call is repeated with the same result after the warning", async () => {
  const same = callTool("echo", { text: "same" });
  await using runtime = await testRuntime({
    model: scriptedModel(Array(9).fill(same)),
    tools: [echo],
    settings: { loopGuard: 8 },
  });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual(["The run ended because echo gave the same result 9 times in a row."]);
  expect(turn.toolResults[6]?.text).toBe("same");
  expect(turn.toolResults[7]?.text).toContain("[warning] This call gave the same result 8 times in a row.");
});

test("R1.7 cancel during a model call: text so far is kept, reasoning is not, the next turn works", async () => {
  const cancel = new AbortController();
  const model = scriptedModel([stall("partial"), say("next")]);
  await using runtime = await testRuntime({ model });
  const turn = await runtime.send("go", {
    signal: cancel.signal,
    onEvent: (event) => event.type === "text-delta" && cancel.abort(new CancelledError()),
  });
  expect(turn).toMatchObject({ status: "cancelled", errors: [] });
  const entries = await runtime.entries();
  expect(kinds(entries).slice(3)).toEqual(["user", "assistant", "event run"]);
  expect(entries[4]?.payload).toEqual({ role: "assistant", content: "partial" });
  expect((await runtime.send("again")).text).toBe("next");
});

test("R1.7 cancel during tools: finished calls keep results, the others are recorded as cancelled", async () => {
  const cancel = new AbortController();
  const hang = defineTool({
    name: "hang",
    description: "Wait for the signal.",
    run: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  });
  const model = scriptedModel([calls(callTool("echo", { text: "kept" }), callTool("hang")), say("next")]);
  await using runtime = await testRuntime({ model, tools: [echo, hang] });
  const turn = await runtime.send("go", {
    signal: cancel.signal,
    onEvent: (event) => event.type === "tool-result" && cancel.abort(new CancelledError()),
  });
  expect(turn.status).toBe("cancelled");
  await runtime.send("again");
  expect(model.requests[1]?.messages.slice(2, 4)).toMatchObject([
    { content: "kept" },
    { content: "[tool] cancelled", isError: true },
  ]);
});

test("R1.7 a tool that ignores the signal is abandoned, and cancelling returns within a second", async () => {
  const cancel = new AbortController();
  const deaf = defineTool({
    name: "deaf",
    description: "Never end.",
    run: () => {
      queueMicrotask(() => cancel.abort(new CancelledError()));
      return new Promise(() => undefined);
    },
  });
  await using runtime = await testRuntime({ model: scriptedModel([callTool("deaf"), say("next")]), tools: [deaf] });
  const started = performance.now();
  const turn = await runtime.send("go", { signal: cancel.signal });
  expect(performance.now() - started).toBeLessThan(1000);
  expect(turn.status).toBe("cancelled");
  expect(kinds(await runtime.entries()).slice(3)).toEqual(["user", "tool_call", "tool_result", "event run"]);
  expect((await runtime.send("again")).text).toBe("next");
});

test("R3.3 after a crash open calls are recorded as interrupted before anything else, and are not run again", async () => {
  const storage = createMemoryStorage();
  let ran = 0;
  const counted = defineTool({ name: "counted", description: "Count.", run: () => `ran ${++ran}` });
  const crashed = scriptedModel([calls(callTool("counted"), callTool("counted"))]);
  await using before = await testRuntime({
    model: crashed,
    tools: [counted],
    storage: failingAfterFirstResult(storage),
  });
  expect((await before.send("go")).status).toBe("error");
  const model = scriptedModel([say("I see")]);
  await using after = await testRuntime({ model, tools: [counted], storage });
  await after.send("what happened?");
  expect(ran).toBe(2);
  const texts = model.requests[0]?.messages.map(({ content }) => content);
  expect(texts).toEqual([
    expect.stringContaining("go"),
    undefined,
    "ran 1",
    "[tool] interrupted: it may or may not have taken effect",
    "what happened?",
  ]);
  const recorded = (await after.entries()).filter(({ meta }) => JSON.stringify(meta).includes("interrupted"));
  expect(recorded).toHaveLength(1);
});

/** The disk is full from the second tool result on. */
function failingAfterFirstResult(
  storage: ReturnType<typeof createMemoryStorage>,
): ReturnType<typeof createMemoryStorage> {
  let results = 0;
  const open: typeof storage.tapes.open = async (id) => {
    const log = await storage.tapes.open(id);
    const append: typeof log.append = async (entries) => {
      if (entries.some(({ kind }) => kind === "tool_result")) results++;
      if (results > 1) throw new BubError("config", "no space left");
      return log.append(entries);
    };
    return { ...methodsOf(log), append };
  };
  return { ...portsOf(storage), tapes: { ...methodsOf(storage.tapes), open } };
}

function portsOf({ tapes, leases, inboxes, tasks, media }: TapeStorage): TapeStorage {
  return { tapes, leases, inboxes, tasks, media, [Symbol.asyncDispose]: async () => undefined };
}

/** A port's methods as an object of functions, to replace some. */
function methodsOf<Port extends object>(port: Port): Port {
  const names = new Set([...Reflect.ownKeys(port), ...Reflect.ownKeys(Object.getPrototypeOf(port) as object)]);
  const bound = [...names].map((name) => [name, Reflect.get(port, name) as unknown] as const);
  return Object.fromEntries(
    bound.map(([name, value]) => [name, typeof value === "function" ? value.bind(port) : value]),
  ) as Port;
}

test("T0.9 an unknown tool is guidance for the model, and the turn goes on", async () => {
  const model = scriptedModel([callTool("ecco", { text: "x" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("ok");
  expect(turn.toolResults[0]?.text).toBe("Unknown tool 'ecco'. Did you mean echo?");
});

test("T0.6 arguments that are no JSON object never run; the tape keeps {} and the model can retry", async () => {
  const model = scriptedModel([callTool("echo", '{"text": "a'), callTool("echo", { text: "b" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const turn = await runtime.send("go");
  expect(turn.toolResults.map(({ is_error }) => is_error)).toEqual([true, false]);
  expect(turn.toolResults[0]?.text).toContain("[invalid_input] Tool 'echo' argument validation failed.");
  expect(turn.toolResults[0]?.text).toContain('{\\"text\\": \\"a');
  const call = (await runtime.entries()).find(({ kind }) => kind === "tool_call");
  expect(call?.payload.calls).toMatchObject([{ arguments: {} }]);
});

test("R2.3 the bus tells of runs, model calls, tool calls and steps; a failing handler stops nothing", async () => {
  const model = scriptedModel([callTool("echo", { text: "a" }), say("done", { usage: { input_tokens: 3 } })]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const { events } = runtime.runtime;
  const seen: string[] = [];
  const names = [
    "run-started",
    "run-finished",
    "model-call-started",
    "model-call-finished",
    "tool-call-started",
    "tool-call-finished",
    "step-finished",
  ] as const;
  for (const name of names) events.on(name, () => void seen.push(name));
  const off = events.on("run-started", () => {
    throw new Error("handler is broken");
  });
  expect((await runtime.send("go")).status).toBe("ok");
  expect(seen).toEqual([
    "run-started",
    "model-call-started",
    "model-call-finished",
    "tool-call-started",
    "tool-call-finished",
    "step-finished",
    "model-call-started",
    "model-call-finished",
    "step-finished",
    "run-finished",
  ]);
  expect(runtime.log.join("\n")).toContain("handler is broken");
  off();
});

test("R2.9 usage is an event of its step, stands in the run entry, and is added up in run-finished", async () => {
  const model = scriptedModel([
    callTool("echo", { text: "a" }, { usage: { input_tokens: 10, total_tokens: 12 } }),
    say("done", { usage: { input_tokens: 20, total_tokens: 25 } }),
  ]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  let total: unknown;
  runtime.runtime.events.on("run-finished", ({ usage }) => {
    total = usage;
  });
  const { events } = await runtime.send("go");
  expect(events.flatMap((event) => (event.type === "usage" ? [event.usage] : []))).toMatchObject([
    { input_tokens: 10, total_tokens: 12 },
    { input_tokens: 20, total_tokens: 25 },
  ]);
  expect(total).toMatchObject({ input_tokens: 30, total_tokens: 37 });
  const runs = (await runtime.entries()).filter(({ payload }) => payload.name === "run");
  expect(runs.map(({ payload }) => payload.data)).toMatchObject([
    { usage: { total_tokens: 12 } },
    { usage: { total_tokens: 25 } },
  ]);
});

test("T0.11 beforeToolCall: newest plugin first; changed arguments go on, another verdict ends the chain", async () => {
  const asked: string[] = [];
  const changing = definePlugin({
    name: "changing",
    beforeToolCall({ args }) {
      asked.push(`changing ${args.text}`);
      return { action: "proceed", args: { text: `${args.text}!` } };
    },
  });
  const denying = definePlugin({
    name: "denying",
    beforeToolCall({ args }) {
      asked.push(`denying ${args.text}`);
      return args.text === "no!" ? { action: "deny", reason: "not today" } : undefined;
    },
  });
  const model = scriptedModel([calls(callTool("echo", { text: "yes" }), callTool("echo", { text: "no" })), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo], plugins: [denying, changing] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ text }) => text).sort()).toEqual(["[tool] not today", "yes!"]);
  expect(asked.sort()).toEqual(["changing no", "changing yes", "denying no!", "denying yes!"]);
});

test("T0.11 a plugin that throws in beforeToolCall denies the call and is named; one in afterToolCall is skipped", async () => {
  const broken = definePlugin({
    name: "broken",
    beforeToolCall({ name }) {
      if (name === "echo") throw new Error("I fell over");
      return undefined;
    },
    afterToolCall() {
      throw new Error("again");
    },
  });
  const other = defineTool({ name: "other", description: "Works.", run: () => "fine" });
  const model = scriptedModel([calls(callTool("echo", { text: "x" }), callTool("other")), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo, other], plugins: [broken] });
  const { toolResults, status } = await runtime.send("go");
  expect(status).toBe("ok");
  expect(toolResults.map(({ text }) => text).sort()).toEqual([
    '[tool] plugin "broken" failed in beforeToolCall: I fell over',
    "fine",
  ]);
  expect(runtime.log.join("\n")).toContain('"hook":"afterToolCall"');
});

test("T0.11 ask is put to the channel; where nobody can answer it means deny", async () => {
  const asking = definePlugin({
    name: "asking",
    beforeToolCall: () => ({ action: "ask", question: "Really?", choices: ["yes", "no"] }),
  });
  const model = scriptedModel([callTool("echo", { text: "1" }), say("ok"), callTool("echo", { text: "2" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo], plugins: [asking] });
  const alone = await runtime.send("go");
  expect(alone.toolResults[0]).toMatchObject({ is_error: true, text: expect.stringContaining("Really?") });
  const questions: unknown[] = [];
  const answered = await runtime.send("go", {
    ask: async (question, choices) => {
      questions.push([question, choices]);
      return "yes";
    },
  });
  expect(questions).toEqual([["Really?", ["yes", "no"]]]);
  expect(answered.toolResults[0]?.text).toBe("2");
});

test("R1.1 a turn is one message, its run has steps, each with a model call; the next message is another turn on the same tape", async () => {
  const model = scriptedModel([callTool("echo", { text: "a" }), say("one"), say("two")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const first = await runtime.send("go");
  const second = await runtime.send("again");
  const idsOf = (turn: typeof first, key: "turn_id" | "run_id") => [...new Set(turn.events.map((event) => event[key]))];
  expect(idsOf(first, "turn_id")).toHaveLength(1);
  expect(idsOf(first, "run_id")).toHaveLength(2);
  expect(idsOf(second, "turn_id")).not.toEqual(idsOf(first, "turn_id"));
  const entries = await runtime.entries();
  expect(new Set(entries.slice(2).map(({ meta }) => meta.turn_id)).size).toBe(2);
  expect(entries.filter(({ payload }) => payload.name === "run")).toHaveLength(3);
});

test("R3.7 the default context is what follows the last anchor; a plugin's buildTapeContext takes its place", async () => {
  const model = scriptedModel([say("one"), say("two"), say("three")]);
  let own = false;
  const plugin = definePlugin({
    name: "choosing",
    buildTapeContext(entries, selection) {
      if (!own) return undefined;
      return [{ role: "user", content: `${entries.length} entries, anchor ${JSON.stringify(selection.anchor)}` }];
    },
  });
  await using runtime = await testRuntime({ model, plugins: [plugin] });
  await runtime.send("old");
  {
    await using log = await runtime.storage.tapes.open(runtime.runtime.tapeIdOf("cli:test"));
    await using tape = await Tape.open(log);
    await tape.append(anchorDrafts("phase", {}));
  }
  await runtime.send("new");
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual([expect.stringMatching(/new$/)]);
  own = true;
  await runtime.send("ours");
  expect(model.requests[2]?.messages).toEqual([
    { role: "user", content: expect.stringMatching(/^\d+ entries, anchor "last"$/) },
  ]);
});
