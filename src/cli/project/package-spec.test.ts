import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { messageOf } from "../../base/errors.ts";
import { isFromFile, isFromRegistry, parsePackageSpec } from "./package-spec.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-spec-"));
  mkdirSync(join(folder, "own"));
  writeFileSync(join(folder, "own", "package.json"), JSON.stringify({ name: "own", version: "1.0.0" }));
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "own.tgz"), Buffer.from([0x1f, 0x8b]));
});
afterEach(() => rmSync(folder, { recursive: true }));

const parse = (text: string) => parsePackageSpec(text, { folder, userHome: folder });
const failure = (text: string) => {
  try {
    return parse(text).kind;
  } catch (error) {
    return messageOf(error);
  }
};

test("R5.5 words are names with or without a version, paths, or addresses", () => {
  expect(parse("bub-weather")).toEqual({ kind: "name", text: "bub-weather", name: "bub-weather", version: "" });
  expect(parse("@a/b@1.2.3")).toMatchObject({ kind: "name", name: "@a/b", version: "1.2.3" });
  expect(parse("bub-weather@next")).toMatchObject({ kind: "name", version: "next" });
  for (const text of ["./own", "own.tgz", "file:own", "~/own", join(folder, "own")])
    expect(parse(text)).toMatchObject({ kind: "local", path: join(folder, text.endsWith(".tgz") ? "own.tgz" : "own") });
  for (const text of ["user/repository", "git+ssh://git@example.org/a.git", "https://example.org/a.tgz"])
    expect(parse(text)).toEqual({ kind: "address", text });
});

test("R5.5 words that cannot mean a package are one sentence", () => {
  expect(failure(" ")).toBe("An empty word names no package.");
  expect(failure("--global")).toBe("--global names no package.");
  expect(failure("bub")).toBe("bub itself is there for every plugin; it is not installed.");
  expect(failure("bub@1.0.0")).toBe("bub itself is there for every plugin; it is not installed.");
  expect(failure("./gone")).toBe(`There is no package at ${join(folder, "gone")}.`);
  expect(failure("./empty")).toBe(`There is no package at ${join(folder, "empty")}: it has no package.json.`);
});

test.each([
  ["{ no json", "its package.json is not valid JSON"],
  ["[]", "its package.json lacks a name or a version"],
  ['{ "name": "own" }', "its package.json lacks a name or a version"],
  ['{ "version": "1.0.0" }', "its package.json lacks a name or a version"],
  ['{ "name": "Own Name", "version": "1.0.0" }', "its name 'Own Name' is none that npm takes"],
])("R5.5 a folder whose package.json is %s is told before npm is asked", (text, why) => {
  writeFileSync(join(folder, "own", "package.json"), text);
  expect(failure("./own")).toBe(`There is no package at ${join(folder, "own")}: ${why}.`);
});

test("R5.5 a byte order mark is no fault of a package.json", () => {
  writeFileSync(join(folder, "own", "package.json"), '\uFEFF{ "name": "own", "version": "1.0.0" }');
  expect(failure("./own")).toBe("local");
});

test("R5.5 what cannot be looked at is told with its path and the reason", () => {
  const [link, inFolder] = [join(folder, "loop.tgz"), join(folder, "own", "package.json")];
  rmSync(inFolder);
  for (const path of [link, inFolder]) symlinkSync(path, path);
  const why = "cannot be read: its symbolic links lead in a circle.";
  expect(failure("loop.tgz")).toBe(`${link} ${why}`);
  expect(failure("./own")).toBe(`${inFolder} ${why}`);
});

test("R5.5 what is neither a package's folder nor a tarball is told before npm is asked", () => {
  mkdirSync(join(folder, "odd", "package.json"), { recursive: true });
  expect(failure("./odd")).toBe(`There is no package at ${join(folder, "odd")}: its package.json is no file.`);
  const file = join(folder, "own", "package.json");
  const neither = "it is neither a folder nor a tarball (.tgz, .tar.gz, .tar)";
  expect(failure(file)).toBe(`There is no package at ${file}: ${neither}.`);
  writeFileSync(join(folder, "odd.tgz"), "words");
  expect(failure("odd.tgz")).toBe(
    `There is no package at ${join(folder, "odd.tgz")}: it is no tarball that can be read.`,
  );
});

test("R5.1 what package.json asks for is a version, a file or an address", () => {
  expect(["1.2.3", "^1.0.0", "latest", "*"].every(isFromRegistry)).toBe(true);
  expect(["file:packages/a.tgz", "git+https://example.org/a.git", "user/repository"].some(isFromRegistry)).toBe(false);
  expect(isFromFile("file:packages/a.tgz")).toBe(true);
  expect(isFromFile("git+file:///a")).toBe(false);
});
