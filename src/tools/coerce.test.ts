import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { JsonSchema } from "../base/schema.ts";
import { coerceArguments } from "./coerce.ts";

function coerced(value: JsonValue, schema: JsonSchema, rest: JsonObject = {}): JsonValue | undefined {
  return coerceArguments({ value }, { type: "object", properties: { value: schema }, ...rest }).value;
}

test("T0.5 numeric strings become numbers", () => {
  const number = { type: "number" };
  expect(["5", " 5 ", "-1.5", "+2", "1e3", ".5", "5."].map((text) => coerced(text, number))).toEqual([
    5, 5, -1.5, 2, 1000, 0.5, 5,
  ]);
  for (const text of ["", " ", "five", "0x10", "1_000", "1,5", "NaN", "Infinity", "1e999", "90071992547409931"]) {
    expect(coerced(text, number)).toBe(text);
  }
});

test("T0.5 a string becomes an integer only when it is one", () => {
  const integer = { type: "integer" };
  expect(coerced("12", integer)).toBe(12);
  expect(coerced("12.0", integer)).toBe(12);
  expect(coerced("12.5", integer)).toBe("12.5");
});

test("T0.5 true/false/1/0/yes/no/on/off in any case become booleans", () => {
  const boolean = { type: "boolean" };
  for (const word of ["true", "TRUE", "1", "yes", "Yes", "on", "ON", " on "]) expect(coerced(word, boolean)).toBe(true);
  for (const word of ["false", "False", "0", "no", "NO", "off", "Off"]) expect(coerced(word, boolean)).toBe(false);
  expect([coerced(1, boolean), coerced(0, boolean)]).toEqual([true, false]);
  for (const other of ["y", "", "2", "truee", 2]) expect(coerced(other, boolean)).toBe(other);
});

test("T0.5 a JSON string becomes the array or object that the schema wants, its inside read too", () => {
  const list = { type: "array", items: { type: "integer" } };
  expect(coerced('["1", 2]', list)).toEqual([1, 2]);
  const object = { type: "object", properties: { on: { type: "boolean" } } };
  expect(coerced('{"on":"yes","rest":"yes"}', object)).toEqual({ on: true, rest: "yes" });
  expect(coerced('{"a":1}', list)).toBe('{"a":1}');
  expect(coerced("[1]", object)).toBe("[1]");
  expect(coerced("[1", list)).toBe("[1");
  expect(coerced("[1]", { type: "string" })).toBe("[1]");
});

test("T0.5 null stands for a parameter whose default is None", () => {
  const args = (schema: JsonSchema, rest?: JsonObject) =>
    coerceArguments({ value: null }, { type: "object", properties: { value: schema }, ...rest });
  expect(args({ type: "integer" })).toEqual({});
  expect(args({ type: "integer", default: null })).toEqual({});
  expect(args({ $ref: "#/$defs/count" }, { $defs: { count: { type: "integer" } } })).toEqual({});
  expect(args({ type: "integer", default: 3 })).toEqual({ value: null });
  expect(args({ type: "integer" }, { required: ["value"] })).toEqual({ value: null });
  expect(args({ anyOf: [{ type: "integer" }, { type: "null" }] })).toEqual({ value: null });
  expect(args({ type: ["integer", "null"] })).toEqual({ value: null });
});

test("T0.5 of several allowed types the one that the value has already wins, else the first it can be read as", () => {
  const textOrNumber = { anyOf: [{ type: "string" }, { type: "number" }] };
  expect(coerced("5", textOrNumber)).toBe("5");
  const numberOrNull = { anyOf: [{ type: "number" }, { type: "null" }] };
  expect(coerced("5", numberOrNull)).toBe(5);
  expect(coerced("null", numberOrNull)).toBe("null");
  expect(coerced("5", { type: ["integer", "boolean"] })).toBe(5);
  expect(coerced("yes", { type: ["integer", "boolean"] })).toBe(true);
  const listOrNull = { oneOf: [{ type: "array", items: { type: "number" } }, { type: "null" }] };
  expect(coerced('["1"]', listOrNull)).toEqual([1]);
});

