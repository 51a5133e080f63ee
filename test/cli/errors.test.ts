// What is wrong around Bub is said in one clear sentence, without a stack, and with the right exit code.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pluginPackage, writeProject } from "../support/package-project.ts";
import { type CliResult, createCliWorld } from "../support/run-cli.ts";

function expectSentence({ code, stdout, stderr }: CliResult, ...parts: string[]): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^bub: [^\n]+\n$/);
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
}

test("R1.5 a name that is no model", async () => {
  using world = createCliWorld();
  expectSentence(await world.run(["run", "hi", "--model", "gpt"]), "gpt", "provider:model");
});

test("R1.5 a provider that nobody knows suggests the near one", async () => {
  using world = createCliWorld();
  expectSentence(await world.run(["run", "hi", "--model", "openroter:x"]), "openroter", "openrouter");
});

test("R1.5 R4.1 no key names the variable and the command that sets it up", async () => {
  using world = createCliWorld();
  expectSentence(await world.run(["run", "hi"]), "OPENROUTER_API_KEY", "BUB_API_KEY", "bub onboard");
});

test("R1.5 a script that is missing", async () => {
  using world = createCliWorld();
  expectSentence(await world.run(["run", "hi", "--model", "scripted:none.yml"]), "none.yml");
});

test("R1.5 a server that cannot be reached is named", async () => {
  using world = createCliWorld();
  const env = { BUB_API_BASE: "http://127.0.0.1:1/v1", BUB_API_KEY: "sk-secret-key" };
  const result = await world.run(["run", "hi", "--model", "local:some-model"], { env });
  expectSentence(result, "127.0.0.1:1/v1");
  expect(result.stderr).not.toContain("sk-secret-key");
});

test("R1.5 config.yml that is no YAML is named, for every command that reads it", async () => {
  using world = createCliWorld();
  world.file("home/config.yml", "model: [unclosed\n");
  for (const words of [["run", "hi"], ["chat"], ["hooks"], ["tape", "show"]]) {
    expectSentence(await world.run(words), "config.yml is not valid YAML: Flow sequence");
  }
});

test("R1.5 a setting that is no such value names the place, the value and what it must be", async () => {
  using world = createCliWorld();
  expectSentence(
    await world.run(["run", "hi"], { env: { BUB_MAX_STEPS: "many" } }),
    "BUB_MAX_STEPS",
    "many",
    "whole number",
  );
});

test("R1.5 a workspace that does not exist, and one that is a file", async () => {
  using world = createCliWorld();
  expectSentence(await world.run(["run", "hi", "-w", "nowhere", "--model", world.script("ok")]), "nowhere");
  const file = world.file("file.txt", "");
  expectSentence(await world.run(["run", "hi", "-w", file, "--model", world.script("ok")]), file);
});

test("R1.5 R3.4 a home that cannot be written", async () => {
  using world = createCliWorld();
  const home = `${world.file("file", "")}/below`;
  expectSentence(await world.run(["run", "hi", "--model", world.script("ok")], { env: { BUB_HOME: home } }), home);
});

test("R1.5 R5.5 a plugin that throws on load is reported and skipped, and the rest works", async () => {
  using world = createCliWorld();
  const plugin = world.file("broken.mjs", 'throw new Error("no luck today");\n');
  const result = await world.run(["run", "hi", "--plugin", plugin, "--model", world.script("ok")]);
  expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  expect(result.stderr).toMatch(/^bub: [^\n]*broken\.mjs[^\n]*no luck today[^\n]*\n$/);
});

test.each(["buildPrompt", "runModel", "systemPrompt", "beforeModelCall", "renderOutbound", "saveState", "loadState"])(
  "R1.5 a plugin that throws in %s is named, without a stack",
  async (hook) => {
    using world = createCliWorld();
    const plugin = world.file(
      "bad.mjs",
      `const plugin = { name: "bad-luck", ${hook}() { throw new Error("no luck today"); } };
      Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
      export default plugin;`,
    );
    const result = await world.run(["run", "hi", "--plugin", plugin, "--model", world.script("ok")]);
    expect(result.stderr).toMatch(/^bub: [^\n]*bad-luck[^\n]*no luck today[^\n]*\n$/);
    expect(result.code).toBe(["saveState", "systemPrompt"].includes(hook) ? 0 : 1);
  },
);

