import * as v from "valibot";
import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { defineTool } from "./define-tool.ts";

const schema = v.strictObject({
  path: v.string(),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  names: v.optional(v.array(v.string()), ["all"]),
});

const jsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    names: { type: "array", items: { type: "string" } },
    either: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    nested: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, additionalProperties: false },
  },
  required: ["path"],
  $defs: { a: { type: "string" } },
};

const byValibot = defineTool({ name: "demo", description: "", input: schema, run: () => null });
const byJsonSchema = defineTool({ name: "demo", description: "", input: jsonSchema, run: () => null });
const both = [byValibot, byJsonSchema];

async function issuesOf(args: JsonObject, tool = byValibot) {
  const validated = await tool.validate(args);
  return validated.ok ? [] : validated.issues;
}

test("T0.5 valid arguments come back coerced, with the schema's defaults", async () => {
  expect(await byValibot.validate({ path: "a", limit: "3" })).toEqual({
    ok: true,
    args: { path: "a", limit: 3, names: ["all"] },
  });
  expect(await byJsonSchema.validate({ path: "a", limit: "3", names: null })).toEqual({
    ok: true,
    args: { path: "a", limit: 3 },
  });
});

test("T0.5 unknown names are invalid, and the near one is named", async () => {
  for (const tool of both) {
    expect(await issuesOf({ path: "a", limits: 1 }, tool)).toEqual([
      { path: "limits", message: "unknown parameter; did you mean limit?" },
    ]);
  }
  expect(await issuesOf({ path: "a", zebra: 1 })).toEqual([
    { path: "zebra", message: "unknown parameter; known: path, limit, names" },
  ]);
  const none = defineTool({ name: "none", description: "", run: () => null });
  expect(await issuesOf({ a: 1 }, none)).toEqual([{ path: "a", message: "unknown parameter; there are none" }]);
});

test("T0.5 unknown names are invalid for schemas that would drop them, and allowed for those that ask for them", async () => {
  const dropping = defineTool({
    name: "a",
    description: "",
    input: v.object({ x: v.optional(v.string()) }),
    run: () => 0,
  });
  expect(await issuesOf({ y: 1 }, dropping)).toHaveLength(1);
  const open = defineTool({ name: "b", description: "", input: v.looseObject({}), run: () => 0 });
  expect(await open.validate({ y: 1 })).toEqual({ ok: true, args: { y: 1 } });
  const input = {
    anyOf: [
      { properties: { y: {} }, required: ["y"] },
      { properties: { z: {} }, required: ["z"] },
    ],
  };
  const either = defineTool({ name: "d", description: "", input, run: () => 0 });
  expect(await either.validate({ y: 1 })).toEqual({ ok: true, args: { y: 1 } });
  expect(await issuesOf({ x: 1 }, either)).toHaveLength(1);
  const patterned = { type: "object", patternProperties: { "^x": { type: "number" } } };
  const byPattern = defineTool({ name: "c", description: "", input: patterned, run: () => 0 });
  expect(await byPattern.validate({ x1: 1 })).toEqual({ ok: true, args: { x1: 1 } });
});

test("T0.5 a missing argument is said to be required, once", async () => {
  for (const tool of both) expect(await issuesOf({}, tool)).toEqual([{ path: "path", message: "is required" }]);
});

test("T0.5 issues say in words what was expected", async () => {
  expect(await issuesOf({ path: "a", limit: 1.5 })).toEqual([
    { path: "limit", message: "Expected integer but received 1.5" },
  ]);
  const input = v.strictObject({ name: v.pipe(v.string(), v.nonEmpty()) });
  const named = defineTool({ name: "demo", description: "", input, run: () => null });
  expect(await issuesOf({ name: "" }, named)).toEqual([{ path: "name", message: "must not be empty" }]);
});

test("T0.5 issues carry the path of what is wrong, and all are reported", async () => {
  for (const tool of both) {
    const issues = await issuesOf({ path: 5, limit: 0, names: ["a", 1] }, tool);
    expect(issues.map(({ path }) => path)).toEqual(["path", "limit", "names.1"]);
    expect(issues[0]?.message).toMatch(/^Expected string but received (5|number)$/);
  }
});

test("T0.5 issues of plain JSON Schema name the innermost fault only", async () => {
  expect(await issuesOf({ path: "a", either: "x", nested: { b: 1 } }, byJsonSchema)).toEqual([
    { path: "either", message: "Instance does not match any subschemas." },
    { path: "nested.b", message: "is not allowed" },
  ]);
  expect(await issuesOf({ path: "a", nested: { a: 1 } }, byJsonSchema)).toEqual([
    { path: "nested.a", message: "Expected string but received number" },
  ]);
});

test("T0.5 a message never quotes a long value whole", async () => {
  const [issue] = await issuesOf({ path: "a", limit: "x".repeat(10_000) });
  expect(issue?.message.length).toBeLessThan(400);
});

test("a JSON Schema that cannot be read is an error that says so", async () => {
  const broken = defineTool({
    name: "b",
    description: "",
    input: { properties: { a: { $ref: "#/nowhere" } } },
    run: () => 0,
  });
  await expect(broken.validate({ a: 1 })).rejects.toThrow(/the tool's parameter schema cannot be read/);
});
