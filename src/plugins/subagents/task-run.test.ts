// The last moment of a task: a message is either heard by its child, or its sender learns that it came too late.
import { expect, test } from "vitest";
import { gate } from "../../../test/support/conversations.ts";
import type { StreamEvent } from "../../base/events.ts";
import { newTaskId, tapeIdOf } from "../../base/ids.ts";
import type { ChildRequest } from "../../kernel/turn.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { InboxPort } from "../../tape/store.ts";
import { Task } from "./task.ts";
import { TaskRun } from "./task-run.ts";

const tapeId = tapeIdOf("/workspace", "child");

/** A run whose child answers each prompt at once, and an inbox that a test may slow down. */
function taskRun(change: (inboxes: InboxPort) => Partial<InboxPort>) {
  const storage = createMemoryStorage();
  const real = storage.inboxes;
  const inboxes: InboxPort = {
    put: (tape, item) => real.put(tape, item),
    list: (tape) => real.list(tape),
    remove: (tape, id) => real.remove(tape, id),
    watch: (tape, changed) => real.watch(tape, changed),
    ...change(real),
  };
  const heard: unknown[] = [];
  async function* runChild({ prompt }: ChildRequest): AsyncGenerator<StreamEvent> {
    if (prompt.kind !== "message") throw new Error("no command is sent to a child");
    heard.push(prompt.content);
    if (prompt.meta?.inbox !== undefined) await real.remove(tapeId, prompt.meta.inbox as never);
    yield { type: "final", ok: true, status: "ok", text: `answer ${heard.length}` } as StreamEvent;
  }
  const id = newTaskId();
  const parent = { sessionId: "cli:test", tapeId, turnId: "turn-1", callId: "call_1" };
  const identity = { id, sessionId: "child", parent, order: {}, description: "child", profile: undefined };
  const task = new Task(identity, { model: undefined, createdAt: new Date(0) });
  const run = new TaskRun(task, {
    runtime: { runChild } as never,
    seat: { sessionId: "child", tapeId, storage: { ...storage, inboxes } } as never,
    request: {} as never,
    prompt: "begin",
    timeoutSeconds: undefined,
    onEvent: () => undefined,
  });
  return { run, heard };
}

test("T7.9 R1.8 a message that is still being written when the child has answered is waited for", async () => {
  const written = gate();
  const { run, heard } = taskRun((real) => ({
    async put(tape, item) {
      await written.pass();
      return real.put(tape, item);
    },
  }));
  const sent = run.send("one more thing");
  const ended = run.run();
  await written.reached;
  // All that does not wait for it has happened by then.
  await new Promise(setImmediate);
  written.open();
  expect(await sent).toBe(true);
  expect(await ended).toEqual({ status: "completed", output: "answer 2", errors: [] });
  expect(heard).toEqual(["begin", "one more thing"]);
});

test.each([
  ["has only begun", false],
  ["has arrived", true],
])("T7.9 R1.8 a message that %s when the inbox was read without it is heard all the same", async (_what, arrives) => {
  let sent: Promise<boolean> | undefined;
  const { run, heard } = taskRun((real) => ({
    async list(tape) {
      const seen = await real.list(tape);
      if (sent === undefined) {
        sent = run.send("just in time");
        if (arrives) await sent;
      }
      return seen;
    },
  }));
  expect(await run.run()).toMatchObject({ status: "completed", output: "answer 2" });
  expect(await sent).toBe(true);
  expect(heard).toEqual(["begin", "just in time"]);
});

test("T7.9 what is said after the last look came too late, and its sender is told", async () => {
  const { run, heard } = taskRun(() => ({}));
  expect(await run.run()).toMatchObject({ status: "completed", output: "answer 1" });
  expect(await run.send("too late")).toBe(false);
  expect(heard).toEqual(["begin"]);
});
