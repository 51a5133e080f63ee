import { expect, test } from "vitest";
import { objectSchemaOf } from "./tool-schema.ts";

const text = { type: "string" };
const number = { type: "number" };

test("a plain object stays the very same", () => {
  const plain = { type: "object", properties: { a: { anyOf: [text, number] } }, additionalProperties: false };
  expect(objectSchemaOf(plain)).toBe(plain);
});

test("a choice of required properties leaves the properties", () => {
  const schema = {
    type: "object",
    description: "d",
    properties: { id: text, a: text, b: text },
    required: ["id"],
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  };
  expect(objectSchemaOf(schema)).toEqual({
    type: "object",
    description: "d",
    properties: { id: text, a: text, b: text },
    required: ["id"],
  });
});

test("shapes become one that takes what each takes", () => {
  const file = { type: "object", properties: { kind: { const: "file" }, path: text }, required: ["kind", "path"] };
  const line = { type: "object", properties: { kind: { const: "line" }, at: number }, required: ["kind", "at"] };
  const range = { type: "object", properties: { kind: { const: "range" }, at: text }, required: ["kind"] };
  expect(objectSchemaOf({ oneOf: [file, line, range] })).toEqual({
    type: "object",
    properties: {
      kind: { anyOf: [{ const: "file" }, { const: "line" }, { const: "range" }] },
      path: text,
      at: { anyOf: [number, text] },
    },
    required: ["kind"],
  });
});

test("parts that all hold are joined, references followed, circles left", () => {
  const schema = {
    $ref: "#/$defs/whole",
    $defs: {
      whole: { allOf: [{ $ref: "#/$defs/named" }, { properties: { size: number }, required: ["size"] }] },
      named: { type: "object", properties: { name: text }, required: ["name"], anyOf: [{ $ref: "#/$defs/whole" }] },
    },
  };
  expect(objectSchemaOf(schema)).toMatchObject({
    type: "object",
    properties: { name: text, size: number },
    $defs: { named: {} },
  });
  expect(objectSchemaOf(schema)).not.toHaveProperty("$ref");
});

test("no schema of an object is one without properties", () => {
  for (const schema of [{}, { type: "string" }, { type: "object" }, { $ref: "https://elsewhere.example/s.json" }])
    expect(objectSchemaOf(schema)).toMatchObject({ type: "object", properties: {} });
});
