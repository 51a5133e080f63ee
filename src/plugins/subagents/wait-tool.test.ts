// Waiting for tasks: which results a call gives, and that each is read once.
import { expect, test } from "vitest";
import { conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import { notificationsOf, resultsOf, start, whenWaiting } from "../../../test/support/subagent-tasks.ts";
import type { JsonObject } from "../../base/json.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, fail, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { executeCall } from "../../tools/execute.ts";
import { turnOf } from "./parent-turn.ts";

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

test("T7.7 what wait has given is gone from the inbox, also when the run goes no further", async () => {
  const held = gate();
  const model = conversations({ go: [start("child"), callTool("subagent.wait")], child: [gated(held, "a")] });
  await using runtime = await testRuntime({ model, settings: { maxSteps: 2 } });
  const { status } = await runtime.send("go", { onEvent: whenWaiting(() => [held]) });
  expect(status).toBe("error");
  expect(await runtime.storage.inboxes.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
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
