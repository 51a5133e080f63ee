// Messages to tasks: to one that runs, to one that waits, and to one that has ended.
import { expect, test } from "vitest";
import { after, conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import { notificationsOf, onTask, resultsOf, start } from "../../../test/support/subagent-tasks.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { calls, callTool, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

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
  expect(model.of("one more thing")[0]?.messages).toEqual([
    { role: "user", content: "child" },
    { role: "assistant", content: "first answer" },
    { role: "user", content: "one more thing" },
  ]);
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
      go: [start("learn the word", { session: "school" }), say("waiting"), say("over")],
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
