import { expect, test } from "vitest";
import { answersIn, callsIn } from "./recorded-calls.ts";

test("R3.1 calls are read as we write them, as providers write them, and without an id", () => {
  const calls = [
    { id: "a", name: "bash", arguments: { command: "ls" }, metadata: {} },
    { id: "b", type: "function", function: { name: "fs_read", arguments: '{"path":"x"}' } },
    { name: "lonely", arguments: "{broken" },
    { id: "nameless" },
    "no call",
  ];
  expect(callsIn({ id: 7, payload: { calls } })).toEqual([
    { id: "a", name: "bash", arguments: { command: "ls" } },
    { id: "b", name: "fs_read", arguments: { path: "x" } },
    { id: "call_7_2", name: "lonely", arguments: {} },
  ]);
  expect(callsIn({ id: 7, payload: { tool_calls: calls.slice(1, 2) } })).toHaveLength(1);
  expect(callsIn({ id: 7, payload: { calls: "none" } })).toEqual([]);
});

test("R3.2 results come with the call that they name, or with none", () => {
  const payload = { results: ["one", { kind: "tool", message: "no" }, null] };
  const meta = {
    calls: [
      { id: "a", name: "bash", status: "ok" },
      { id: "b", name: "bash", status: "strange" },
    ],
  };
  expect(answersIn({ payload, meta })).toEqual([
    { result: "one", call: { id: "a", name: "bash", status: "ok" } },
    { result: { kind: "tool", message: "no" }, call: { id: "b", name: "bash", status: "ok" } },
    { result: null, call: undefined },
  ]);
  expect(answersIn({ payload: {}, meta: {} })).toEqual([]);
});
