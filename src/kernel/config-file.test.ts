import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigFile } from "./config-file.ts";

function world(text?: string) {
  const folder = mkdtempSync(join(tmpdir(), "bub-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const path = join(home, "config.yml");
  if (text !== undefined) {
    mkdirSync(home);
    writeFileSync(path, text);
  }
  return { folder, home, path, file: new ConfigFile(home), text: () => readFileSync(path, "utf8") };
}

const key = { path: ["providers", "lab", "api_key"], value: "sk-1" };

test("R5.4 a new config.yml is readable by its owner only, and so is its folder", async () => {
  const { home, path, file, text } = world();
  await file.apply([{ path: ["model"], value: "lab:a" }, key]);
  expect(text()).toBe("model: lab:a\nproviders:\n  lab:\n    api_key: sk-1\n");
  expect([statSync(path).mode & 0o777, statSync(home).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("R5.4 comments, unknown keys, quotes and order stay as they are", async () => {
  const before = [
    "# mine, do not touch",
    'model: "openai:gpt-5" # the good one',
    "",
    "unknown_key: { a: 1, b: [x, y] }",
    "# before providers",
    "providers:",
    "    # of the lab",
    "    lab:",
    "        api_base: 'http://lab/v1'  # upstairs",
    "        extra: kept",
    "plugins:",
    "- ./a.mjs",
    `long: ${"word ".repeat(60).trim()}`,
    "",
  ].join("\n");
  const { path, file, text } = world(before);
  chmodSync(path, 0o644);
  await file.apply([{ path: ["model"], value: "openai:gpt-6" }, key]);
  expect(text()).toBe(
    before
      .replace("openai:gpt-5", "openai:gpt-6")
      .replace("        extra: kept\n", "        extra: kept\n        api_key: sk-1\n"),
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("R5.4 what is said already is not written anew, and CRLF stays", async () => {
  const { file, text } = world("model:   'a:b'\r\nproviders:\r\n  lab: {api_key: sk-1}\r\n");
  await file.apply([{ path: ["model"], value: "a:b" }, key]);
  expect(text()).toBe("model:   'a:b'\r\nproviders:\r\n  lab: {api_key: sk-1}\r\n");
  await file.apply([{ path: ["providers", "other", "type"], value: "openai" }]);
  expect(text()).toBe("model:   'a:b'\r\nproviders:\r\n  lab: {api_key: sk-1}\r\n  other:\r\n    type: openai\r\n");
});

test("R5.4 an empty file, one of comments only, and an empty section take keys", async () => {
  for (const before of ["", "# only this\n", "providers:\n", "providers:\n  lab:\n"]) {
    const { file, text } = world(before);
    await file.apply([key]);
    expect(text()).toContain("providers:\n  lab:\n    api_key: sk-1\n");
    if (before.startsWith("#")) expect(text()).toContain("# only this");
  }
});

test.each([
  ["model: [a\n", "is not valid YAML"],
  ["a: 1\n---\nb: 2\n", "is not valid YAML"],
  ["- a\n- b\n", "has no room for providers.lab.api_key: what stands there does not hold keys and values"],
  ["just words\n", "has no room for providers.lab.api_key: what stands there does not hold keys and values"],
  ["providers: '{\"lab\": {}}'\n", "has no room for providers.lab.api_key: what"],
  ["providers:\n  lab: [a]\n", "has no room for providers.lab.api_key: what"],
])("R5.4 what is not understood is left alone with a sentence: %j", async (before, why) => {
  const { path, file, text } = world(before);
  await expect(file.apply([key])).rejects.toMatchObject({ kind: "config", message: expect.stringContaining(why) });
  await expect(file.apply([key])).rejects.toThrow(`${path} `);
  await expect(file.apply([key])).rejects.toThrow(/: nothing was written\.$/);
  expect(text()).toBe(before);
});

test("R5.4 a link stays a link, and where it leads is told; a folder or a link to nowhere is refused", async () => {
  const { folder, home, path, file } = world("");
  const real = join(folder, "dotfiles.yml");
  writeFileSync(real, "# shared\n");
  rmSync(path);
  symlinkSync(real, path);
  expect(await file.target()).toBe(real);
  await file.apply([key]);
  expect(readFileSync(real, "utf8")).toContain("# shared\n");
  expect(readFileSync(real, "utf8")).toContain("api_key: sk-1");
  rmSync(real);
  await expect(file.target()).rejects.toThrow(`${path} cannot be read: it is a link that leads nowhere.`);
  rmSync(home, { recursive: true });
  mkdirSync(path, { recursive: true });
  await expect(file.apply([key])).rejects.toThrow(`${path} cannot be read: it is a folder.`);
});

test("R5.4 a home that cannot be made is one sentence", async () => {
  const { folder } = world();
  writeFileSync(join(folder, "home"), "a file");
  await expect(new ConfigFile(join(folder, "home")).apply([key])).rejects.toMatchObject({ kind: "config" });
});
