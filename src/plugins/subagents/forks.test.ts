// Children that begin as a copy of their parent's conversation.
import { expect, test } from "vitest";
import { after, conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import { notificationsOf } from "../../../test/support/subagent-tasks.ts";
import type { ModelRequest } from "../../model/model.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { recordEvents } from "../../testing/recorder.ts";
import { calls, callTool, fail, type ScriptedStep, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const fork = (prompt: string, more: Record<string, string> = {}, session = "fork") =>
  callTool("subagent", { prompt, session, ...more });

const sendOn =
  (message: string): ScriptedStep =>
  (request) => {
    const [taskId = ""] = taskIdsIn(request);
    return callTool("subagent.send", { task_id: taskId, message });
  };

const textsOf = ({ messages }: Pick<ModelRequest, "messages">) => messages.map(({ content }) => String(content ?? ""));

test.each(["fork", "inherit"])(
  "T7.3 %s begins with the conversation and the turn so far, up to the running call",
  async (session) => {
    const model = conversations({
      "first thing": [say("done first")],
      "second thing": [
        callTool("tape.info", {}, { text: "I look." }),
        calls(fork("the child's part", {}, session), say("Now I split.")),
        say("waiting"),
        say("over"),
      ],
      "the child's part": [say("the part")],
    });
    await using runtime = await testRuntime({ model });
    await runtime.send("first thing");
    await runtime.send("second thing");
    const [request] = model.of("the child's part");
    expect(request?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const texts = textsOf(request ?? { messages: [] });
    expect(texts[0]).toMatch(/first thing$/);
    expect(texts.slice(1, 4)).toEqual(["done first", "second thing", "I look."]);
    expect(texts[5]).toBe("Now I split.");
    expect(request?.messages[5]).not.toHaveProperty("calls");
    expect(texts[6]).toMatch(/^You are a subagent now[\s\S]*\n\nthe child's part$/);
    // What it repeats of its parent's last request stays in the provider's cache.
    const parents = model.of("second thing")[1]?.messages ?? [];
    expect(request?.messages.slice(0, parents.length)).toEqual(parents);
    expect(request?.system).toBe(model.of("second thing")[1]?.system);
    expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\nthe part\n")]);
  },
);

test("T7.3 what the parent records later is invisible, queued or not, after a reset too", async () => {
  const held = gate();
  const model = conversations({
    go: [
      calls(callTool("subagent", { prompt: "blocker" }), fork("the child's part")),
      callTool("tape.reset"),
      say("later words"),
      say("over"),
      say("over"),
    ],
    blocker: [gated(held, "unblocked")],
    "the child's part": [callTool("tape.search", { query: "later" }), say("the part")],
  });
  await using runtime = await testRuntime({ model, settings: { subagentMaxConcurrency: 1 } });
  await runtime.send("go", { onEvent: (event) => event.type === "text-delta" && held.open() });
  const [first, second] = model.of("the child's part");
  expect(textsOf(first ?? { messages: [] })).toEqual([
    expect.stringMatching(/go$/),
    expect.stringMatching(/the child's part$/),
  ]);
  expect(String(second?.messages.at(-1)?.content)).not.toContain("later words");
  expect((await notificationsOf(runtime)).at(-1)).toContain("the part");
});

test("T7.3 a fork's own entries stay its own, and it is gone with its task", async () => {
  const model = conversations({
    go: [fork("the child's part"), say("waiting"), say("over")],
    "the child's part": [callTool("tape.handoff", { name: "childs", summary: "mine" }), say("the part")],
  });
  await using runtime = await testRuntime({ model });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  await runtime.send("go");
  const { task } = await recorder.next("subagent-finished");
  expect(task.session_id).toBe(`temp/${task.task_id}`);
  const entries = await runtime.entries();
  expect(entries.filter(({ kind }) => kind === "anchor")).toHaveLength(1);
  expect(await runtime.entries(task.session_id)).toEqual([]);
  expect((await runtime.storage.tapes.sessions()).map(({ session }) => session)).toEqual(["cli:test"]);
});

test("T7.3 a fork does not answer as its parent: its answer goes to the parent alone", async () => {
  const sent: string[] = [];
  const plugin = {
    name: "listening",
    dispatchOutbound: ({ text }: { text: string }) => {
      sent.push(text);
      return true as const;
    },
  };
  const model = conversations({
    go: [fork("the child's part"), say("waiting"), say("over")],
    "the child's part": [say("the part")],
  });
  await using runtime = await testRuntime({ model, plugins: [plugin] });
  const { events } = await runtime.send("go");
  expect(sent).toEqual(["over"]);
  const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []));
  expect(deltas).not.toContain("the part");
});

test("T7.3 sidecars are copied too: a fork reads what its parent had spilled, and spills into its own", async () => {
  const long = "a long line of words\n".repeat(2_000);
  const give = defineTool({ name: "give", description: "Give it.", run: () => long });
  const handleIn = (request: ModelRequest) =>
    /handle: ([0-9a-f]{32})/.exec(JSON.stringify(request.messages))?.[1] ?? "";
  const reading: ScriptedStep = (request) => callTool("spill.read", { handle: handleIn(request) });
  const model = conversations({
    go: [callTool("give"), fork("the child's part"), say("waiting"), say("over")],
    "the child's part": [reading, callTool("give"), say("the part")],
  });
  await using runtime = await testRuntime({ model, tools: [give] });
  await runtime.send("go");
  const [, second, third] = model.of("the child's part");
  expect(String(second?.messages.at(-1)?.content)).toContain(`content:\n${long.slice(0, 100)}`);
  expect(String(third?.messages.at(-1)?.content)).toContain("tool output spilled");
  expect(await notificationsOf(runtime)).toHaveLength(1);
});

test("T7.3 a fork that goes on after its last answer still has the sidecars", async () => {
  const long = "a long line of words\n".repeat(2_000);
  const give = defineTool({ name: "give", description: "Give it.", run: () => long });
  const held = gate();
  const reading: ScriptedStep = (request) =>
    callTool("spill.read", { handle: /handle: ([0-9a-f]{32})/.exec(JSON.stringify(request.messages))?.[1] ?? "" });
  const model = conversations({
    go: [
      callTool("give"),
      fork("the child's part"),
      after(held.reached, sendOn("read it")),
      say("waiting"),
      say("over"),
    ],
    "read it": [reading, say("read again")],
    "the child's part": [reading, gated(held, "read once")],
  });
  await using runtime = await testRuntime({ model, tools: [give] });
  await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_send" && held.open(),
  });
  expect(String(model.of("read it")[1]?.messages.at(-1)?.content)).toContain(`content:\n${long.slice(0, 100)}`);
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("read again")]);
});

