import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pluginPackage, writeProject } from "../../test/support/package-project.ts";
import { BubError } from "../base/errors.ts";
import { renderStray } from "./stray-error.ts";

const own = "/opt/bub/dist";
const failing = (...frames: readonly string[]) => {
  const error = new Error("no planet");
  error.stack = ["Error: no planet", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
};

test("R1.5 what fails where nobody waits is told with the file of the plugin", () => {
  const told =
    "Code at /home/me/my plugin.js:3 failed where nobody waited for it: no planet. Leave that plugin out, or await the promise there and catch what it throws.";
  for (const frame of [
    "file:///home/me/my%20plugin.js:3:9",
    "Object.beforeModelCall (file:///home/me/my%20plugin.js:3:9)",
    "async file:///home/me/my%20plugin.js:3:9",
    "async Promise.all (/home/me/my plugin.js:3:9)",
    "new Thing (file:///home/me/my%20plugin.js?new:3:9)",
  ])
    expect(
      renderStray(failing("node:internal/timers:588:17", `run (${own}/work.cjs:1:2)`, frame, "x (/other.js:1:1)"), own),
    ).toBe(told);
});

test("R1.5 an installed package is named, also where it failed in one that it depends on", () => {
  const home = mkdtempSync(join(tmpdir(), "bub-stray-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const project = writeProject(home, { "@a/weather": pluginPackage("@a/weather", '{ name: "weather" }') });
  const modules = join(project, "node_modules");
  const error = failing(`get (${modules}/some-client/index.js:1:1)`, `file://${modules}/@a/weather/plugin.js:7:1`);
  expect(renderStray(error, own)).toBe(
    "Code of the package @a/weather failed where nobody waited for it: no planet. bub uninstall @a/weather takes it out; its author would like to know.",
  );
});

test("R1.5 what fails in no plugin keeps its own sentence", () => {
  expect(renderStray(failing("node:internal/timers:588:17", `run (${own}/work.cjs:1:2)`), own)).toBe("no planet");
  const error = new BubError("config", "the disk is full", { hint: "Free some space." });
  error.stack = `BubError: the disk is full\n    at file://${own}/cli.js:1:1`;
  expect(renderStray(error, own)).toBe("the disk is full. Free some space.");
  expect(renderStray(undefined, own)).toBe(
    "Something that is no error was thrown where nobody waited for it: undefined.",
  );
});
