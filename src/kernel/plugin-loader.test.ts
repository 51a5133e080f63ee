import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLogger, silentLogger } from "../base/log.ts";
import { definePlugin } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import { loadPlugins } from "./plugin-loader.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-plugins-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const host = { workspace: "/work", config: {}, log: silentLogger } as unknown as PluginHost;
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
/** As the package's own `definePlugin` does, for files that cannot import it here. */
const branded = (body: string) =>
  `export default Object.defineProperty(${body}, Symbol.for("bub.plugin"), { value: true });`;

test("R5.5 plugins come from objects, from functions that get the host, and from files, in that order", async () => {
  const { plugins, problems } = await loadPlugins(
    [
      definePlugin({ name: "one" }),
      definePlugin((given) => ({ name: given.workspace === "/work" ? "two" : "wrong" })),
      file("three.mjs", branded('{ name: "three" }')),
    ],
    host,
  );
  expect(plugins.map(({ name }) => name)).toEqual(["one", "two", "three"]);
  expect(problems).toEqual([]);
});

test("R1.5 a plugin that fails to load is reported and skipped, the others work", async () => {
  const throwing = file("throwing.mjs", 'throw new Error("no such planet");');
  const empty = file("empty.mjs", "export const nothing = 1;");
  const { plugins, problems } = await loadPlugins(
    [
      throwing,
      empty,
      join(folder, "missing.mjs"),
      definePlugin(() => {
        throw new Error("in the making");
      }),
      definePlugin({ name: "fine" }),
    ],
    host,
  );
  expect(plugins.map(({ name }) => name)).toEqual(["fine"]);
  expect(problems).toEqual([
    `The plugin ${throwing} is skipped: loading ${throwing} failed: no such planet`,
    `The plugin ${empty} is skipped: ${empty} has no default export made by definePlugin().`,
    `The plugin ${join(folder, "missing.mjs")} is skipped: there is no file ${join(folder, "missing.mjs")}.`,
    expect.stringMatching(/is skipped: in the making$/),
  ]);
});

test("R1.5 a plugin that never ends loading is reported and skipped", async () => {
  const endless = file("endless.mjs", "await new Promise(() => undefined);");
  const { plugins, problems } = await loadPlugins([endless, definePlugin({ name: "fine" })], host, 50);
  expect(plugins.map(({ name }) => name)).toEqual(["fine"]);
  expect(problems).toEqual([
    `The plugin ${endless} is skipped: loading ${endless} failed: it did not end within 0.05 seconds`,
  ]);
});

test("R1.3 a hook that seems to be misspelled is warned about, what else a plugin has is its own", async () => {
  const plugin = { name: "near", systemPromt: () => "never asked", beforeToolcall: () => undefined, cache: 1 };
  const { warnings } = await loadPlugins([definePlugin(plugin)], host);
  expect(warnings).toEqual([
    "The plugin near has systemPromt, which is no hook; did you mean systemPrompt?",
    "The plugin near has beforeToolcall, which is no hook; did you mean beforeToolCall?",
  ]);
});

test("R5.5 of two packages with plugins of one name the later one is left, and both are named", async () => {
  const body = `{ name: "polite", settings: { type: "object", properties: { tone: { default: "mild" } } }, create: () => ({}) }`;
  const [one, two] = [file("one.mjs", branded(body)), file("two.mjs", branded('{ name: "polite", mark: 2 }'))];
  const sources = [
    { package: "bub-a", version: "1.0.0", file: one },
    { package: "bub-b", version: "2.0.0", file: two },
  ];
  const { plugins, packages, problems, warnings, settings } = await loadPlugins(sources, host);
  expect(plugins).toEqual([expect.objectContaining({ name: "polite", mark: 2 })]);
  expect(problems).toEqual([
    "The plugin polite of bub-a 1.0.0 gives way to that of bub-b 2.0.0, which has the same name. Remove one of them: bub uninstall bub-a, or bub uninstall bub-b.",
  ]);
  expect(packages).toEqual([
    { ...sources[0], problem: "a later plugin of the same name has taken its place." },
    { ...sources[1], plugin: "polite" },
  ]);
  expect([warnings, settings]).toEqual([[], []]);
});

