import fc from "fast-check";
import { expect, test } from "vitest";
import { entry } from "../../test/support/tape-entries.ts";
import type { JsonObject } from "../base/json.ts";
import { carriedDrafts } from "./carried.ts";
import type { TapeEntry } from "./entry.ts";

const user = (content: string, meta: JsonObject = { turn_id: "now" }) =>
  entry("message", { role: "user", content }, meta);
const answer = (content: string, meta: JsonObject = { turn_id: "now" }) =>
  entry("message", { role: "assistant", content }, meta);
const calls = (ids: string[], meta: JsonObject = { turn_id: "now" }) =>
  entry("tool_call", { calls: ids.map((id) => ({ id, name: "bash", arguments: {} })), reasoning: "hm" }, meta);
const result = (id: string, meta: JsonObject = { turn_id: "now" }) =>
  entry("tool_result", { results: [`r-${id}`] }, { ...meta, calls: [{ id, name: "bash", status: "ok" }] });
const run = (meta: JsonObject = { turn_id: "now" }) => entry("event", { name: "run", data: {} }, meta);

const carriedOf = (entries: readonly TapeEntry[], options?: { unread: boolean }) =>
  carriedDrafts(entries, "now", options).map(({ kind, payload }) => payload.content ?? payload.results ?? kind);

test("T6.8 the turn's messages and the running step are carried, earlier turns and steps are not", () => {
  const before = { turn_id: "before" };
  const entries = [
    entry("anchor", { name: "a" }),
    user("old", before),
    answer("said", before),
    user("go"),
    calls(["a"]),
    result("a"),
    run(),
    user("and this"),
    calls(["b", "c"]),
    result("c"),
  ];
  expect(carriedOf(entries)).toEqual(["go", "and this", "tool_call", ["r-c"]]);
});

test("T6.8 what was said after the step's results stays after them", () => {
  expect(carriedOf([user("go"), calls(["a"]), result("a"), run(), user("stop")])).toEqual([
    "go",
    "tool_call",
    ["r-a"],
    "stop",
  ]);
});

test("T6.8 copies keep payload and meta, reasoning too, but not the inbox item or facts; they say that they are copies", () => {
  const message = user("go", { turn_id: "now", run_id: "r", inbox: "item", facts: {} });
  const call = calls(["a"]);
  expect(carriedDrafts([message, call], "now")).toEqual([
    { kind: "message", payload: message.payload, meta: { turn_id: "now", run_id: "r", carried: true } },
    { kind: "tool_call", payload: call.payload, meta: { turn_id: "now", carried: true } },
  ]);
});

test("R2.6 ends of tasks that no answer followed are carried from earlier turns, results with their step", () => {
  const before = { turn_id: "before" };
  const step = [calls(["w"], before), result("w", { ...before, tasks: ["sub-1"] })];
  const notice = user("done", { ...before, tasks: ["sub-2"] });
  const unread = { unread: true };
  expect(carriedOf([user("old", before), ...step, notice, user("go")], unread)).toEqual([
    ...["tool_call", ["r-w"], "done", "go"],
  ]);
  expect(carriedOf([...step, notice, answer("read"), user("go")], unread)).toEqual(["go"]);
  expect(carriedOf([calls(["x"], before), result("x", before), user("go")], unread)).toEqual(["go"]);
  expect(carriedOf([...step, notice])).toEqual([]);
});

test("T6.8 an earlier summary, and what never reaches the model, stays behind", () => {
  expect(
    carriedOf([
      user("summary", { turn_id: "now", carried: true, summary: true }),
      user("hidden", { turn_id: "now", context: false }),
      user("go"),
    ]),
  ).toEqual(["go"]);
});

test("T6.8 what a model refused stays refused as long as anything is carried", () => {
  const refused = entry("event", { name: "media.rejected", data: { model: "a:b", media: ["x"] } });
  expect(carriedDrafts([refused, user("go")], "now").map(({ kind }) => kind)).toEqual(["event", "message"]);
  expect(carriedDrafts([refused, user("old", { turn_id: "before" })], "now")).toEqual([]);
});

const turns = fc.constantFrom("before", "now");
const anyEntry = fc.oneof(
  fc.tuple(fc.string(), turns).map(([text, turn_id]) => user(text, { turn_id })),
  fc.tuple(fc.string(), turns).map(([text, turn_id]) => answer(text, { turn_id })),
  fc.tuple(fc.subarray(["a", "b", "c"], { minLength: 1 }), turns).map(([ids, turn_id]) => calls(ids, { turn_id })),
  fc.tuple(fc.constantFrom("a", "b", "c"), turns).map(([id, turn_id]) => result(id, { turn_id })),
  fc.constant(0).map(() => run()),
);

test("T6.8 property: carrying twice gives the same copies as carrying once, and never a result without its call", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 30 }), (entries) => {
      const once = carriedDrafts(entries, "now");
      const again = once.map(({ kind, payload, meta }) => entry(kind, payload, meta));
      expect(carriedDrafts(again, "now")).toEqual(once);
      const firstResult = once.findIndex(({ kind }) => kind === "tool_result");
      const call = once.findIndex(({ kind }) => kind === "tool_call");
      if (firstResult >= 0) expect(call).toBe(firstResult - 1);
      expect(once.filter(({ kind }) => kind === "tool_call").length).toBeLessThan(2);
    }),
  );
});
