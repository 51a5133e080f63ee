// The steps of a run: their order, what they leave on the tape, in the stream and on the bus, and what comes in between.
import { expect, test } from "vitest";
import { echo, kinds } from "../../../test/support/agent-runs.ts";
import { gate } from "../../../test/support/conversations.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { anchorDrafts } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { Tape } from "../../tape/tape.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

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

test("R3.3 calls are on the disk before a tool runs, and the answer before the run is over", async () => {
  const order: string[] = [];
  const noting = defineTool({ name: "note", description: "Note.", run: () => void order.push("tool") });
  await using runtime = await testRuntime({ model: scriptedModel([callTool("note"), say("done")]), tools: [noting] });
  const { tapes } = runtime.storage;
  const open = tapes.open.bind(tapes);
  tapes.open = async (id) => {
    const log = await open(id);
    const [append, sync] = [log.append.bind(log), log.sync.bind(log)];
    log.append = async (entries) => {
      order.push(...kinds(entries));
      await append(entries);
    };
    log.sync = async () => {
      order.push("sync");
      await sync();
    };
    return log;
  };
  runtime.runtime.events.on("run-finished", () => void order.push("over"));
  await runtime.send("go");
  expect(order.slice(order.indexOf("tool_call"))).toEqual([
    ...["tool_call", "sync", "tool", "tool_result", "event run"],
    ...["assistant", "event run", "sync", "over"],
  ]);
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
  const fastOne = gate();
  const slow = defineTool({ name: "slow", description: "Wait.", run: () => fastOne.pass().then(() => "slow") });
  const fast = defineTool({
    name: "fast",
    description: "Do not wait.",
    run: () => {
      fastOne.open();
      return "fast";
    },
  });
  const model = scriptedModel([calls(callTool("slow"), callTool("fast")), say("both")]);
  await using runtime = await testRuntime({ model, tools: [slow, fast] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ name }) => name)).toEqual(["fast", "slow"]);
  expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ content: "slow" }, { content: "fast" }]);
});

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

test("R2.7 asking again for what is still running is no repetition, whatever the model calls the tool", async () => {
  const look = defineTool({ name: "bash.output", description: "Look.", run: () => "status: running" });
  const model = scriptedModel([...Array.from({ length: 5 }, () => callTool("bash_output")), say("done")]);
  await using runtime = await testRuntime({ model, tools: [look], settings: { loopGuard: 2 } });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ status: "ok", text: "done" });
  expect(new Set(turn.toolResults.map(({ text }) => text))).toEqual(new Set(["status: running"]));
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