test("R5.5 a path takes the place of a package's plugin of the same name; the same path twice is one", async () => {
  const [one, two] = [
    file("first.mjs", branded('{ name: "polite" }')),
    file("second.mjs", branded('{ name: "polite" }')),
  ];
  const loaded = await loadPlugins([{ package: "bub-a", version: "1.0.0", file: one }, two, relative("", two)], host);
  expect(loaded.plugins).toHaveLength(1);
  expect(loaded.problems).toEqual([]);
  expect(loaded.warnings).toEqual([
    `The plugin polite of bub-a 1.0.0 gives way to that of ${two}, which has the same name.`,
  ]);
});

test("R5.5 plugins that a program gives itself may share a name", async () => {
  const { plugins } = await loadPlugins(
    [definePlugin({ name: "web" }), file("web.mjs", branded('{ name: "web" }'))],
    host,
  );
  expect(plugins).toHaveLength(2);
});

test("R5.5 a bad name and another version of the contract are one sentence each", async () => {
  const { problems } = await loadPlugins(
    [definePlugin({ name: "Bad Name" }), definePlugin({ name: "old", apiVersion: 0 })],
    host,
  );
  expect(problems).toEqual([
    "The plugin Bad Name is skipped: its name must be lower case words joined by '-'.",
    "The plugin old is skipped: it is made for version 0 of the plugin contract, this is version 1.",
  ]);
});

const readsTypes = "typescript" in process.features && Boolean(process.features.typescript);
const typed = () => file("typed.ts", `const name: string = "typed";\n${branded("{ name }")}`);

test.skipIf(!readsTypes)("R5.5 a TypeScript plugin is loaded as it is (needs Node 22.18)", async () => {
  const { plugins, problems } = await loadPlugins([typed()], host);
  expect(problems).toEqual([]);
  expect(plugins.map(({ name }) => name)).toEqual(["typed"]);
});

test.skipIf(readsTypes)(
  "R5.5 an older Node skips a TypeScript plugin with one sentence (needs Node below 22.18)",
  async () => {
    const path = typed();
    const { plugins, problems } = await loadPlugins([path], host);
    expect(plugins).toEqual([]);
    expect(problems).toEqual([
      `The plugin ${path} is skipped: a TypeScript plugin needs Node 22.18 or newer, this is ${process.version}.`,
    ]);
  },
);

test("R5.5 the lines of a plugin's logger carry its name, while it is made and later", async () => {
  const lines: string[] = [];
  const log = createLogger({ write: (line) => lines.push(line), level: "info" });
  const kept: PluginHost[] = [];
  const talking = definePlugin((given) => {
    kept.push(given);
    return { name: "talking" };
  });
  const configured = definePlugin({
    name: "configured",
    settings: {},
    create({ log: own }) {
      own.info("made");
      return {};
    },
  });
  await loadPlugins([talking, configured], { ...host, log });
  kept[0]?.log.warn("hello", { about: "it" });
  kept[0]?.log.child({ part: "socket" }).error("gone");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "info", message: "made", plugin: "configured" },
    { level: "warn", message: "hello", plugin: "talking", about: "it" },
    { level: "error", message: "gone", plugin: "talking", part: "socket" },
  ]);
});

test("R5.5 what makes a plugin answers an object at once; else the plugin is skipped with one sentence", async () => {
  const late = definePlugin({ name: "late", settings: {}, create: (async () => ({})) as never });
  const nothing = definePlugin((() => undefined) as never);
  const { plugins, problems } = await loadPlugins([late, nothing], host);
  expect(plugins).toEqual([]);
  const sentence = "is skipped: what makes it must answer an object of hooks at once, no promise.";
  expect(problems).toEqual([`The plugin late ${sentence}`, expect.stringContaining(sentence)]);
});