test("R1.5 a stray failure of a plugin ends the run with its sentence", async () => {
  using world = createCliWorld();
  const plugin = world.file("stray.mjs", 'setTimeout(() => Promise.reject(new Error("no luck today")), 50);\n');
  const model = world.script({ text: "I begin.", stall: true });
  const result = await world.run(["run", "hi", "--plugin", plugin, "--model", model]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(
    /\nbub: Code at .*stray\.mjs:1 failed where nobody waited for it: no luck today\. Leave that plugin out, or await .*\.\n$/,
  );
  expect(result.stderr).not.toMatch(/\n\s+at /);
});

test("R1.5 an installed plugin's stray failure names the package, and leaves a tape that goes on", async () => {
  using world = createCliWorld();
  const body = '{ name: "hasty", afterToolCall() { setTimeout(() => { throw new Error("no luck today"); }); } }';
  writeProject(world.home, { "bub-hasty": pluginPackage("bub-hasty", body) });
  const call = { calls: [{ name: "bash", arguments: { command: "echo done once" } }] };
  const env = { BUB_MODEL: world.script(call, { stall: true }) };
  const result = await world.run(["run", "hi"], { env });
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(
    /bub: Code of the package bub-hasty failed where nobody waited for it: no luck today\. bub uninstall bub-hasty takes it out/,
  );
  expect((await world.run(["tape", "check"])).code).toBe(0);
  rmSync(join(world.home, "bub-project"), { recursive: true });
  expect(await world.run(["run", "again", "--model", world.script("one", "two")])).toMatchObject({ code: 0 });
});

test("R1.5 a stray failure at the very end is no success", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "late.mjs",
    `export default Object.defineProperty({ name: "late", lifespan: () => ({ [Symbol.asyncDispose]: () => new Promise((closed) => {
      Promise.reject(new Error("no luck today"));
      setTimeout(closed, 20);
    }) }) }, Symbol.for("bub.plugin"), { value: true });`,
  );
  const result = await world.run(["run", "hi", "--plugin", plugin, "--model", world.script("done")]);
  expect(result).toMatchObject({ code: 1, stdout: "done\n", stderr: expect.stringContaining("late.mjs:2 failed") });
});

test("R3.1 a tape of a newer version is not continued, and a fresh session is offered", async () => {
  using world = createCliWorld();
  await world.run(["run", "hi", "--model", world.script("ok")]);
  const entry = {
    id: "0197-a3",
    kind: "hologram",
    payload: {},
    meta: {},
    date: new Date().toISOString(),
  };
  appendFileSync(world.tapeFile(), `${JSON.stringify(entry)}\n`);
  expectSentence(await world.run(["run", "again", "--model", world.script("ok", "ok")]), "newer", "--new");
});

test("R3.1 a tape that is a folder is named", async () => {
  using world = createCliWorld();
  mkdirSync(world.tapeFile(), { recursive: true });
  expectSentence(await world.run(["run", "hi", "--model", world.script("ok")]), dirname(world.tapeFile()));
});

test("R1.5 pipes where files are expected, and devices without end, are refused at once", async () => {
  using world = createCliWorld();
  const model = world.script("fine");
  for (const name of ["AGENTS.md", ".env", "pipe"]) execFileSync("mkfifo", [join(world.workspace, name)]);
  const { code, stdout, stderr } = await world.run(["run", "hi", "--model", model]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "fine\n" });
  expect(stderr).toContain("AGENTS.md");
  for (const file of ["pipe", "/dev/zero"]) {
    const refused = await world.run(["run", "hi", "--new", "--model", model, "--file", file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`The file ${file} cannot be attached: it is not a regular file.`);
  }
});

test("R1.6 a broken link in the place of the lease is one clear sentence", async () => {
  using world = createCliWorld();
  const model = world.script("fine");
  await world.run(["run", "hi", "--model", model]);
  symlinkSync("/nowhere/at/all", world.tapeFile().replace(/\.jsonl$/, ".lease"));
  const { code, stderr } = await world.run(["run", "hi", "--model", model]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /The lease \S+ can neither be read nor made: something else stands there, such as a broken link\. Remove it and try again\.\n$/,
  );
});

test("R3.4 a last line with an impossible id is skipped, and the session goes on", async () => {
  using world = createCliWorld();
  const model = world.script("one", "two");
  await world.run(["run", "hi", "--model", model]);
  appendFileSync(
    world.tapeFile(),
    '{"id":9007199254740993,"kind":"message","payload":{"role":"user"},"meta":{},"date":"2026"}\n',
  );
  expect(await world.run(["run", "again", "--model", model])).toMatchObject({ code: 0, stdout: "two\n" });
});
