// How each end reaches its parent exactly once, whatever happens to either.
import { expect, test } from "vitest";
import { conversations, gate, gated } from "../../../test/support/conversations.ts";
import { endsTold, start, untilRequests } from "../../../test/support/subagent-tasks.ts";
import { newTaskId } from "../../base/ids.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { TapeStorage } from "../../tape/store.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, fail, type ScriptedStep, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Outcome, ToolCall } from "../../tools/interception.ts";
import { Deliveries } from "./deliveries.ts";
import type { UnreadEnd } from "./recall.ts";

test("T7.7 a run does not end while its tasks are outstanding: it waits for each, and each is told once", async () => {
  const [one, two] = [gate(), gate()];
  const model = conversations({
    go: [calls(start("first"), start("second")), say("waiting"), say("one more"), say("over")],
    first: [gated(one, "a")],
    second: [gated(two, "b")],
  });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["step-finished", "subagent-finished"]);
  const running = runtime.send("go");
  await Promise.all([one.reached, two.reached]);
  two.open();
  await recorder.next("subagent-finished");
  await untilRequests(model, "go", 3);
  one.open();
  expect((await running).text).toBe("over");
  expect(await endsTold(runtime)).toEqual([
    ["completed", "b"],
    ["completed", "a"],
  ]);
});

test("T7.7 results that come while the run calls tools stand before its next step, together, one entry each", async () => {
  const ended = gate();
  const hold = defineTool({
    name: "hold",
    description: "Wait for the children.",
    async run() {
      await ended.pass();
      return "held";
    },
  });
  const model = conversations({
    go: [calls(start("first"), start("second"), callTool("hold")), say("over")],
    first: [say("a")],
    second: [say("b")],
  });
  await using runtime = await testRuntime({ model, tools: [hold] });
  let count = 0;
  runtime.runtime.events.on("subagent-finished", () => ++count === 2 && ended.open());
  expect((await runtime.send("go")).text).toBe("over");
  const [, second] = model.of("go");
  expect(second?.messages.slice(-2).map(({ role }) => role)).toEqual(["user", "user"]);
  expect((await endsTold(runtime)).sort()).toEqual([
    ["completed", "a"],
    ["completed", "b"],
  ]);
});

test("T7.7 steering wakes a run that waits for its tasks", async () => {
  const held = gate();
  const model = conversations({
    "how far": [say("nearly"), say("over")],
    go: [start("child"), say("waiting")],
    child: [gated(held, "a")],
  });
  await using runtime = await testRuntime({ model });
  const running = runtime.send("go");
  await held.reached;
  await untilRequests(model, "go", 2);
  await runtime.storage.inboxes.put(runtime.runtime.tapeIdOf("cli:test"), {
    kind: "steer",
    payload: { content: "how far are you?" },
    meta: {},
  });
  await untilRequests(model, "how far", 1);
  held.open();
  expect((await running).text).toBe("over");
});

test("T7.7 a task that ends after its cancelled run is told in the next turn, before the new message", async () => {
  const held = gate();
  const model = conversations({
    "go on": [say("I see")],
    go: [start("child"), say("waiting")],
    child: [gated(held, "late answer")],
  });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  const cancel = new AbortController();
  const running = runtime.send("go", { signal: cancel.signal });
  await held.reached;
  await untilRequests(model, "go", 2);
  cancel.abort();
  expect((await running).status).toBe("cancelled");
  expect(await endsTold(runtime)).toEqual([]);
  held.open();
  await recorder.next("subagent-finished");
  await runtime.send("go on");
  expect(await endsTold(runtime)).toEqual([["completed", "late answer"]]);
  const [request] = model.of("go on");
  expect(request?.messages.slice(-2)).toMatchObject([
    { content: expect.stringContaining("late answer") },
    { content: expect.stringMatching(/go on$/) },
  ]);
});

test("T7.7 a parent that fails first: its task goes on and is told in the next turn", async () => {
  const held = gate();
  const model = conversations({
    "go on": [say("I see")],
    go: [start("child"), fail(400, { message: "broken" })],
    child: [gated(held, "still here")],
  });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  expect((await runtime.send("go")).status).toBe("error");
  held.open();
  await recorder.next("subagent-finished");
  await runtime.send("go on");
  expect(await endsTold(runtime)).toEqual([["completed", "still here"]]);
});

test("T7.7 a run that reaches its step limit leaves its tasks to the next turn", async () => {
  const held = gate();
  const model = conversations({
    "go on": [say("I see")],
    go: [start("child"), say("waiting")],
    child: [gated(held, "late")],
  });
  await using runtime = await testRuntime({ model, settings: { maxSteps: 1 } });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  expect((await runtime.send("go")).errors[0]).toMatch(/BUB_MAX_STEPS/);
  held.open();
  await recorder.next("subagent-finished");
  await runtime.send("go on");
  expect(await endsTold(runtime)).toEqual([["completed", "late"]]);
});

