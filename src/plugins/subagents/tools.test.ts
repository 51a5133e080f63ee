// Waiting for tasks, steering and cancelling them, and what becomes of them when their session or runtime ends.
import { expect, test } from "vitest";
import { after, conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import type { StreamEvent } from "../../base/events.ts";
import type { JsonObject } from "../../base/json.ts";
import { Gateway } from "../../kernel/gateway.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, fail, type ScriptedStep, say, stall } from "../../testing/scripted-model.ts";
import { type TestRuntime, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { executeCall } from "../../tools/execute.ts";
import { turnOf } from "./parent-turn.ts";

const start = (prompt: string, session?: string) =>
  callTool("subagent", { prompt, ...(session !== undefined && { session }) });

/** A call of a tool on the first task that the conversation knows. */
const onTask =
  (name: string, more: Record<string, string | number> = {}): ScriptedStep =>
  (request) => {
    const [taskId = ""] = taskIdsIn(request);
    return callTool(name, name === "subagent.wait" ? { task_ids: [taskId], ...more } : { task_id: taskId, ...more });
  };

async function notificationsOf(runtime: TestRuntime): Promise<string[]> {
  const entries = await runtime.entries();
  return entries.flatMap(({ kind, payload, meta }) =>
    kind === "message" && meta.tasks !== undefined ? [String(payload.content)] : [],
  );
}

const resultsOf = (events: readonly StreamEvent[], name: string) =>
  events.flatMap((event) => (event.type === "tool-result" && event.name === name ? [event] : []));

/** Opens gates when the model waits: a result that comes earlier would be told by a message. */
function whenWaiting(gates: () => readonly ReturnType<typeof gate>[]): (event: StreamEvent) => void {
  return (event) => {
    if (event.type === "tool-call" && event.name === "subagent_wait") for (const each of gates()) each.open();
  };
}

test("T7.9 T0.10 wait gives results as soon as all have ended, and they come in no message", async () => {
  const [one, two] = [gate(), gate()];
  const model = conversations({
    go: [calls(start("first"), start("second")), callTool("subagent.wait"), say("over")],
    first: [gated(one, "a")],
    second: [gated(two, "b")],
  });
  await using runtime = await testRuntime({ model });
  const { events, text } = await runtime.send("go", { onEvent: whenWaiting(() => [one, two]) });
  expect(text).toBe("over");
  const [result] = resultsOf(events, "subagent_wait");
  expect(result?.value).toEqual({
    tasks: [
      { task_id: expect.any(String), session_id: expect.any(String), status: "completed", output: "a", errors: [] },
      { task_id: expect.any(String), session_id: expect.any(String), status: "completed", output: "b", errors: [] },
    ],
  });
  expect(await notificationsOf(runtime)).toEqual([]);
  const entry = (await runtime.entries()).find(({ meta }) => Array.isArray(meta.tasks));
  expect(entry?.kind).toBe("tool_result");
  expect(entry?.meta.tasks).toEqual(taskIdsIn(model.of("go")[1] ?? { messages: [] }));
});

test("T7.9 wait with 0 only looks", async () => {
  const held = gate();
  const model = conversations({
    go: [start("child"), callTool("subagent.wait", { timeout_seconds: 0 }), say("waiting"), say("over")],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  const { events } = await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_wait" && held.open(),
  });
  expect(resultsOf(events, "subagent_wait")[0]?.value).toMatchObject({ tasks: [{ status: "running", output: "" }] });
  expect(await notificationsOf(runtime)).toHaveLength(1);
});

test("T7.9 wait gives those that are still running with their status when the time is over", async () => {
  const [soon, late] = [gate(), gate()];
  const model = conversations({
    go: [
      calls(start("first"), start("second"), start("third")),
      callTool("subagent.wait", { timeout_seconds: 1 }),
      say("waiting"),
      say("over"),
    ],
    first: [gated(soon, "a")],
    second: [gated(late, "b")],
    third: [gated(soon, "c")],
  });
  await using runtime = await testRuntime({ model });
  const { events } = await runtime.send("go", {
    onEvent(event) {
      if (event.type === "tool-call" && event.name === "subagent_wait") soon.open();
      if (event.type === "tool-result" && event.name === "subagent_wait") late.open();
    },
  });
  const value = resultsOf(events, "subagent_wait")[0]?.value as { tasks: { status: string; output: string }[] };
  expect(value.tasks.map(({ status, output }) => [status, output]).sort()).toEqual([
    ["completed", "a"],
    ["completed", "c"],
    ["running", ""],
  ]);
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\nb\n")]);
});

test("T7.9 wait with ids gives those, read or not, in that order and once each", async () => {
  const held = gate();
  const model = conversations({
    go: [
      calls(start("first"), start("second")),
      (request) => {
        const [one = "", two = ""] = taskIdsIn(request);
        return callTool("subagent.wait", { task_ids: [two, one, ` ${two} `] });
      },
      (request) => callTool("subagent.wait", { task_ids: [...taskIdsIn(request)] }),
      callTool("subagent.wait"),
      say("over"),
    ],
    first: [gated(held, "a")],
    second: [gated(held, "b")],
  });
  await using runtime = await testRuntime({ model });
  const { events } = await runtime.send("go", { onEvent: whenWaiting(() => [held]) });
  const outputs = resultsOf(events, "subagent_wait").map(({ value }) =>
    (value as { tasks: { output: string }[] }).tasks.map(({ output }) => output),
  );
  expect(outputs).toEqual([["b", "a"], ["a", "b"], []]);
  expect(await notificationsOf(runtime)).toEqual([]);
});

test("T7.7 two calls of wait in one step give each result once", async () => {
  const held = gate();
  const model = conversations({
    go: [start("child"), calls(callTool("subagent.wait"), callTool("subagent.wait")), say("over")],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  const { events } = await runtime.send("go", { onEvent: whenWaiting(() => [held]) });
  const read = resultsOf(events, "subagent_wait").map(({ value }) => (value as { tasks: unknown[] }).tasks.length);
  expect(read.sort()).toEqual([0, 1]);
  const told = (await runtime.entries()).filter(({ meta }) => Array.isArray(meta.tasks));
  expect(told).toHaveLength(1);
});

test("T7.7 a call of wait that a plugin turns into a failure has read nothing", async () => {
  const model = conversations({
    go: [start("child"), callTool("subagent.wait"), say("waiting"), say("over")],
    child: [say("answer")],
  });
  const failing = {
    name: "failing",
    afterToolCall: (_outcome: unknown, call: { name: string }) =>
      call.name === "subagent.wait"
        ? ({ ok: false, error: { kind: "tool", message: "not today" } } as const)
        : undefined,
  };
  await using runtime = await testRuntime({ model, plugins: [failing as never] });
  await runtime.send("go");
  expect(await notificationsOf(runtime)).toHaveLength(1);
});

/** Stands for the real one: it calls other tools as code does. */
const runCode = defineTool({
  name: "run_code",
  description: "Call tools.",
  exposure: "direct",
  input: { type: "object", properties: { names: { type: "array" }, prompt: {}, fails: { type: "boolean" } } },
  async run({ names, prompt, fails }, context) {
    const values: unknown[] = [];
    for (const name of names as string[]) {
      const call = { id: `nested_${values.length}`, name, arguments: name === "subagent" ? { prompt } : {} };
      const nested = { ...context, origin: "code" } as const;
      values.push((await executeCall(call, nested, hookInterception(turnOf(context)))).value);
    }
    if (fails === true) throw new Error("the code failed after it");
    return values;
  },
});

test("T7.7 what code has waited for counts as read only when the code's own result is on the tape", async () => {
  const code = (names: string[], more: JsonObject = {}) => callTool("run_code", { names, ...more });
  const model = conversations({
    "go wrong": [
      code(["subagent", "subagent_wait"], { prompt: "child one", fails: true }),
      say("waiting"),
      say("over"),
    ],
    "go right": [
      code(["subagent", "subagent_wait"], { prompt: "child two" }),
      code(["subagent_wait"]),
      code(["subagent", "subagent_wait", "subagent_wait"], { prompt: "child two" }),
      say("over"),
    ],
    "child one": [say("a")],
    "child two": [say("b"), say("c")],
  });
  await using runtime = await testRuntime({ model, tools: [runCode] });
  await runtime.send(",code_mode enable=true");
  await runtime.send("go wrong");
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\na\n")]);
  const { toolResults, text } = await runtime.send("go right");
  expect(text).toBe("over");
  const read = toolResults.map(({ value }) => (value as { tasks?: { output: string }[] }[]).map(({ tasks }) => tasks));
  expect(read).toMatchObject([[undefined, [{ output: "b" }]], [[]], [undefined, [{ output: "c" }], []]]);
  expect(await notificationsOf(runtime)).toHaveLength(1);
  const entries = (await runtime.entries()).filter(({ kind, meta }) => kind === "tool_result" && meta.tasks);
  expect(entries.map(({ meta }) => (meta.tasks as string[]).length)).toEqual([1, 1]);
});

test("T7.9 a person's wait shows results and reads none", async () => {
  const held = gate();
  const model = conversations({
    "go on": [say("told")],
    go: [start("child"), fail(400, { message: "broken" })],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  await runtime.send("go");
  held.open();
  await recorder.next("subagent-finished");
  const shown = await runtime.send(",subagent.wait timeout_seconds=0");
  expect(JSON.parse(shown.text)).toMatchObject({ tasks: [{ status: "completed", output: "answer" }] });
  expect(await notificationsOf(runtime)).toEqual([]);
  await runtime.send("go on");
  expect(await notificationsOf(runtime)).toHaveLength(1);
});

test("T10.6 subagent.wait and subagent.cancel act at once during a run", async () => {
  const held = gate();
  const model = conversations({
    go: [start("child"), say("waiting"), say("over")],
    child: [gated(held, "never", "so far")],
  });
  await using runtime = await testRuntime({ model });
  const gateway = new Gateway(runtime.runtime, { signal: new AbortController().signal, show });
  const finals: string[] = [];
  function show(event: StreamEvent): void {
    if (event.type === "final") finals.push(event.text);
  }
  const inbound = { channel: "cli", chatId: "test", commands: true };
  const running = gateway.receive({ ...inbound, content: "go" });
  await held.reached;
  await gateway.receive({ ...inbound, content: ",subagent.wait timeout_seconds=0" });
  const [shown = ""] = finals;
  const [task] = JSON.parse(shown).tasks;
  expect(task.status).toBe("running");
  await gateway.receive({ ...inbound, content: `,subagent.cancel ${task.task_id}` });
  expect(JSON.parse(finals[1] ?? "")).toMatchObject({ status: "cancelled", output: "so far" });
  await running;
  expect(finals[2]).toBe("over");
});

test("T7.9 R1.8 send: a running child reads it before its next step", async () => {
  const sent = gate();
  const hold = defineTool({
    name: "hold",
    description: "Wait.",
    async run() {
      await sent.pass();
      return "held";
    },
  });
  const model = conversations({
    go: [
      start("child"),
      after(sent.reached, onTask("subagent.send", { message: "mind the gap" })),
      say("waiting"),
      say("over"),
    ],
    "mind the gap": [say("minded")],
    child: [callTool("hold")],
  });
  await using runtime = await testRuntime({ model, tools: [hold] });
  const { events } = await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_send" && sent.open(),
  });
  expect(resultsOf(events, "subagent_send")[0]?.value).toMatchObject({ status: "running", output: "" });
  const [request] = model.of("mind the gap");
  expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\nminded\n")]);
});

test("T7.9 send: what is said during the child's last step is answered by one more", async () => {
  const held = gate();
  const model = conversations({
    go: [
      start("child"),
      after(held.reached, onTask("subagent.send", { message: "one more thing" })),
      say("waiting"),
      say("over"),
    ],
    "one more thing": [say("that too")],
    child: [gated(held, "first answer")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_send" && held.open(),
  });
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\nthat too\n")]);
});

test("T7.9 send: a queued child reads it after its prompt, in its first step", async () => {
  const held = gate();
  const model = conversations({
    go: [
      calls(start("first"), start("second")),
      (request) => callTool("subagent.send", { task_id: taskIdsIn(request)[1] ?? "", message: "and this" }),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    "and this": [say("both done")],
    first: [gated(held, "a")],
  });
  await using runtime = await testRuntime({ model, settings: { subagentMaxConcurrency: 1 } });
  const { events } = await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_send" && held.open(),
  });
  expect(resultsOf(events, "subagent_send")[0]?.value).toMatchObject({ status: "queued" });
  expect(model.of("and this")[0]?.messages).toEqual([
    { role: "user", content: "second" },
    { role: "user", content: "and this" },
  ]);
});

test("T7.9 send: a task that has ended in a kept session goes on as a new one, with the tools of the run now", async () => {
  const model = conversations({
    "go once": [
      callTool("subagent", { prompt: "learn the word", session: "school", allowed_tools: ["fs.read", "fs.write"] }),
      say("waiting"),
      say("over"),
    ],
    "go twice": [onTask("subagent.send", { message: "say the word" }), say("waiting"), say("over")],
    "learn the word": [say("learned")],
    "say the word": [say("orchid")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go once");
  const { events } = await runtime.send("go twice", { allowedTools: ["subagent.send", "fs.read", "bash"] });
  const value = resultsOf(events, "subagent_send")[0]?.value as { task_id: string };
  expect(value).toMatchObject({ session_id: "school", status: "running" });
  const [request] = model.of("say the word");
  expect(request?.messages.map(({ content }) => content)).toEqual(["learn the word", "learned", "say the word"]);
  expect(request?.tools.map(({ name }) => name)).toEqual(["fs_read"]);
  expect(await notificationsOf(runtime)).toEqual([
    expect.stringContaining("\nlearned\n"),
    expect.stringMatching(new RegExp(`task_id="${value.task_id}".*\norchid\n`)),
  ]);
});

test("T7.9 send: after a restart the event subagent.task says which session goes on", async () => {
  const storage = createMemoryStorage();
  {
    const model = conversations({
      go: [start("learn the word", "school"), say("waiting"), say("over")],
      "learn the word": [say("learned")],
    });
    await using runtime = await testRuntime({ model, storage });
    await runtime.send("go");
    const events = (await runtime.entries()).filter(({ payload }) => payload.name === "subagent.task");
    expect(events).toMatchObject([
      { kind: "event", payload: { data: { task_id: expect.stringMatching(/^sub-/), session_id: "school" } } },
    ]);
  }
  const model = conversations({
    again: [onTask("subagent.send", { message: "say the word" }), say("waiting"), say("over")],
    "say the word": [say("orchid")],
  });
  await using runtime = await testRuntime({ model, storage });
  await runtime.send("again");
  expect((await notificationsOf(runtime)).at(-1)).toContain("\norchid\n");
});

test("T7.9 send: ended temp tasks cannot be continued, ended ones of another runtime neither", async () => {
  const storage = createMemoryStorage();
  const model = conversations({
    again: [onTask("subagent.send", { message: "more" }), say("over")],
    go: [start("child"), say("waiting"), onTask("subagent.send", { message: "more" }), say("over")],
    child: [say("answer")],
  });
  const refusal = /^\[invalid_input\] task 'sub-[0-9a-f]{8}' has ended and its session was discarded/;
  {
    await using runtime = await testRuntime({ model, storage });
    const { events } = await runtime.send("go");
    expect(resultsOf(events, "subagent_send")[0]?.text).toMatch(refusal);
  }
  await using runtime = await testRuntime({ model, storage });
  const { events } = await runtime.send("again");
  expect(resultsOf(events, "subagent_send")[0]?.text).toMatch(refusal);
});

test("T7.9 after a restart an ended task is still known by its id, with what it said", async () => {
  const storage = createMemoryStorage();
  const model = conversations({
    again: [
      (request) => callTool("subagent.wait", { task_ids: [...taskIdsIn(request)] }),
      onTask("subagent.cancel"),
      say("over"),
    ],
    go: [start("by message"), say("waiting"), start("by waiting"), callTool("subagent.wait"), say("over")],
    "by message": [say("a")],
    "by waiting": [say("b")],
  });
  {
    await using runtime = await testRuntime({ model, storage });
    await runtime.send("go");
  }
  await using runtime = await testRuntime({ model, storage });
  const { events } = await runtime.send("again");
  expect(resultsOf(events, "subagent_wait")[0]?.value).toMatchObject({
    tasks: [
      { status: "completed", output: "a" },
      { status: "completed", output: "b" },
    ],
  });
  expect(resultsOf(events, "subagent_cancel")[0]?.value).toMatchObject({ status: "completed", output: "a" });
});

test("T7.7 T7.9 cancel returns at the task's end, within a second, keeps what was said, and the message follows", async () => {
  const held = gate();
  const model = conversations({
    go: [
      start("child"),
      after(held.reached, onTask("subagent.cancel")),
      onTask("subagent.cancel"),
      say("waiting"),
      say("over"),
    ],
    child: [gated(held, "never", "half an")],
  });
  await using runtime = await testRuntime({ model });
  const { events } = await runtime.send("go");
  const results = resultsOf(events, "subagent_cancel");
  expect(results.map(({ value }) => value)).toMatchObject([
    { status: "cancelled", output: "half an", errors: [] },
    { status: "cancelled", output: "half an", errors: [] },
  ]);
  expect(results[0]?.elapsed_ms).toBeLessThan(1000);
  expect(await notificationsOf(runtime)).toEqual([expect.stringMatching(/status="cancelled">\nhalf an\n/)]);
});

test("T7.9 a queued task is cancelled before it starts", async () => {
  const held = gate();
  const model = conversations({
    go: [
      calls(start("first"), start("second")),
      (request) => callTool("subagent.cancel", { task_id: taskIdsIn(request)[1] ?? "" }),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    first: [gated(held, "a")],
  });
  await using runtime = await testRuntime({ model, settings: { subagentMaxConcurrency: 1 } });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-started"]);
  await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_cancel" && held.open(),
  });
  expect(recorder.names).toHaveLength(1);
  expect((await notificationsOf(runtime)).sort()).toEqual([
    expect.stringMatching(/status="(cancelled|completed)"/),
    expect.stringMatching(/status="(cancelled|completed)"/),
  ]);
});

test("T7.9 an id that is unknown, or another session's, is not found", async () => {
  const held = gate();
  const model = conversations({
    other: [
      callTool("subagent.wait", { task_ids: ["sub-00000000"] }),
      () => callTool("subagent.send", { task_id: theirs, message: "x" }),
      () => callTool("subagent.cancel", { task_id: theirs }),
      say("over"),
    ],
    go: [start("child"), say("waiting"), say("over")],
    child: [gated(held, "answer")],
  });
  let theirs = "";
  await using runtime = await testRuntime({ model });
  const running = runtime.send("go");
  await held.reached;
  [theirs = ""] = taskIdsIn(model.of("go")[1] ?? { messages: [] });
  const { toolResults } = await runtime.send("other", { sessionId: "another" });
  expect(toolResults.map(({ text }) => text)).toEqual([
    "[not_found] unknown task id: sub-00000000",
    `[not_found] unknown task id: ${theirs}`,
    `[not_found] unknown task id: ${theirs}`,
  ]);
  held.open();
  await running;
});

test("T7.10 T10.5 ,quit cancels running and queued tasks within a second and forgets their results", async () => {
  const model = conversations({
    "go on": [callTool("subagent.wait"), say("nothing")],
    go: [calls(start("first"), start("second")), say("waiting")],
    first: [stall("half")],
  });
  await using runtime = await testRuntime({ model, settings: { subagentMaxConcurrency: 1 } });
  const recorder = recordEvents(runtime.runtime.events, ["step-finished", "subagent-finished"]);
  const running = runtime.send("go");
  await recorder.next("step-finished");
  const before = performance.now();
  await runtime.runtime.quit("cli:test");
  expect(performance.now() - before).toBeLessThan(1000);
  expect((await running).status).toBe("cancelled");
  const finished = recorder.events.filter(({ name }) => name === "subagent-finished");
  expect(finished.map(({ event }) => (event as { task: { status: string } }).task.status)).toEqual([
    "cancelled",
    "cancelled",
  ]);
  const { toolResults } = await runtime.send("go on");
  expect(toolResults[0]?.value).toEqual({ tasks: [] });
  expect(await notificationsOf(runtime)).toEqual([]);
  expect(await runtime.storage.tasks.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});

test("T7.10 a temporary session's tasks are cancelled when it is quit, like any other's", async () => {
  const held = gate();
  const model = conversations({ go: [start("child"), say("waiting")], child: [gated(held, "never")] });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  const running = runtime.send("go", { sessionId: "temp/mine" });
  await held.reached;
  await runtime.runtime.quit("temp/mine");
  expect((await recorder.next("subagent-finished")).task.status).toBe("cancelled");
  expect((await running).status).toBe("cancelled");
});

test("T7.10 the end of the runtime cancels running and queued tasks within a second", async () => {
  const model = conversations({
    go: [calls(start("first"), start("second")), fail(400, { message: "broken" })],
    first: [stall("half")],
  });
  const storage = createMemoryStorage();
  const runtime = await testRuntime({ model, storage, settings: { subagentMaxConcurrency: 1 } });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-started", "subagent-finished"]);
  await runtime.send("go");
  const before = performance.now();
  await runtime[Symbol.asyncDispose]();
  expect(performance.now() - before).toBeLessThan(1000);
  expect(recorder.names).toEqual(["subagent-started", "subagent-finished", "subagent-finished"]);
  const items = await storage.inboxes.list(runtime.runtime.tapeIdOf("cli:test"));
  expect(items.map(({ data }) => data?.status)).toEqual(["cancelled", "cancelled"]);
});

test("T7.10 R1.7 cancelling a turn leaves its tasks running", async () => {
  const held = gate();
  const model = conversations({
    "go on": [callTool("subagent.wait"), say("over")],
    go: [start("child"), say("waiting")],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  const cancel = new AbortController();
  const running = runtime.send("go", { signal: cancel.signal });
  await held.reached;
  cancel.abort();
  expect((await running).status).toBe("cancelled");
  const later = runtime.send("go on", { onEvent: (event) => event.type === "tool-call" && held.open() });
  expect(resultsOf((await later).events, "subagent_wait")[0]?.value).toMatchObject({
    tasks: [{ status: "completed", output: "answer" }],
  });
});

test("T7.2 children have no tools for subagents, and cannot start any", async () => {
  const model = conversations({
    go: [start("child"), say("waiting"), say("over")],
    child: [callTool("subagent", { prompt: "grandchild" }), say("I cannot")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  const [first, second] = model.of("child");
  expect(first?.tools.filter(({ name }) => name.startsWith("subagent"))).toEqual([]);
  expect(JSON.stringify(second?.messages.at(-1))).toContain("Unknown tool 'subagent'");
});
