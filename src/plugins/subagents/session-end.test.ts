// What becomes of tasks when their turn is cancelled, and when their session or their runtime ends.
import { expect, test } from "vitest";
import { conversations, gate, gated } from "../../../test/support/conversations.ts";
import { notificationsOf, resultsOf, start } from "../../../test/support/subagent-tasks.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, fail, say, stall } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

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
