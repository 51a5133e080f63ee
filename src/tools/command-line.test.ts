import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { parseCommand, renderCommand, splitCommand, splitWords, usageOf } from "./command-line.ts";
import { defineTool } from "./define-tool.ts";

const bash = defineTool({
  name: "bash",
  description: "",
  input: v.strictObject({
    command: v.string(),
    cwd: v.optional(v.string()),
    timeout_seconds: v.optional(v.number(), 30),
    background: v.optional(v.boolean(), false),
  }),
  run: () => null,
});

const describe = defineTool({
  name: "tool.describe",
  description: "",
  input: v.strictObject({ names: v.array(v.string()), options: v.optional(v.looseObject({})) }),
  run: () => null,
});

async function argumentsOf(text: string, tool = bash): Promise<JsonObject> {
  const parsed = await parseCommand(tool, text);
  expect(parsed.problem).toBeUndefined();
  return parsed.arguments;
}

const problemOf = async (text: string, tool = bash) => (await parseCommand(tool, text)).problem;

test("T10.2 words are split as by POSIX, with quotes and backslashes", () => {
  expect(splitWords(`a  b\tc\nd`)).toEqual(["a", "b", "c", "d"]);
  expect(splitWords(`'a b' "c d" e\\ f g'h'"i"`)).toEqual(["a b", "c d", "e f", "ghi"]);
  expect(splitWords(`'a\\n"' "b'\\"\\\\\\n\\$" \\'`)).toEqual(['a\\n"', `b'"\\\\n$`, "'"]);
  expect(splitWords(`'' ""`)).toEqual(["", ""]);
  expect(splitWords("a\\\nb")).toEqual(["ab"]);
  expect(splitWords("全角\u3000空白 b\u00a0c")).toEqual(["全角\u3000空白", "b\u00a0c"]);
  expect(splitWords("  ")).toEqual([]);
});

test("T10.2 an open quote or a last backslash is no line of words", () => {
  for (const text of ["'a", 'a"b', "a\\", `"a\\"`]) expect(splitWords(text)).toBeUndefined();
});

test("T10.2 the documented examples work as written", async () => {
  expect(await argumentsOf(`command='printf "hello world"' timeout_seconds=10`)).toEqual({
    command: 'printf "hello world"',
    timeout_seconds: 10,
  });
  expect(await argumentsOf(`names='["web.fetch", "tape.search"]'`, describe)).toEqual({
    names: ["web.fetch", "tape.search"],
  });
});

test("T10.2 key=value counts when key is a parameter, otherwise the word is positional", async () => {
  expect(await argumentsOf("A=1 cwd=/tmp")).toEqual({ command: "A=1", cwd: "/tmp" });
  expect(await argumentsOf(`"command=a=b c"`)).toEqual({ command: "a=b c" });
  expect(await argumentsOf("command=")).toEqual({ command: "" });
  expect(await argumentsOf("=x")).toEqual({ command: "=x" });
});

test("T10.2 positional values fill the parameters in order, those given by key left out", async () => {
  expect(await argumentsOf("ls /tmp 5 true")).toEqual({
    command: "ls",
    cwd: "/tmp",
    timeout_seconds: 5,
    background: true,
  });
  expect(await argumentsOf("timeout_seconds=5 ls /tmp true")).toEqual({
    command: "ls",
    cwd: "/tmp",
    timeout_seconds: 5,
    background: true,
  });
});

test("T10.2 booleans, numbers, lists and objects are read by the parameter's type; text stays text", async () => {
  expect(await argumentsOf("5 cwd=true timeout_seconds=0.5 background=false")).toEqual({
    command: "5",
    cwd: "true",
    timeout_seconds: 0.5,
    background: false,
  });
  expect(await argumentsOf(`names=[] options='{"a":[1]}'`, describe)).toEqual({ names: [], options: { a: [1] } });
  const input = { properties: { model_id: { anyOf: [{ type: "string" }, { type: "null" }] } } };
  const model = defineTool({ name: "model", description: "", input, run: () => null });
  expect(await argumentsOf("openai:gpt", model)).toEqual({ model_id: "openai:gpt" });
});

test("T10.2 null leaves out a parameter that is no text", async () => {
  const read = defineTool({
    name: "r",
    description: "",
    input: v.strictObject({ limit: v.optional(v.number()) }),
    run: () => 0,
  });
  expect(await problemOf("limit=null", read)).toBeUndefined();
});

test("T10.2 a missing argument is an error that shows the usage line", async () => {
  expect(await problemOf("")).toEqual({
    kind: "invalid_input",
    message: "bash: command: is required\nusage: bash command [cwd] [timeout_seconds=30] [background=false]",
  });
});

test("T10.2 an argument too many, one given twice, a wrong type and an open quote show the usage line too", async () => {
  const usage = "\nusage: tool.describe names [options]";
  expect((await problemOf("[] {} more", describe))?.message).toBe(`tool.describe: unexpected argument 'more'${usage}`);
  expect((await problemOf("names=[] names=[1]", describe))?.message).toBe(
    `tool.describe: unexpected argument '[1]'${usage}`,
  );
  expect((await problemOf("web.fetch", describe))?.message).toBe(
    `tool.describe: names: Expected Array but received "web.fetch"${usage}`,
  );
  expect((await problemOf("names='[", describe))?.message).toBe(`tool.describe: a quote is not closed${usage}`);
});

test("T10.5 a usage line has the defaults in a form that can be typed", () => {
  const input = v.strictObject({
    query: v.string(),
    kinds: v.optional(v.array(v.string()), ["message", "tool_result"]),
    summary: v.optional(v.string(), ""),
    end: v.optional(v.nullable(v.string()), null),
  });
  const search = defineTool({ name: "tape.search", description: "", input, run: () => null });
  expect(usageOf(search)).toBe(`tape.search query [kinds='["message","tool_result"]'] [summary=''] [end]`);
});

test("T10.1 a command is its first word and the text after it", () => {
  expect(splitCommand("fs.read  path=a b\n")).toEqual({ name: "fs.read", rest: "path=a b\n" });
  expect(splitCommand(" help")).toEqual({ name: "help", rest: "" });
  expect(splitCommand("")).toEqual({ name: "", rest: "" });
});

const everything = defineTool({
  name: "everything",
  description: "",
  input: {
    type: "object",
    properties: {
      text: { type: "string" },
      number: { type: "number" },
      flag: { type: "boolean" },
      list: { type: "array" },
      object: { type: "object" },
    },
  },
  run: () => null,
});

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const texts = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a'"\\= \n$]*$/));
const argumentSets = fc.record(
  {
    text: texts,
    number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    flag: fc.boolean(),
    list: fc.array(json),
    object: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      json,
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test("T10.2 a rendered command is read back as the same arguments", async () => {
  await fc.assert(
    fc.asyncProperty(argumentSets, async (args) => {
      const { name, rest } = splitCommand(renderCommand("everything", args as JsonObject));
      expect(name).toBe("everything");
      const parsed = await parseCommand(everything, rest);
      expect(parsed).toEqual({ arguments: args });
    }),
    { numRuns: 1_000 },
  );
});

test("T10.2 any words survive quoting and splitting", () => {
  fc.assert(
    fc.property(fc.array(texts), (words) => {
      const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
      expect(splitWords(quoted.join(" "))).toEqual(words);
    }),
  );
});
