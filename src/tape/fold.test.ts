import { expect, test } from "vitest";
import { entry } from "../../test/support/tape-entries.ts";
import type { TapeEntry } from "./entry.ts";
import { foldFacts, noFacts, parseFacts } from "./fold.ts";

const event = (name: string, data: TapeEntry["payload"]) => entry("event", { name, data });

test("R3.5 facts hold the newest settings, and null clears one", () => {
  const entries = [
    event("model_switch", { model: "openai:a" }),
    event("model_switch", { model: "openai:b" }),
    event("reasoning_effort_switch", { reasoning_effort: "high" }),
    event("code_mode_switch", { code_mode: true }),
    event("readonly_switch", { readonly: false }),
    event("reasoning_effort_switch", { reasoning_effort: null }),
    event("model_switch", { model: 7 }),
    entry("message", { name: "model_switch", data: { model: "openai:c" } }),
  ];
  expect(foldFacts(noFacts, entries).settings).toEqual({ model: "openai:b", code_mode: true, readonly: false });
});

test("R3.5 facts hold loaded tools once, in the order of loading, and count entries and anchors", () => {
  const facts = foldFacts({ ...noFacts, entries: 5, anchors: 1, loaded: ["x"] }, [
    event("tool.loaded", { names: ["b", "a"] }),
    entry("anchor", { name: "phase" }),
    event("tool.loaded", { names: ["a", "c", 4] }),
  ]);
  expect(facts).toEqual({ settings: {}, loaded: ["x", "b", "a", "c"], entries: 8, anchors: 2, inbox: [] });
});

test("R1.8 facts hold the last 256 inbox ids", () => {
  const entries = Array.from({ length: 300 }, (_, index) => entry("message", {}, { inbox: `item-${index}` }));
  const { inbox } = foldFacts(noFacts, entries);
  expect(inbox).toHaveLength(256);
  expect([inbox[0], inbox.at(-1)]).toEqual(["item-44", "item-299"]);
});

test("R1.8 facts hold every inbox id of an entry that took several", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `item-${index}`);
  const taken = foldFacts({ ...noFacts, inbox: ["before"] }, [entry("tool_result", {}, { inbox: ids })]);
  expect(taken.inbox).toEqual(ids);
  expect(foldFacts(taken, [entry("message", {}, { inbox: "next" })]).inbox).toHaveLength(256);
});

test("R3.5 facts are read back as written, and damaged ones as none", () => {
  const facts = { settings: { model: "a:b", readonly: true }, loaded: ["t"], entries: 3, anchors: 1, inbox: ["i"] };
  expect(parseFacts(JSON.parse(JSON.stringify(facts)))).toEqual(facts);
  expect(parseFacts({ entries: 3, anchors: 1, settings: { model: 4, other: "x" } })).toEqual({
    ...noFacts,
    entries: 3,
    anchors: 1,
  });
  for (const damaged of [undefined, null, "facts", [], {}, { entries: "3", anchors: 1 }]) {
    expect(parseFacts(damaged)).toBeUndefined();
  }
});
