import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { createFileStorage } from "../../tape/file-store.ts";
import { type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { createCompletion } from "./completion.ts";

const paint = defineTool({
  name: "paint",
  description: "Paint.",
  input: {
    type: "object",
    properties: {
      colour: { type: "string", enum: ["red", "green"], description: "which one" },
      glossy: { type: "boolean" },
      path: { type: "string" },
    },
    required: ["colour"],
  },
  run: () => "",
});

async function complete(line: string, { isAsked = true, ...options }: TestRuntimeOptions & { isAsked?: boolean } = {}) {
  const runtime = await testRuntime({ tools: [paint], ...options });
  onTestFinished(() => runtime[Symbol.asyncDispose]());
  const completion = createCompletion(runtime.runtime, () => "cli:test");
  const { signal } = new AbortController();
  const found = await completion.getSuggestions([line], 0, line.length, { signal, force: isAsked });
  const values = found?.items.map(({ value }) => value) ?? [];
  const apply = (value: string) =>
    completion.applyCompletion([line], 0, line.length, { value, label: value }, found?.prefix ?? "").lines[0];
  return { values, items: found?.items ?? [], apply };
}

function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), "bub-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"));
  for (const name of ["src/a.ts", "my notes.md", "evil\u001b[31m.md", "quote'd.md", ".hidden"])
    writeFileSync(join(folder, name), "x");
  return folder;
}

test("R5.2 completion of commands: those that there are, with what they are for; those of code mode are none", async () => {
  const { values, items } = await complete(",pai", { isAsked: false });
  expect(values).toEqual([",paint"]);
  expect(items[0]?.description).toBe("Paint.");
  expect((await complete(",mod", { isAsked: false })).values).toEqual([",model", ",code_mode"]);
});

test("R5.2 completion of arguments: values that the schema names, then names of parameters that are left", async () => {
  const first = await complete(",paint ");
  expect(first.values).toEqual(["red", "green", "colour=", "glossy=", "path="]);
  expect(first.items[2]?.description).toBe("which one");
  expect(first.apply("red")).toBe(",paint red ");
  expect(first.apply("colour=")).toBe(",paint colour=");
  expect((await complete(",paint g")).values).toEqual(["green", "glossy="]);
  expect((await complete(",paint red ")).values).toEqual(["true", "false", "glossy=", "path="]);
  const named = await complete(",paint glossy=");
  expect(named.values).toEqual(["glossy=true", "glossy=false"]);
  expect(named.apply("glossy=true")).toBe(",paint glossy=true ");
  expect((await complete(",paint glossy=true ")).values).toEqual(["red", "green", "colour=", "path="]);
  expect((await complete(",paint 'dark re")).values).toEqual([]);
});

test("R5.2 completion of arguments: paths, also when named", async () => {
  const here = workspace();
  expect((await complete(",paint red true ", { workspace: here })).values).toContain("src/");
  expect((await complete(",fs.read path=src/", { workspace: here })).values).toEqual(["path=src/a.ts"]);
});

test("R5.2 completion of arguments: names of sessions", async () => {
  const home = mkdtempSync(join(tmpdir(), "bub-completion-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  await using runtime = await testRuntime({ storage: createFileStorage({ home, clock: systemClock }) });
  await runtime.send(",help", { sessionId: "cli:earlier" });
  const word = { kind: "argument", command: "x", parameter: "session", text: "", sessionId: "" } as const;
  const { signal } = new AbortController();
  const answers = await runtime.runtime.hooks.collect("suggestWords", word, runtime.runtime, signal);
  expect(runtime.log).toEqual([]);
  expect(answers).toEqual([{ plugin: "session", answer: [{ value: "cli:earlier" }] }]);
});

test("R5.2 completion of models: from the providers, also by a part of the name", async () => {
  const plugin = definePlugin({
    name: "lab",
    provideModels: () => [{ provider: "lab", create: () => undefined, list: async () => ["big-1", "small-1"] }],
  });
  const settings = { model: "lab:big-1" };
  expect((await complete(",model lab:", { plugins: [plugin], settings })).values).toEqual(["lab:big-1", "lab:small-1"]);
  expect((await complete(",model model_id=small", { plugins: [plugin], settings })).values).toEqual([
    "model_id=lab:small-1",
  ]);
});

test("R5.2 completion is over when the person types on, whatever plugins do", async () => {
  const plugin = definePlugin({ name: "silent", suggestWords: () => new Promise<undefined>(() => undefined) });
  const runtime = await testRuntime({ plugins: [plugin] });
  onTestFinished(() => runtime[Symbol.asyncDispose]());
  const typing = new AbortController();
  const found = createCompletion(runtime.runtime, () => "").getSuggestions(["$a"], 0, 2, { signal: typing.signal });
  typing.abort();
  expect(await found).toBeNull();
});

test("R5.2 completion of skills: `$` and the beginning of a name", async () => {
  const here = workspace();
  const place = join(here, ".agents", "skills", "reviewer");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "SKILL.md"), "---\nname: reviewer\ndescription: Reviews\u001b[2J code.\n---\nRead it.");
  const { values, items, apply } = await complete("please use $rev", { workspace: here, isAsked: false });
  expect(values).toEqual(["$reviewer"]);
  expect(items[0]?.description).not.toContain("\u001b");
  expect(apply("$reviewer")).toBe("please use $reviewer ");
  expect((await complete("it costs $5", { workspace: here })).values).toEqual([]);
});

test("R5.2 completion of files: after `@`, with quotes around blanks; hostile names are not offered", async () => {
  const here = workspace();
  const all = await complete("see @", { workspace: here, isAsked: false });
  expect(all.values).toEqual(["@src/", '@"my notes.md"']);
  expect(all.apply("@src/")).toBe("see @src/");
  expect((await complete('see @"my', { workspace: here })).values).toEqual(['@"my notes.md"']);
  expect((await complete("see @src/", { workspace: here })).values).toEqual(["@src/a.ts"]);
  expect((await complete("a@src/", { workspace: here })).values).toEqual([]);
});

test("R5.2 shell mode completes paths, when asked", async () => {
  const here = workspace();
  expect((await complete("!cat src/", { workspace: here })).values).toEqual(["src/a.ts"]);
  expect((await complete(",cat src/", { workspace: here })).values).toEqual(["src/a.ts"]);
  expect((await complete("!cat src/", { workspace: here, isAsked: false })).values).toEqual([]);
});
