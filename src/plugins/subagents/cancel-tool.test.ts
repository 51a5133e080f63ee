// Tasks that somebody ends, and which tasks an id finds.
import { expect, test } from "vitest";
import { after, conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import { notificationsOf, onTask, resultsOf, start } from "../../../test/support/subagent-tasks.ts";
import type { StreamEvent } from "../../base/events.ts";
import { Gateway } from "../../kernel/gateway.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

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
