// The sessions of children: temporary ones, named ones, and who has one at a time.
import { expect, test } from "vitest";
import { conversations, gate, gated, taskIdsIn } from "../../../test/support/conversations.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { calls, callTool, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

test("T7.3 a temp session is empty, in memory, and gone with its task", async () => {
  const model = conversations({
    go: [callTool("subagent", { prompt: "child" }), say("waiting"), say("over")],
    child: [callTool("tape.info"), say("answer")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  const [first] = model.of("child");
  expect(first?.messages).toEqual([{ role: "user", content: "child" }]);
  const sessions = (await runtime.storage.tapes.sessions()).map(({ session }) => session);
  expect(sessions).toEqual(["cli:test"]);
  const [taskId = ""] = taskIdsIn(model.of("go")[1] ?? { messages: [] });
  expect(await runtime.entries(`temp/${taskId}`)).toEqual([]);
});

test("T7.3 a named session is kept, and goes on where it was", async () => {
  const model = conversations({
    "go once": [
      callTool("subagent", { prompt: "remember the orchid", session: "garden" }),
      say("waiting"),
      say("over"),
    ],
    "go twice": [callTool("subagent", { prompt: "which flower?", session: "garden" }), say("waiting"), say("over")],
    orchid: [say("I will")],
    "which flower": [say("the orchid")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go once");
  await runtime.send("go twice");
  expect(model.of("which flower")[0]?.messages).toMatchObject([
    { role: "user", content: "remember the orchid" },
    { role: "assistant", content: "I will" },
    { role: "user", content: "which flower?" },
  ]);
  const sessions = (await runtime.storage.tapes.sessions()).map(({ session }) => session);
  expect(sessions).toEqual(["cli:test", "garden"]);
});

test("T7.3 a named session is taken at the call, queued or not: nobody else gets it until its task has ended", async () => {
  const held = gate();
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "first", session: "shared" }),
        callTool("subagent", { prompt: "second", session: "queued" }),
      ),
      calls(
        callTool("subagent", { prompt: "third", session: "shared" }),
        callTool("subagent", { prompt: "third", session: "queued" }),
        callTool("subagent", { prompt: "third", session: "cli:test" }),
      ),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    first: [gated(held, "a")],
    second: [say("b")],
  });
  const settings = { subagentMaxConcurrency: 1 };
  await using runtime = await testRuntime({ model, settings });
  const busy: string[] = [];
  const turn = runtime.send("go", {
    onEvent(event) {
      if (event.type !== "tool-result" || !event.is_error) return;
      busy.push(event.text);
      if (busy.length === 3) held.open();
    },
  });
  expect((await turn).text).toBe("over");
  expect(busy.sort()).toEqual([
    "[temporary] session 'cli:test' is busy",
    "[temporary] session 'queued' is busy",
    "[temporary] session 'shared' is busy",
  ]);
});

test("T7.3 a session that another process holds is busy, and the call does not wait for it", async () => {
  const storage = createMemoryStorage();
  const model = conversations({ go: [callTool("subagent", { prompt: "x", session: "theirs" }), say("over")] });
  await using runtime = await testRuntime({ model, storage });
  const signal = new AbortController().signal;
  await using _lease = await storage.leases.acquire(runtime.runtime.tapeIdOf("theirs"), {
    sessionId: "theirs",
    signal,
  });
  const { toolResults } = await runtime.send("go");
  expect(toolResults[0]?.text).toBe("[temporary] session 'theirs' is busy");
});

/** `go` starts a child in the session `room`, which is held in its only answer; `hello` is said to it by somebody else. */
function roomModel() {
  const held = gate();
  const model = conversations({
    go: [callTool("subagent", { prompt: "child", session: "room" }), say("waiting"), say("over")],
    child: [gated(held, "child's answer")],
    hello: [say("hello back")],
  });
  return { model, held };
}

test("T7.3 a message to a named session waits for the end of its task", async () => {
  const { model, held } = roomModel();
  await using runtime = await testRuntime({ model });
  const parent = runtime.send("go");
  await held.reached;
  const other = runtime.send("hello", { sessionId: "room" });
  held.open();
  expect((await other).text).toBe("hello back");
  expect((await parent).text).toBe("over");
  expect(model.of("hello")[0]?.messages.map(({ content }) => content)).toEqual([
    "child",
    "child's answer",
    expect.stringMatching(/hello$/),
  ]);
});

test("R1.8 a child takes only what was sent to its task; other messages of its session wait for a turn of their own", async () => {
  const { model, held } = roomModel();
  await using runtime = await testRuntime({ model });
  const parent = runtime.send("go");
  await held.reached;
  const room = runtime.runtime.tapeIdOf("room");
  await runtime.storage.inboxes.put(room, { kind: "steer", payload: { content: "a word for the room" }, meta: {} });
  held.open();
  expect((await parent).text).toBe("over");
  expect(model.of("child")).toHaveLength(1);
  expect(await runtime.storage.inboxes.list(room)).toHaveLength(1);
  await runtime.send("hello", { sessionId: "room" });
  const texts = model.of("hello")[0]?.messages.map(({ content }) => content);
  expect(texts?.slice(-2)).toEqual(["a word for the room", expect.stringMatching(/hello$/)]);
  expect(await runtime.storage.inboxes.list(room)).toEqual([]);
});
