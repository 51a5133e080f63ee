import { expect, test } from "vitest";
import { referredSchema, resolveReference } from "./schema-reference.ts";

const text = { type: "string" };
const root = {
  $defs: {
    text,
    alias: { $ref: "#/$defs/text" },
    ring: { $ref: "#/$defs/ring" },
    "a/b": text,
    "100%": text,
    "two words": text,
  },
};
const to = (reference: string) => ({ $ref: reference });

test("a reference means the schema at its end, over any number of others", () => {
  expect(resolveReference(to("#/$defs/alias"), root)).toEqual(text);
  expect(referredSchema(to("#/$defs/alias"), root)).toEqual({ $ref: "#/$defs/text" });
  expect(resolveReference(to("#"), root)).toEqual(root);
  expect(resolveReference(text, root)).toEqual(text);
});

test("names in references are read as they are written, encoded or not", () => {
  for (const name of ["a~1b", "two%20words", "100%"])
    expect(resolveReference(to(`#/$defs/${name}`), root)).toEqual(text);
});

test("what leads nowhere, elsewhere or in a ring ends", () => {
  const nowhere = ["#/$defs/none", "#/$defs/toString", "#/type/x", "https://elsewhere.example/s.json"];
  for (const reference of nowhere) expect(resolveReference(to(reference), root)).toBeUndefined();
  expect(resolveReference(to("#/$defs/ring"), root)).toEqual({ $ref: "#/$defs/ring" });
  for (const nothing of [true, undefined, null, "text"]) expect(resolveReference(nothing, root)).toBeUndefined();
});
