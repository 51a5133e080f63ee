import * as v from "valibot";
import { expect, test } from "vitest";
import { jsonSchemaOf } from "./json-schema.ts";

test("T0.1 a valibot schema becomes the JSON Schema of what it accepts", () => {
  const schema = v.strictObject({
    path: v.pipe(v.string(), v.description("where")),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 20),
    kinds: v.nullish(v.array(v.picklist(["a", "b"]))),
    text: v.optional(
      v.pipe(
        v.string(),
        v.check((text) => text !== "x"),
        v.transform(Number),
      ),
    ),
  });
  expect(jsonSchemaOf(schema)).toEqual({
    type: "object",
    properties: {
      path: { type: "string", description: "where" },
      limit: { type: "integer", minimum: 1, default: 20 },
      kinds: { anyOf: [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, { type: "null" }] },
      text: { type: "string" },
    },
    required: ["path"],
  });
});

test("T0.1 keywords come in one order and properties as written, so that the bytes are stable", () => {
  const one = { required: ["b"], properties: { b: { description: "B", type: "string" }, a: {} }, type: "object" };
  const other = { type: "object", properties: { b: { type: "string", description: "B" }, a: {} }, required: ["b"] };
  expect(JSON.stringify(jsonSchemaOf(one))).toBe(JSON.stringify(jsonSchemaOf(other)));
  expect(JSON.stringify(jsonSchemaOf(one))).toBe(
    '{"type":"object","properties":{"b":{"type":"string","description":"B"},"a":{}},"required":["b"]}',
  );
});

test("T0.1 $schema and propertyNames are dropped as keywords, kept as names of parameters", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      propertyNames: { type: "string" },
      $schema: { type: "object", propertyNames: { type: "string" }, additionalProperties: { $schema: "x" } },
      either: { anyOf: [{ propertyNames: {} }, true] },
    },
  };
  expect(jsonSchemaOf(schema)).toEqual({
    type: "object",
    properties: {
      propertyNames: { type: "string" },
      $schema: { type: "object", additionalProperties: {} },
      either: { anyOf: [{}, true] },
    },
  });
});

test("T0.1 default, const, enum and examples are data and stay as they are", () => {
  const data = { required: [], propertyNames: 1, $schema: null };
  const property = { default: data, const: data, enum: [data], examples: [data] };
  expect(jsonSchemaOf({ properties: { a: property } })).toEqual({ type: "object", properties: { a: property } });
});

test("T0.1 a tool without parameters has an empty object schema", () => {
  expect(jsonSchemaOf({})).toEqual({ type: "object", properties: {} });
  expect(jsonSchemaOf(v.strictObject({}))).toEqual({ type: "object", properties: {} });
});

test("T0.1 a loose object says that it takes more", () => {
  expect(jsonSchemaOf(v.looseObject({ a: v.string() }))).toMatchObject({ additionalProperties: true });
  expect(jsonSchemaOf(v.strictObject({ a: v.strictObject({}) })).properties).toEqual({
    a: { type: "object", properties: {}, additionalProperties: false },
  });
});

test("T0.1 a schema that refers to its own definitions is shown as the object that it is", () => {
  const node = { type: "object", properties: { child: { $ref: "#/$defs/node" } } };
  expect(jsonSchemaOf({ $ref: "#/$defs/node", $defs: { node } })).toEqual({ ...node, $defs: { node } });
});