test("T0.5 nested objects are read by the branch that they belong to", () => {
  const shape = (kind: string, type: string) => ({
    type: "object",
    properties: { kind: { const: kind }, size: { type } },
    required: ["kind"],
  });
  const shapes = { type: "array", items: { oneOf: [shape("text", "string"), shape("count", "number")] } };
  const given = [
    { kind: "text", size: "5" },
    { kind: "count", size: "5" },
  ];
  expect(coerced(given, shapes)).toEqual([given[0], { kind: "count", size: 5 }]);
});

test("T0.5 an object schema that also lists alternatives is still read", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  };
  expect(coerced({ b: "2" }, schema)).toEqual({ b: 2 });
});

test("T0.5 references are followed, and a ring of them ends", () => {
  const schema = {
    type: "object",
    properties: { value: { $ref: "#/$defs/list" }, ring: { $ref: "#/$defs/ring" } },
    $defs: {
      list: { type: "array", items: { $ref: "#/$defs/a~1b" } },
      "a/b": { type: "number" },
      ring: { $ref: "#/$defs/ring" },
    },
  };
  expect(coerceArguments({ value: ["1"], ring: "1" }, schema)).toEqual({ value: [1], ring: "1" });
});

test("a name of Object.prototype is an argument like any other", () => {
  const args = JSON.parse('{"__proto__":{"x":1},"constructor":"5"}') as JsonObject;
  const read = coerceArguments(args, { type: "object", properties: { value: { type: "number" } } });
  expect(JSON.stringify(read)).toBe('{"__proto__":{"x":1},"constructor":"5"}');
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonSchema>({ type: "number" }, { type: "integer" }, { type: "boolean" }, { type: "string" }, {}),
    tie("schema").map((items): JsonSchema => ({ type: "array", items })),
    fc
      .dictionary(fc.constantFrom("a", "b", "c"), tie("schema"))
      .map((properties): JsonSchema => ({ type: "object", properties })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
  ),
})).schema;

const spellings = fc.constantFrom<JsonValue>("5", "yes", "0", "[1]", '{"a":"1"}', "null", "", 1, 0, null);
const values = fc.oneof(
  spellings,
  fc.jsonValue().map((value) => value as JsonValue),
);

test("T0.5 coercion never makes a value of a type that the schema does not name", () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const result = coerced(value, schema, { required: ["value"] });
      expect(isReading(value, result, schema)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("T0.5 what is read once is not read differently a second time", () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const once = coerced(value, schema, { required: ["value"] }) ?? null;
      expect(coerced(once, schema, { required: ["value"] }) ?? null).toEqual(once);
    }),
    { numRuns: 2_000 },
  );
});

test("T0.5 a valid value stays as it is", () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const whole: JsonSchema = { type: "object", properties: { value: schema }, required: ["value"] };
      fc.pre(new Validator(structuredClone(whole), "2020-12").validate({ value }).valid);
      expect(coerceArguments({ value }, whole)).toEqual({ value });
    }),
    { numRuns: 1_000 },
  );
});

/** Unchanged, or of a type that the schema names, parts likewise. */
function isReading(before: JsonValue | undefined, after: JsonValue | undefined, schema: JsonSchema): boolean {
  if (before === after) return true;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some((one) => isReading(before, after, one as JsonSchema));
  if (schema.type === "array" && Array.isArray(after)) {
    const list = readList(before);
    return after.every((item, index) => isReading(list?.[index], item, schema.items as JsonSchema));
  }
  if (schema.type === "object") return typeof after === "object" && after !== null && !Array.isArray(after);
  if (schema.type === "integer") return Number.isInteger(after);
  return typeof after === schema.type || JSON.stringify(before) === JSON.stringify(after);
}

function readList(value: JsonValue | undefined): JsonValue[] | undefined {
  const list = typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
  return Array.isArray(list) ? list : undefined;
}