test("T7.2 a fork runs on what its parent runs on, whatever the copied settings say; loaded tools come with it", async () => {
  const deferred = defineTool({ name: "later.one", description: "Later.", deferred: true, run: () => "later" });
  const model = conversations({
    go: [
      callTool("tool.describe", { names: ["later.one"] }),
      calls(fork("the child's part"), callTool("subagent", { prompt: "an empty one" })),
      callTool("subagent.wait"),
      say("over"),
    ],
    "the child's part": [say("a")],
    "an empty one": [say("b")],
  });
  await using runtime = await testRuntime({ model, tools: [deferred] });
  await runtime.send(",model other:model");
  const models: (string | null)[] = [];
  runtime.runtime.events.on("subagent-finished", ({ task }) => models.push(task.model));
  expect((await runtime.send("go", { model: "scripted:test" })).status).toBe("ok");
  expect(models).toEqual(["scripted:test", "scripted:test"]);
  const offered = (key: string) => model.of(key)[0]?.tools.map(({ name }) => name) ?? [];
  expect(offered("the child's part")).toContain("later_one");
  expect(offered("an empty one")).not.toContain("later_one");
});

test("T7.9 a fork that has ended cannot be continued; one that runs is steered, also in its last step", async () => {
  const held = gate();
  const model = conversations({
    go: [
      fork("the child's part"),
      after(held.reached, sendOn("one more")),
      say("waiting"),
      sendOn("again"),
      say("over"),
    ],
    "one more": [callTool("tape.info"), say("that too")],
    "the child's part": [gated(held, "the part")],
  });
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("go", {
    onEvent: (event) => event.type === "tool-result" && event.name === "subagent_send" && held.open(),
  });
  expect(await notificationsOf(runtime)).toEqual([expect.stringContaining("\nthat too\n")]);
  expect(toolResults.at(-1)?.text).toMatch(/its session was discarded/);
});

test("T7.3 a fork that a text command starts has the whole conversation, calls and results too", async () => {
  const storage = createMemoryStorage();
  const model = conversations({
    go: [callTool("tape.info", {}, { text: "I look." }), fail(400, { message: "broken" })],
    "go on": [say("I see")],
    "the child's part": [say("the part")],
  });
  await using runtime = await testRuntime({ model, storage });
  const recorder = recordEvents(runtime.runtime.events, ["subagent-finished"]);
  await runtime.send("go");
  await runtime.send(',subagent prompt="the child\'s part" session=fork');
  await recorder.next("subagent-finished");
  expect(model.of("the child's part")[0]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
  ]);
});
