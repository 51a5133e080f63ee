import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { definePlugin } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import { loadPlugins } from "./plugin-loader.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-plugins-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const host = { workspace: "/work" } as PluginHost;
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
