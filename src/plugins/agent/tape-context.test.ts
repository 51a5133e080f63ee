import { expect, test } from "vitest";
import { carriedDrafts } from "../../tape/carried.ts";
import { anchorDrafts, type EntryDraft, eventDraft } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { Tape } from "../../tape/tape.ts";
import { TapeContext } from "./tape-context.ts";

const of = (run: string) => ({ run_id: run, turn_id: "now" });
const user = (content: string, run: string): EntryDraft => ({
  kind: "message",
  payload: { role: "user", content },
  meta: of(run),
});
const answer = (content: string, run: string): EntryDraft => ({
  kind: "message",
  payload: { role: "assistant", content },
  meta: of(run),
});
const call = (run: string): EntryDraft => ({
  kind: "tool_call",
  payload: { calls: [{ id: "a", name: "echo", arguments: {} }] },
  meta: of(run),
});
const result = (run: string): EntryDraft => ({
  kind: "tool_result",
  payload: { results: ["r"] },
  meta: { ...of(run), calls: [{ id: "a", name: "echo", status: "ok" }] },
});
const ended = (run: string, usage?: Record<string, number>): EntryDraft =>
  eventDraft("run", { status: "ok", ...(usage !== undefined && { usage }) }, of(run));

async function contextOf(...batches: readonly (readonly EntryDraft[])[]) {
  const storage = createMemoryStorage();
  const tape = await Tape.open(await storage.tapes.open("tape" as never));
  const context = new TapeContext(tape);
  for (const drafts of batches) {
    await tape.append(drafts);
    // Followed step by step, as in a run.
    context.measured;
  }
  return { tape, context };
}

test("R2.6 what was counted last are the messages up to the answer, not its results", async () => {
  const { context } = await contextOf(
    [user("go", "1"), call("1")],
    [result("1"), ended("1", { total_tokens: 70, input_tokens: 60 })],
  );
  expect(context.measured).toEqual({ tokens: 70, messages: 2 });
  expect(context.messages).toHaveLength(3);
});

test("R2.6 without a total, input and output are what was counted; without usage the earlier count stays", async () => {
  const { context } = await contextOf(
    [user("go", "1"), answer("yes", "1"), ended("1", { input_tokens: 60, output_tokens: 5 })],
    [user("on", "2"), answer("well", "2"), ended("2")],
  );
  expect(context.measured).toEqual({ tokens: 65, messages: 2 });
});

test("R2.6 usage of an answer that left no message counts nothing that stands here", async () => {
  const { context } = await contextOf(
    [user("go", "1"), answer("yes", "1"), ended("1", { total_tokens: 60 })],
    [user("on", "2"), ended("2", { total_tokens: 900 })],
  );
  expect(context.measured).toEqual({ tokens: 60, messages: 2 });
});

test("R2.6 the usage of a step that handed off itself is that of the conversation before: it does not count", async () => {
  const { tape, context } = await contextOf([user("go", "1"), call("1")]);
  await tape.append([...anchorDrafts("phase", {}), ...carriedDrafts(tape.recent, "now")]);
  await tape.append([result("1"), ended("1", { total_tokens: 900 })]);
  expect(context.measured).toBeUndefined();
  expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});