test("T7.7 across a restart: what ended with the first runtime is told once by the second", async () => {
  const storage = createMemoryStorage();
  const held = gate();
  const first = conversations({
    go: [calls(start("quick"), start("slow")), fail(400, { message: "broken" })],
    quick: [say("ended in time")],
    slow: [gated(held, "never", "so far")],
  });
  {
    await using runtime = await testRuntime({ model: first, storage });
    const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
    await runtime.send("go");
    await Promise.all([held.reached, recorder.next("subagent-finished")]);
  }
  const second = conversations({ "go on": [say("I see"), say("again")] });
  await using runtime = await testRuntime({ model: second, storage });
  await runtime.send("go on");
  await runtime.send("go on");
  expect(await endsTold(runtime)).toEqual([
    ["completed", "ended in time"],
    ["cancelled", "so far"],
  ]);
  expect(await storage.tasks.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});

test("T7.7 a task whose process died is told once as failed: interrupted by a restart", async () => {
  const storage = createMemoryStorage();
  const model = conversations({ "go on": [say("I see"), say("again")] });
  await using runtime = await testRuntime({ model, storage });
  const tape = runtime.runtime.tapeIdOf("cli:test");
  const dead = { owner: "tasks__0123456789abcdef", session_id: "temp/sub-00000001" };
  await storage.tasks.put(tape, "sub-00000001" as never, dead);
  await storage.tasks.put(tape, "sub-00000002" as never, {});
  await runtime.send("go on");
  await runtime.send("go on");
  expect(await endsTold(runtime)).toEqual([
    ["failed", "[Error: interrupted by a restart]"],
    ["failed", "[Error: interrupted by a restart]"],
  ]);
});

test("T7.7 a task of another living runtime is left to it", async () => {
  const storage = createMemoryStorage();
  const held = gate();
  const model = conversations({
    "go on": [say("I see"), say("told")],
    go: [start("child"), say("waiting")],
    child: [gated(held, "by the first")],
  });
  await using first = await testRuntime({ model, storage });
  const recorder = recordEvents(first.runtime.events, ["subagent-finished"]);
  const cancel = new AbortController();
  const running = first.send("go", { signal: cancel.signal });
  await held.reached;
  cancel.abort();
  await running;
  await using second = await testRuntime({ model, storage });
  await second.send("go on");
  expect(await endsTold(second)).toEqual([]);
  held.open();
  await recorder.next("subagent-finished");
  await second.send("go on");
  expect(await endsTold(second)).toEqual([["completed", "by the first"]]);
});

test("T7.7 an item that stands on the tape already is not told again after a crash", async () => {
  const storage = createMemoryStorage();
  const keeping: TapeStorage = { ...storage, inboxes: withoutRemoval(storage.inboxes) };
  const steps: ScriptedStep[] = [start("child"), say("waiting"), say("over")];
  {
    const model = conversations({ go: steps, child: [say("answer")] });
    await using runtime = await testRuntime({ model, storage: keeping });
    await runtime.send("go");
  }
  const model = conversations({ "go on": [callTool("subagent.wait"), say("over")] });
  await using runtime = await testRuntime({ model, storage });
  expect((await runtime.send(",subagent.wait timeout_seconds=0")).text).toBe('{"tasks":[]}');
  const { toolResults } = await runtime.send("go on");
  expect(toolResults[0]?.value).toEqual({ tasks: [] });
  expect(await endsTold(runtime)).toEqual([["completed", "answer"]]);
  expect(await storage.inboxes.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});

/** As if the process died each time before it could delete an item. */
function withoutRemoval(inboxes: TapeStorage["inboxes"]): TapeStorage["inboxes"] {
  return {
    put: (tape, item) => inboxes.put(tape, item),
    list: (tape) => inboxes.list(tape),
    watch: (tape, changed) => inboxes.watch(tape, changed),
    remove: async () => undefined,
  };
}

test("T7.7 an end that cannot be written down is told all the same, and the parent does not hang", async () => {
  const storage = createMemoryStorage();
  const { tasks } = storage;
  const failing: TapeStorage = {
    ...storage,
    tasks: {
      put: (tape, id, data) => tasks.put(tape, id, data),
      list: (tape) => tasks.list(tape),
      remove: (tape, id) => tasks.remove(tape, id),
      finish: () => Promise.reject(new Error("the disk is full")),
    },
  };
  const model = conversations({ go: [start("child"), say("waiting"), say("over")], child: [say("answer")] });
  await using runtime = await testRuntime({ model, storage: failing });
  expect((await runtime.send("go")).text).toBe("over");
  expect(await endsTold(runtime)).toEqual([["completed", "answer"]]);
  expect(runtime.log.join("\n")).toContain("the end of a task could not be written down");
});

const turn = { turnId: "turn-1" } as Turn;
const taskId = newTaskId();
const end = { value: { task_id: taskId }, item: { id: "item-1" } } as unknown as UnreadEnd;
const callOf = (id: string, name: string, origin: "model" | "code") =>
  ({ id, name, origin, turn }) as unknown as ToolCall;
const fine: Outcome = { ok: true, value: "" };

test("T7.7 what a call has given stays given while its result is being written down", () => {
  const deliveries = new Deliveries();
  deliveries.show([end], { turn, callId: "call_1", origin: "model" });
  expect(deliveries.isShown(taskId, turn)).toBe(true);
  const settled = deliveries.settle(fine, callOf("call_1", "subagent.wait", "model"));
  expect(settled).toMatchObject({ meta: { tasks: [taskId], inbox: ["item-1"] } });
  expect(deliveries.isShown(taskId, turn)).toBe(true);
  deliveries.forget(turn);
  expect(deliveries.isShown(taskId, turn)).toBe(false);
});

test("T7.7 a call of code that ends later than the code has given nothing", () => {
  const deliveries = new Deliveries();
  deliveries.show([end], { turn, callId: "nested_1", origin: "code" });
  expect(deliveries.settle(fine, callOf("call_1", "run_code", "model"))).toBeUndefined();
  expect(deliveries.isShown(taskId, turn)).toBe(false);
  expect(deliveries.settle(fine, callOf("nested_1", "subagent.wait", "code"))).toBeUndefined();
});
