import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manifestText, type PackageFiles, pluginPackage, writePackage } from "../../../test/support/package-project.ts";
import { sentencesOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { type CheckOptions, checkPackage } from "./package-check.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-check-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const manifestOf = (files: PackageFiles): JsonObject => {
  const value = parseJson(files["package.json"] ?? "");
  return isJsonObject(value) ? value : {};
};

/** What the package is, or why it cannot be used. */
async function check(files: PackageFiles, options: Partial<CheckOptions> = {}): Promise<string> {
  writePackage(folder, files);
  const manifest = manifestOf(files);
  const found = { name: String(manifest.name), version: "1.0.0", folder, manifest };
  const signal = new AbortController().signal;
  return checkPackage(found, { isProvider: false, env: process.env, signal, ...options }).catch(sentencesOf);
}

const plugin = (text: string): PackageFiles => ({ ...pluginPackage("p", "{}"), "plugin.js": text });
const library = (text: string, manifest: object): PackageFiles => ({
  "package.json": manifestText(manifest),
  "index.js": text,
});

test("R5.5 a plugin is told by its name, one that is made for each runtime only as one", async () => {
  expect(await check(pluginPackage("p", '{ name: "weather", apiVersion: 1 }'))).toBe("the plugin weather");
  expect(await check(pluginPackage("p", '() => ({ name: "weather" })'))).toBe("a plugin");
});

test.each([
  ["throws", 'throw new Error("no planet");', "loading it failed: no planet"],
  ["throws no error", "throw undefined;", "loading it failed: undefined"],
  ["is no JavaScript", "const =", "loading it failed: Unexpected token '='"],
  ["ends the process", "process.exit(0);", "loading it ended the process."],
  ["kills itself", 'process.kill(process.pid, "SIGKILL");', "loading it ended the process."],
  ["waits for what never comes", "await new Promise(() => {});", "its loading never comes to an end."],
  ["exports nothing by default", "export const one = 1;", "its file has no default export made by definePlugin()."],
  [
    "exports an object that is none",
    'export default { name: "x" };',
    "its file has no default export made by definePlugin().",
  ],
  ["exports null", "export default null;", "its file has no default export made by definePlugin()."],
])("R5.5 a plugin that %s is refused", async (_what, text, why) => {
  expect(await check(plugin(text))).toBe(`p 1.0.0 cannot be used: ${why}`);
});

test("R5.5 a plugin of another version of the contract, with an odd name, or an odd bub field is refused", async () => {
  const why = async (files: PackageFiles) => (await check(files)).replace("p 1.0.0 cannot be used: ", "");
  expect(await why(pluginPackage("p", '{ name: "p", apiVersion: 2 }'))).toBe(
    "it is made for version 2 of the plugin contract, this is version 1.",
  );
  expect(await why(pluginPackage("p", "{}", { bub: { plugin: "./plugin.js", apiVersion: "1" } }))).toBe(
    'it is made for version "1" of the plugin contract, this is version 1.',
  );
  expect(await why(pluginPackage("p", '{ name: "../up" }'))).toBe("its name must be lower case words joined by '-'.");
  expect(await why(pluginPackage("p", "{}", { bub: true }))).toBe(
    'the bub field of its package.json must name the plugin\'s file: "bub": "./plugin.js".',
  );
  expect(await why(pluginPackage("p", "{}", { bub: "./other.js" }))).toBe(
    "the bub field of its package.json names ./other.js, and there is no such file in the package.",
  );
});

test("R5.5 loading that takes too long is ended, and so is one that nobody waits for any more", async () => {
  const endless = plugin("for (;;) {}");
  expect(await check(endless, { timeoutMs: 300 })).toBe(
    "p 1.0.0 cannot be used: loading it takes longer than 0.3 seconds.",
  );
  const reason = new Error("stop");
  expect(await check(endless, { signal: AbortSignal.abort(reason) })).toBe("stop");
});

test("R5.5 an AI SDK provider is told by what it depends on, or by the user, and needs a create… function", async () => {
  const makes = "export const createThing = () => {}; export const thing = 1;";
  const depends = { name: "@x/thing", peerDependencies: { "@ai-sdk/provider": "*" } };
  expect(await check(library(makes, depends))).toBe("models, by createThing()");
  expect(await check(library("export const thing = 1;", depends))).toBe(
    "@x/thing 1.0.0 cannot be used: it exports no create… function that makes a provider of models.",
  );
  expect(await check(library(makes, { name: "thing" }))).toBe(
    "thing 1.0.0 is no plugin: its package.json has no bub field. If it makes models by the AI SDK's interface: bub install --provider thing.",
  );
  expect(await check(library(makes, { name: "thing" }), { isProvider: true })).toBe("models, by createThing()");
});

test("T3.2 sharp is taken as what it is, if it can be loaded", async () => {
  expect(await check(library("export default () => {};", { name: "sharp" }))).toBe(
    "scales pictures that are too large for a model",
  );
  expect(await check(library('throw new Error("no libvips");', { name: "sharp" }))).toBe(
    "sharp 1.0.0 cannot be used: loading it failed: no libvips",
  );
});
