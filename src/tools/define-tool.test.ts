import * as v from "valibot";
import { expect, test } from "vitest";
import type { JsonSchema, StandardSchema } from "../base/schema.ts";
import { aliasOf, codeNameOf, defineTool } from "./define-tool.ts";
import type { Exposure, ToolContext } from "./tool.ts";

const context = {} as ToolContext;

function tool(changes: object = {}) {
  return defineTool({ name: "demo.echo", description: "Echoes.", run: () => "ran", ...changes });
}

test("T0.1 a tool has what its definition says, with the defaults for the rest", async () => {
  const plain = tool();
  expect(plain).toMatchObject({
    name: "demo.echo",
    alias: "demo_echo",
    description: "Echoes.",
    exposure: "auto",
    deferred: false,
    exclusive: false,
    output: undefined,
  });
  expect(plain.parameters).toEqual({ type: "object", properties: {} });
  expect(await plain.run({}, context)).toBe("ran");
  const output = { type: "string" };
  expect(tool({ exposure: "direct", deferred: true, exclusive: true, output })).toMatchObject({
    exposure: "direct",
    deferred: true,
    exclusive: true,
    output,
  });
});

test.each([
  ["parameters", "input"],
  ["inputSchema", "input"],
  ["input_schema", "input"],
  ["inputs", "input"],
  ["outputSchema", "output"],
  ["exposre", "exposure"],
  ["defered", "deferred"],
  ["Exclusive", "exclusive"],
  ["renderer", "render"],
])("T0.1 a field %s is refused where %s was meant: it would be forgotten", (field, meant) => {
  expect(() => tool({ [field]: { type: "object" } })).toThrow(
    `tool 'demo.echo' has the unknown field '${field}'; did you mean ${meant}?`,
  );
});

test("T0.1 a tool without run is refused, with what stands in its place", () => {
  const definition = { name: "demo.echo", description: "Echoes." };
  const define = (more: object) => () => defineTool({ ...definition, ...more } as never);
  expect(define({ execute: () => "" })).toThrow("tool 'demo.echo' has the unknown field 'execute'; did you mean run?");
  expect(define({ rum: () => "" })).toThrow("did you mean run?");
  expect(define({ run: undefined, execute: () => "" })).toThrow("did you mean run?");
  expect(define({})).toThrow("tool 'demo.echo' has no function run");
});

test("T0.1 what else a definition has is its own affair", async () => {
  const own = tool({
    cache: new Map(),
    tags: ["a"],
    note: "of mine",
    parameters: "kept beside",
    input: { type: "object" },
  });
  expect(own.parameters).toEqual({ type: "object", properties: {} });
  expect(await own.run({}, context)).toBe("ran");
});

test("T0.1 defineTool infers argument types from the input and hands validated arguments to run", async () => {
  const add = defineTool({
    name: "add",
    description: "Adds.",
    input: v.strictObject({ left: v.number(), right: v.optional(v.number(), 2) }),
    run: ({ left, right }): number => left + right,
    render: (sum) => `the sum is ${sum.toFixed(1)}`,
  });
  const checked = await add.validate({ left: "1" });
  expect(checked).toEqual({ ok: true, args: { left: 1, right: 2 } });
  if (!checked.ok) throw new Error("refused");
  const sum = await add.run(checked.args, context);
  expect(sum).toBe(3);
  expect(add.render(sum)).toBe("the sum is 3.0");
});

test("T0.1 any Standard Schema that yields JSON Schema is an input", async () => {
  const foreign: StandardSchema<{ size: number }> = {
    "~standard": {
      version: 1,
      vendor: "elsewhere",
      validate: (value) => ({ value: value as { size: number } }),
      jsonSchema: {
        input: () => ({ $schema: "x", required: ["size"], properties: { size: { type: "number" } }, type: "object" }),
      },
    },
  };
  const sized = defineTool({ name: "sized", description: "", input: foreign, run: ({ size }) => size });
  expect(sized.parameters).toEqual({ type: "object", properties: { size: { type: "number" } }, required: ["size"] });
  expect(await sized.validate({ size: "4" })).toEqual({ ok: true, args: { size: 4 } });
});

test("T0.1 an input without JSON Schema is an error naming the tool", () => {
  const mute = { "~standard": { version: 1, vendor: "mute", validate: (value: unknown) => ({ value }) } };
  expect(() => tool({ input: mute })).toThrow(/tool 'demo.echo' has an input that gives no JSON Schema/);
  const dated = tool({ input: v.strictObject({ when: v.date() }) });
  expect(() => dated.parameters).toThrow(/tool 'demo.echo' has an input that JSON Schema cannot express/);
});

test("T0.1 plain JSON Schema is an input, and its tool's object is left as it was", async () => {
  const input: JsonSchema = Object.freeze({
    type: "object",
    properties: Object.freeze({ path: Object.freeze({ type: "string" }) }),
    additionalProperties: false,
  });
  const before = JSON.stringify(input);
  const read = tool({ input });
  expect(await read.validate({ path: "a" })).toEqual({ ok: true, args: { path: "a" } });
  expect(JSON.stringify(input)).toBe(before);
});

test("T0.2 exposure is auto, direct, code or command; any other value is an error naming the tool", () => {
  for (const exposure of ["auto", "direct", "code", "command"]) expect(tool({ exposure })).toMatchObject({ exposure });
  for (const exposure of ["model", "", "Direct", null]) {
    expect(() => tool({ exposure: exposure as Exposure })).toThrow(/tool 'demo.echo' has the unknown exposure/);
  }
});

test("T0.2 deferred on code and command tools is an error naming the tool", () => {
  for (const exposure of ["code", "command"]) {
    expect(() => tool({ exposure, deferred: true })).toThrow(/tool 'demo.echo' cannot be deferred/);
    expect(tool({ exposure, deferred: false }).deferred).toBe(false);
  }
  for (const exposure of ["auto", "direct"]) expect(tool({ exposure, deferred: true }).deferred).toBe(true);
});

test("T0.4 names match the pattern; others are an error naming the tool", () => {
  for (const name of ["a", "_", "fs.read", "Mcp-server.do_it-2", "A1"]) expect(tool({ name }).name).toBe(name);
  for (const name of ["", "1a", ".a", "-a", "a b", "a/b", "ä", "a\n", "fs:read"]) {
    expect(() => tool({ name })).toThrow(`tool '${name}' has a bad name`);
  }
});

test("T0.4 the model sees every dot as an underscore, at most 64 characters", () => {
  expect(tool({ name: "a.b.c-d" }).alias).toBe("a_b_c-d");
  expect(aliasOf("subagent.wait")).toBe("subagent_wait");
  expect(tool({ name: "x".repeat(64) }).alias).toHaveLength(64);
  expect(() => tool({ name: "x".repeat(65) })).toThrow(/tool 'x+' has a name of 65 characters/);
});

test("T0.4 in code a hyphen becomes an underscore too", () => {
  expect(codeNameOf(tool({ name: "mcp-server.do.it" }))).toBe("mcp_server_do_it");
});

test("T0.10 the default rendering keeps strings and writes the rest as compact JSON without escapes", () => {
  const plain = tool();
  expect(plain.render("as it is\n")).toBe("as it is\n");
  expect(plain.render({ name: "日本", list: [1, null] })).toBe('{"name":"日本","list":[1,null]}');
  expect(plain.render(undefined)).toBe("");
});
