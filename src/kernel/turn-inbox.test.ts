import { expect, test } from "vitest";
import { tapeIdOf } from "../base/ids.ts";
import { createMemoryStorage } from "../tape/memory-store.ts";
import { openTurnInbox } from "./turn-inbox.ts";

const tape = tapeIdOf("/work", "cli:test");

test("R1.8 a quit is for the lease that it names; any other holder deletes it and goes on", async () => {
  const { inboxes } = createMemoryStorage();
  let quits = 0;
  let told: () => void = () => undefined;
  const isQuit = new Promise<void>((resolve) => {
    told = resolve;
  });
  const onQuit = () => {
    quits++;
    told();
  };
  await using _inbox = openTurnInbox(inboxes, tape, { token: "mine", onQuit });
  await inboxes.put(tape, { kind: "quit", payload: { token: "of one before" }, meta: {} });
  await expect.poll(() => inboxes.list(tape)).toEqual([]);
  expect(quits).toBe(0);
  await inboxes.put(tape, { kind: "quit", payload: { token: "mine" }, meta: {} });
  await isQuit;
  await expect.poll(() => inboxes.list(tape)).toEqual([]);
  expect(quits).toBe(1);
});

test("R1.8 a step sees steering and notifications in order; a child's only what was sent to its task", async () => {
  const { inboxes } = createMemoryStorage();
  const options = { token: "mine", onQuit: () => undefined };
  await using inbox = openTurnInbox(inboxes, tape, options);
  await using child = openTurnInbox(inboxes, tape, { ...options, isChild: true });
  await inboxes.put(tape, { kind: "steer", payload: { content: "one" }, meta: {} });
  await inboxes.put(tape, { kind: "follow_up", payload: { content: "two" }, meta: {} });
  await inboxes.put(tape, { kind: "notification", payload: { content: "three" }, meta: {} });
  await inboxes.put(tape, { kind: "steer", payload: { content: "four" }, meta: { task: "sub-1" } });
  const contents = async (of: typeof inbox) => (await of.pending()).map(({ payload }) => payload.content);
  expect(await contents(inbox)).toEqual(["one", "three", "four"]);
  expect(await contents(child)).toEqual(["four"]);
});
