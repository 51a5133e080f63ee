import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { manifestText, writePackage, writeProject } from "../../test/support/package-project.ts";
import { messageOf, sentencesOf } from "./errors.ts";
import { entryFile, fileInside, importInstalled, isPackageName, listInstalled } from "./installed-packages.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-packages-"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("R5.5 a home without a project has no packages", async () => {
  expect(await listInstalled(home)).toEqual([]);
});

test("R5.5 packages come in the order of package.json; what is missing or broken is named, bub itself is left out", async () => {
  const project = writeProject(home, {
    zebra: { "package.json": manifestText({ name: "zebra", version: "2.0.0" }) },
    bub: undefined,
    gone: undefined,
    odd: { "package.json": "[1]" },
    "../../outside": undefined,
  });
  const found = await listInstalled(home);
  expect(found).toMatchObject([
    { name: "zebra", version: "2.0.0", folder: join(project, "node_modules", "zebra") },
    { name: "gone", problem: `it is not in ${join(project, "node_modules", "gone")}; bub update gone brings it back.` },
    { name: "odd", problem: "its package.json cannot be used: it is not a JSON object." },
    { name: "../../outside", problem: "its name is no package's name." },
  ]);
});

test("R5.5 a project that cannot be looked into is told, not taken for none", async () => {
  symlinkSync("bub-project", join(home, "bub-project"));
  const error = await listInstalled(home).catch((caught: unknown) => caught);
  expect(messageOf(error)).toBe(
    `${join(home, "bub-project", "package.json")} cannot be used: its symbolic links lead in a circle.`,
  );
});

test("R5.5 a project whose package.json cannot be read is one sentence", async () => {
  const project = writeProject(home, {});
  writeFileSync(join(project, "package.json"), "{");
  const error = await listInstalled(home).catch((caught: unknown) => caught);
  expect(sentencesOf(error)).toBe(
    `${join(project, "package.json")} cannot be used: it is not a JSON object. Put it right, or remove ${project} and install your plugins anew.`,
  );
});

test.each([
  ["a path", { main: "lib/main.cjs" }, "lib/main.cjs"],
  ["a path without an ending", { main: "./lib/main" }, "lib/main.js"],
  ["a folder", { main: "lib" }, "lib/index.js"],
  ["nothing", {}, "index.js"],
  ["an export", { exports: "./index.js", main: "lib/main.cjs" }, "index.js"],
  [
    "conditions",
    { exports: { ".": { types: "./t.d.ts", import: { default: "./index.js" }, require: "./x" } } },
    "index.js",
  ],
  ["the first of a list that fits", { exports: [{ browser: "./x" }, "./index.js"] }, "index.js"],
  ["require alone", { exports: { ".": { require: "./lib/main.cjs" } } }, "lib/main.cjs"],
])("the entry of a package that names %s", (_what, manifest, expected) => {
  const files = ["index.js", "lib/main.cjs", "lib/main.js", "lib/index.js"].map((name) => [name, ""]);
  const folder = writePackage(join(home, "p"), Object.fromEntries(files));
  expect(entryFile({ name: "p", version: "1.0.0", folder, manifest })).toBe(join(folder, expected));
});

test("R5.5 no path and no link leads out of a package", () => {
  const folder = writePackage(join(home, "p"), { "in.js": "", "deep/in.js": "" });
  writeFileSync(join(home, "out.js"), "");
  symlinkSync(join(home, "out.js"), join(folder, "link.js"));
  mkdirSync(join(home, "p-other"));
  writeFileSync(join(home, "p-other", "out.js"), "");
  const found = ["in.js", "./deep/../in.js", "../out.js", join(home, "out.js"), "link.js", "../p-other/out.js", "."];
  expect(found.map((path) => fileInside(folder, path) !== undefined)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("R5.5 names of packages are told from paths", () => {
  const names = ["bub-weather", "@ai-sdk/mistral", "a.b_c", "JSONStream"];
  const others = ["", "..", ".hidden", "../x", "a/b", "@a/../b", "@a", "/x", "x y", `x${"y".repeat(214)}`];
  expect(names.filter((name) => !isPackageName(name))).toEqual([]);
  expect(others.filter(isPackageName)).toEqual([]);
});

test("R5.5 a package is imported by its name; what is wrong with it is one sentence", async () => {
  writeProject(home, {
    fine: { "package.json": manifestText({ name: "fine" }), "index.js": "export const answer = 42;" },
    throwing: { "package.json": manifestText({ name: "throwing" }), "index.js": 'throw new Error("no planet");' },
    empty: { "package.json": manifestText({ name: "empty", exports: {} }) },
    gone: undefined,
  });
  const failure = async (name: string) => messageOf(await importInstalled(home, name).catch((error: unknown) => error));
  expect(await importInstalled(home, "fine")).toMatchObject({ answer: 42 });
  expect(await failure("throwing")).toBe("Loading the package throwing 1.0.0 failed: no planet");
  expect(await failure("empty")).toBe("The package empty has nothing to import: its exports name no file.");
  expect(await failure("gone")).toMatch(/^The package gone cannot be used: it is not in .*gone brings it back\.$/);
  expect(await failure("never")).toBe("The package never is not installed.");
  expect(await failure("../fine")).toBe("The package ../fine is not installed.");
});
