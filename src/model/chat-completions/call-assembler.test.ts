import { expect, test } from "vitest";
import type { JsonValue } from "../../base/json.ts";
import { CallAssembler } from "./call-assembler.ts";

function assemble(...deltas: JsonValue[]): string[] {
  const calls = new CallAssembler();
  for (const delta of deltas) calls.push(delta);
  return calls.calls.map(({ id, name, arguments: text }) => `${id}|${name}|${text}`);
}

const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: JsonValue,
): JsonValue => [
  {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
  },
];

test("R2.8 pieces by index, one call after the other and interleaved", () => {
  expect(
    assemble(
      piece(0, "a", "x", ""),
      piece(0, undefined, undefined, '{"p"'),
      piece(1, "b", "y", '{"q"'),
      piece(0, undefined, undefined, ":1}"),
      piece(1, undefined, undefined, ":2}"),
    ),
  ).toEqual(['a|x|{"p":1}', 'b|y|{"q":2}']);
});

test("R2.8 all at index 0: a new id is a new call, also while the last one is open", () => {
  expect(
    assemble(
      piece(0, "a", "x", "{}"),
      piece(0, "b", "x", '{"q":2}'),
      piece(0, "c", "y", ""),
      piece(0, undefined, undefined, "{}"),
    ),
  ).toEqual(["a|x|{}", 'b|x|{"q":2}', "c|y|{}"]);
});

test("R2.8 all at index 0 without ids: a name after whole arguments is a new call", () => {
  expect(
    assemble(piece(0, undefined, "x", '{"p":1}'), piece(0, undefined, "x", '{"p":2}'), piece(0, undefined, "y", "")),
  ).toEqual(['|x|{"p":1}', '|x|{"p":2}', "|y|"]);
});

test("R2.8 the same id twice, at other indexes or at the same, is two calls", () => {
  expect(assemble(piece(0, "a", "x", "{}"), piece(1, "a", "y", "{}"))).toEqual(["a|x|{}", "a|y|{}"]);
  expect(assemble(piece(0, "a", "x", "{}"), piece(0, "a", "y", "{}"))).toEqual(["a|x|{}", "a|y|{}"]);
});

test("R2.8 id and name repeated in every piece are one call", () => {
  expect(
    assemble(piece(0, "a", "x", '{"p'), piece(0, "a", "x", '":1'), piece(0, "a", "x", "}"), piece(0, "a", "x", "")),
  ).toEqual(['a|x|{"p":1}']);
});

test("R2.8 no index: by id, else the newest", () => {
  expect(
    assemble(
      piece(undefined, "a", "x", "{"),
      piece(undefined, "b", "y", "{"),
      piece(undefined, "a", undefined, "}"),
      piece(undefined, undefined, undefined, "}"),
    ),
  ).toEqual(["a|x|{}", "b|y|{}"]);
});

test("R2.8 arguments as an object, null or missing; an id that comes late or as a number", () => {
  expect(assemble(piece(0, "a", "x", { p: [1, "é"] }), piece(1, "b", "y", null), piece(2, "c", "z"))).toEqual([
    'a|x|{"p":[1,"é"]}',
    "b|y|",
    "c|z|",
  ]);
  expect(assemble(piece(0, undefined, "x", "{"), [{ index: 0, id: 7, function: { arguments: "}" } }])).toEqual([
    "7|x|{}",
  ]);
});

test("several calls in one delta, and what is none", () => {
  expect(
    assemble([
      { index: 0, id: "a", function: { name: "x", arguments: "{}" } },
      { index: 1, id: "b", function: { name: "y", arguments: "{}" } },
    ]),
  ).toEqual(["a|x|{}", "b|y|{}"]);
  expect(assemble(null, {}, "x", [], ["x", 3, null])).toEqual([]);
});
