import { expect, test } from "vitest";
import { type RawCall, settleCalls, settleEnd, settleReason } from "./calls.ts";
import type { FinishReason } from "./model.ts";

const call = (text: string, id = "c1"): RawCall => ({ id, name: "bash", arguments: text });
const incomplete = (text: string, reason: FinishReason) => settleCalls([call(text)], reason)[0]?.incomplete;

test("R2.8 missing and repeated ids become new ones, others stay", () => {
  const ids = settleCalls([call("{}", "a"), call("{}", "a"), call("{}", ""), call("{}", "b")], "tool-calls").map(
    ({ id }) => id,
  );
  expect(ids).toEqual([
    "a",
    expect.stringMatching(/^call_[0-9a-f]{12}$/),
    expect.stringMatching(/^call_[0-9a-f]{12}$/),
    "b",
  ]);
  expect(new Set(ids).size).toBe(4);
});

test("R2.8 an answer cut by length marks calls that are not whole, the empty one too", () => {
  expect(['{"a":1}', "{}", '{"a":', "", "[1]", "{"].map((text) => incomplete(text, "length"))).toEqual([
    undefined,
    undefined,
    true,
    true,
    true,
    true,
  ]);
});

test("R2.8 a complete answer's calls are never marked: what they hold is the tool's affair", () => {
  for (const text of ["{}", "", '{"a":', "[]"]) expect(incomplete(text, "tool-calls")).toBeUndefined();
});

test("a filtered answer's calls never pass for whole", () => {
  expect(incomplete('{"a":1}', "content-filter")).toBe(true);
});

test("arguments that were encoded twice are unwrapped", () => {
  expect(settleCalls([call('"{\\"a\\":1}"')], "stop")[0]?.arguments).toBe('{"a":1}');
  expect(settleCalls([call('"text"')], "stop")[0]?.arguments).toBe('"text"');
});

test("the reason fits what came", () => {
  const [some = [], none = []] = [settleCalls([call("{}")], "stop"), settleCalls([], "stop")];
  expect(settleReason("stop", some)).toBe("tool-calls");
  expect(settleReason("tool-calls", none)).toBe("stop");
  expect(settleReason("length", some)).toBe("length");
  expect(settleReason("other", some)).toBe("other");
});

test("an answer ends with its calls and one finish, which holds only what is known", () => {
  expect(settleEnd({ calls: [call("{}")], reason: "stop" })).toStrictEqual([
    { type: "tool-call", id: "c1", name: "bash", arguments: "{}" },
    { type: "finish", reason: "tool-calls" },
  ]);
  const known = { rawReason: "max_tokens", usage: { input_tokens: 1 }, providerData: { signed: true } };
  expect(settleEnd({ calls: [], reason: "length", ...known })).toStrictEqual([
    { type: "finish", reason: "length", ...known },
  ]);
});
