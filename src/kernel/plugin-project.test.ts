import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manifestText, pluginPackage, writeProject } from "../../test/support/package-project.ts";
import { silentLogger } from "../base/log.ts";
import type { PluginHost } from "./plugin-host.ts";
import { loadPlugins } from "./plugin-loader.ts";
import { linkOwnPackage, ownFolder, readPluginPackages } from "./plugin-project.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-project-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const host = { config: {}, log: silentLogger } as unknown as PluginHost;

test("R5.5 installed plugins are loaded in the order of package.json; a broken one is named and never stops the rest", async () => {
  const project = writeProject(home, {
    "bub-second": pluginPackage("bub-second", '{ name: "second" }', { version: "2.1.0" }),
    "bub-first": pluginPackage("bub-first", '{ name: "first" }', { bub: { plugin: "plugin.js", apiVersion: 1 } }),
    "bub-throwing": { ...pluginPackage("bub-throwing", "{}"), "plugin.js": 'throw new Error("no planet");' },
    "bub-empty": { ...pluginPackage("bub-empty", "{}"), "plugin.js": "export const nothing = 1;" },
    "bub-future": pluginPackage("bub-future", '{ name: "future" }', { bub: { plugin: "./plugin.js", apiVersion: 99 } }),
    "bub-climbing": pluginPackage("bub-climbing", "{}", { bub: "../bub-first/plugin.js" }),
    "bub-odd": pluginPackage("bub-odd", "{}", { bub: { main: "./plugin.js" } }),
    "bub-gone": undefined,
    "models-only": { "package.json": manifestText({ name: "models-only" }) },
  });
  const { plugins, packages, problems } = await loadPlugins(await readPluginPackages(home), host);
  expect(plugins.map(({ name }) => name)).toEqual(["second", "first"]);
  const inside = (name: string, file = "plugin.js") => join(project, "node_modules", name, file);
  expect(problems).toEqual([
    `The plugin bub-throwing 1.0.0 is skipped: loading ${inside("bub-throwing")} failed: no planet`,
    `The plugin bub-empty 1.0.0 is skipped: ${inside("bub-empty")} has no default export made by definePlugin().`,
    "The plugin bub-future 1.0.0 is skipped: it is made for version 99 of the plugin contract, this is version 1.",
    "The plugin bub-climbing 1.0.0 is skipped: the bub field of its package.json names ../bub-first/plugin.js, and there is no such file in the package.",
    'The plugin bub-odd 1.0.0 is skipped: the bub field of its package.json must name the plugin\'s file: "bub": "./plugin.js".',
    `The plugin bub-gone is skipped: it is not in ${join(project, "node_modules", "bub-gone")}; bub update bub-gone brings it back.`,
  ]);
  expect(packages.map(({ package: name, version, plugin }) => [name, version, plugin])).toEqual([
    ["bub-second", "2.1.0", "second"],
    ["bub-first", "1.0.0", "first"],
    ["bub-throwing", "1.0.0", undefined],
    ["bub-empty", "1.0.0", undefined],
    ["bub-future", "1.0.0", undefined],
    ["bub-climbing", "1.0.0", undefined],
    ["bub-odd", "1.0.0", undefined],
    ["bub-gone", undefined, undefined],
    ["models-only", "1.0.0", undefined],
  ]);
});

test("R5.5 a project that cannot be read is named and never stops the rest", async () => {
  const project = writeProject(home, {});
  writeFileSync(join(project, "package.json"), "nothing");
  const { plugins, problems } = await loadPlugins([...(await readPluginPackages(home)), { name: "own" }], host);
  expect(plugins.map(({ name }) => name)).toEqual(["own"]);
  expect(problems).toEqual([expect.stringMatching(/^The plugin project is skipped: .*package\.json cannot be used: /)]);
});

test("R5.5 what plugins import as bub is this program, also when it was moved since", async () => {
  const project = writeProject(home, { "bub-one": pluginPackage("bub-one", '{ name: "one" }') });
  const link = join(project, "node_modules", "bub");
  const root = realpathSync(ownFolder() ?? "");
  await readPluginPackages(home);
  expect(realpathSync(link)).toBe(root);
  rmSync(link);
  symlinkSync(join(home, "an-older-place"), link);
  await readPluginPackages(home);
  expect(realpathSync(link)).toBe(root);
  rmSync(link);
  mkdirSync(link);
  linkOwnPackage(home);
  expect(lstatSync(link).isDirectory(), "what somebody put there stays").toBe(true);
});
