// What observers and the starting run's own channel are told of tasks.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { after, conversations, gate, gated } from "../../../test/support/conversations.ts";
import { start } from "../../../test/support/subagent-tasks.ts";
import type { BusEvents, SubagentTask } from "../../base/events.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { callTool, fail, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

const names = ["subagent-started", "subagent-output", "subagent-finished"] as const;

test("T7.11 R2.3 a task is told as started, by each event of its child, and as finished, with the starting run's state", async () => {
  const state = { slot: "mine" };
  const slots = definePlugin({ name: "slots", loadState: (turn) => (turn.isChild ? {} : (state as object)) });
  const model = conversations({
    go: [start("child"), say("waiting"), say("over")],
    child: [
      callTool("tape.info", {}, { usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } }),
      say("answer", { usage: { input_tokens: 20, output_tokens: 3, total_tokens: 23 } }),
    ],
  });
  await using runtime = await testRuntime({ model, plugins: [slots] });
  const recorder = recordEvents(runtime.runtime.events, names);
  await runtime.send("go");
  const events = recorder.events.map(({ name, event }) => ({ name, ...(event as BusEvents["subagent-output"]) }));
  expect(events.map(({ name, event }) => event?.type ?? name)).toEqual([
    "subagent-started",
    "usage",
    "tool-call",
    "tool-result",
    "step-finished",
    "text-delta",
    "usage",
    "step-finished",
    "final",
    "subagent-finished",
  ]);
  for (const { state: seen } of events) expect(seen).toMatchObject(state);
  const [first] = events;
  const last = events.at(-1);
  expect(first?.task).toMatchObject({ status: "running", output: "", steps: 0, finished_at: null });
  const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(last?.task).toEqual({
    task_id: expect.stringMatching(/^sub-[0-9a-f]{8}$/),
    session_id: `temp/${last?.task.task_id}`,
    parent_session_id: "cli:test",
    parent_call_id: "call_1",
    description: "child",
    model: "scripted:test",
    profile: null,
    status: "completed",
    output: "answer",
    errors: [],
    usage: { input_tokens: 30, output_tokens: 5, total_tokens: 35 },
    steps: 2,
    tool_calls: 1,
    created_at: date,
    started_at: date,
    finished_at: date,
  } satisfies SubagentTask);
});

test("R2.2 the starting run's own stream carries the same events, while it is on", async () => {
  const held = gate();
  const model = conversations({
    go: [start("child"), say("waiting"), say("over")],
    child: [gated(held, " part", "one")],
  });
  await using runtime = await testRuntime({ model });
  const running = runtime.send("go", {
    onEvent: (event) => event.type === "step-finished" && held.open(),
  });
  const { events } = await running;
  const told = events.filter(({ type }) => type.startsWith("subagent-"));
  expect(told.map((event) => (event.type === "subagent-output" ? event.event.type : event.type))).toEqual([
    "subagent-started",
    "text-delta",
    "text-delta",
    "step-finished",
    "final",
    "subagent-finished",
  ]);
  const [{ turn_id: turnId } = { turn_id: "" }] = events;
  for (const event of told) expect(event).toMatchObject({ turn_id: turnId, session_id: "cli:test" });
  expect(told.at(-1)).toMatchObject({ task: { status: "completed", output: "one part" } });
  expect(events.at(-1)?.type).toBe("final");
  expect(events.filter(({ type }) => type === "final")).toHaveLength(1);
});

test("T7.11 a handler that fails is logged, and the child goes on", async () => {
  const model = conversations({ go: [start("child"), say("waiting"), say("over")], child: [say("answer")] });
  await using runtime = await testRuntime({ model });
  for (const name of names) {
    runtime.runtime.events.on(name, () => {
      throw new Error(`no ${name}`);
    });
  }
  expect((await runtime.send("go")).text).toBe("over");
  for (const name of names) expect(runtime.log.join("\n")).toContain(`no ${name}`);
});

test("R2.3 run-finished adds up the tokens of the children that ended during the run", async () => {
  const usage = (total: number) => ({ usage: { input_tokens: total - 1, output_tokens: 1, total_tokens: total } });
  const model = conversations({
    go: [start("first"), callTool("subagent.wait"), start("second"), callTool("subagent.wait"), say("over", usage(5))],
    first: [say("a", usage(10))],
    second: [callTool("tape.info", {}, usage(20)), say("b", usage(40))],
  });
  await using runtime = await testRuntime({ model });
  const finished: BusEvents["run-finished"][] = [];
  runtime.runtime.events.on("run-finished", (event) => finished.push(event));
  await runtime.send("go");
  const parent = finished.find(({ sessionId }) => sessionId === "cli:test");
  expect(parent?.usage).toEqual({ input_tokens: 4, output_tokens: 1, total_tokens: 5 });
  expect(parent?.childUsage).toEqual({ input_tokens: 67, output_tokens: 3, total_tokens: 70 });
  const children = finished.filter(({ sessionId }) => sessionId.startsWith("temp/"));
  expect(children.map(({ usage: own }) => own.total_tokens).sort()).toEqual([10, 60]);
  expect(children.map(({ childUsage }) => childUsage)).toEqual([{}, {}]);
});

test("R2.1 a run that waits for its tasks is woken, and sets no timer meanwhile", async () => {
  const held = gate();
  const waiting = gate();
  const model = conversations({
    go: [start("child"), after(held.reached, say("waiting")), say("over")],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  runtime.runtime.events.on("step-finished", ({ sessionId, step }) => {
    if (sessionId === "cli:test" && step === 2) void waiting.pass();
  });
  const running = runtime.send("go");
  await waiting.reached;
  const timers = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "setInterval")];
  for (let count = 0; count < 50; count++) await new Promise((resolve) => setImmediate(resolve));
  for (const timer of timers) expect(timer).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  held.open();
  expect((await running).text).toBe("over");
});

test("R2.1 nothing here polls: time-limit.ts has the only timers, for time-outs", () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const sources = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  expect(sources.length).toBeGreaterThan(10);
  const timing = sources.filter((name) =>
    /\b(setTimeout|setInterval|setImmediate|delay|timers|AbortSignal\.timeout)\b/.test(
      readFileSync(`${folder}/${name}`, "utf8"),
    ),
  );
  expect(timing).toEqual(["time-limit.ts"]);
  expect(readFileSync(`${folder}/time-limit.ts`, "utf8")).not.toMatch(/setInterval/);
});

test("T7.11 a task that fails to start its session's turn is told as failed", async () => {
  const model = conversations({ go: [start("child"), say("waiting"), say("over")], child: [fail(400)] });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  await runtime.send("go");
  const { task } = await recorder.next("subagent-finished");
  expect(task).toMatchObject({ status: "failed", errors: [expect.any(String)] });
});
