import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configKeyOf, type SettingName, settingTable } from "./setting-table.ts";
import { homeOf, loadSettings, type SettingsRequest } from "./settings.ts";

let home: string;
let workspace: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-home-"));
  workspace = mkdtempSync(join(tmpdir(), "bub-work-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of [home, workspace]) rmSync(folder, { recursive: true });
});

const load = (request: Partial<SettingsRequest> = {}) =>
  loadSettings({ workspace, ...request, env: { BUB_HOME: home, ...request.env } });
const dotenv = (text: string) => writeFileSync(join(workspace, ".env"), text);
const config = (text: string) => writeFileSync(join(home, "config.yml"), text);

test("R5.4 an empty BUB_HOME is one that is not set, and a relative one is meant from here", () => {
  const usual = join(homedir(), ".bub");
  expect([homeOf({}), homeOf({ BUB_HOME: "" }), homeOf({ BUB_HOME: " " })]).toEqual([usual, usual, usual]);
  expect(homeOf({ BUB_HOME: "kept" })).toBe(join(process.cwd(), "kept"));
});

test("R5.4 an empty HOME keeps nothing in the folder this runs in", () => {
  vi.stubEnv("HOME", "");
  expect(homeOf({})).toBe(join(userInfo().homedir, ".bub"));
});

test("R5.4 flag > environment > .env > config.yml > default, and each value knows its source", async () => {
  const seen: unknown[] = [];
  const note = async (request: Partial<SettingsRequest>) => {
    const { values, sources } = await load(request);
    seen.push([values.model, sources.model]);
  };
  await note({});
  config("model: a:config");
  await note({});
  dotenv("BUB_MODEL=a:dotenv");
  await note({});
  await note({ env: { BUB_MODEL: "a:env" } });
  await note({ env: { BUB_MODEL: "a:env" }, flags: { model: "a:flag" } });
  expect(seen).toEqual([
    ["openrouter:openrouter/free", "default"],
    ["a:config", "config.yml"],
    ["a:dotenv", ".env"],
    ["a:env", "environment"],
    ["a:flag", "flag"],
  ]);
});

test("R5.4 lists in the environment are comma-separated or JSON", async () => {
  for (const text of ["a:1, b:2", '["a:1","b:2"]']) {
    const { values } = await load({ env: { BUB_FALLBACK_MODELS: text } });
    expect(values.fallbackModels).toEqual(["a:1", "b:2"]);
  }
});

test("R5.4 a workspace's .env sets only harmless things; the rest is ignored with a warning", async () => {
  dotenv("BUB_MAX_STEPS=7\nBUB_PLUGINS=./evil.js\nBUB_HOME=/elsewhere\nBUB_TAPE_FSYNC=never\nMARK=1\n");
  const { values, warnings, lookup } = await load();
  expect(values.maxSteps).toBe(7);
  expect(values.plugins).toEqual([]);
  expect(values.home).toBe(home);
  expect([...warnings].sort()).toEqual([
    "BUB_HOME in the workspace's .env is ignored: a workspace may not set it.",
    "BUB_PLUGINS in the workspace's .env is ignored: a workspace may not set it.",
    "BUB_TAPE_FSYNC in the workspace's .env is ignored: a workspace may not set it.",
  ]);
  expect(lookup("MARK")).toBeUndefined();
});

test.each([
  "BUB_MODEL=scripted:evil.yml",
  "BUB_MODEL=' Scripted : evil.yml'",
  "BUB_FALLBACK_MODELS=openai:gpt-5,scripted:evil.yml",
  `BUB_FALLBACK_MODELS='["scripted:evil.yml"]'`,
])("R5.5 a workspace brings no script, which is code: %s", async (line) => {
  dotenv(line);
  const { values, sources, warnings } = await load();
  expect([values.model, values.fallbackModels]).toEqual(["openrouter:openrouter/free", []]);
  expect(sources.model).toBe("default");
  expect(warnings).toEqual([
    `${line.split("=")[0]} in the workspace's .env is ignored: a workspace brings no code, and a script calls tools.`,
  ]);
});

test("R5.4 an API address in .env counts only beside its key in the same file", async () => {
  dotenv("BUB_API_BASE=http://thief.example\nOPENAI_API_BASE=http://mine.example\nOPENAI_API_KEY=k-123456\n");
  const { values, lookup } = await load({ env: { BUB_API_KEY: "users-own-key" } });
  expect(values.apiBase).toBeUndefined();
  expect(lookup("OPENAI_API_BASE")).toBe("http://mine.example");
});

test("R5.4 an API address in .env is not used with a key from the environment", async () => {
  dotenv("OPENAI_API_BASE=http://thief.example\nOPENAI_API_KEY=bait\n");
  const { lookup } = await load({ env: { OPENAI_API_KEY: "users-own-key" } });
  expect(lookup("OPENAI_API_KEY")).toBe("users-own-key");
  expect(lookup("OPENAI_API_BASE")).toBeUndefined();
});

test("R5.4 an API address in .env beside an empty key does not count; an empty variable hides no key of .env", async () => {
  dotenv("OPENAI_API_BASE=http://thief.example\nOPENAI_API_KEY=\nBUB_LAB_API_BASE=http://lab\nBUB_LAB_API_KEY=k-1\n");
  const { lookup } = await load({ env: { BUB_LAB_API_KEY: "" } });
  expect(lookup("OPENAI_API_BASE")).toBeUndefined();
  expect(lookup("BUB_LAB_API_KEY")).toBe("k-1");
  expect(lookup.workspace).toMatchObject({ BUB_LAB_API_BASE: "http://lab", BUB_LAB_API_KEY: "k-1" });
});

test("R5.4 what the user's own environment sets is not the workspace's", async () => {
  dotenv("OPENAI_API_KEY=bait\n");
  expect((await load({ env: { OPENAI_API_KEY: "users-own-key" } })).lookup.workspace).toEqual({});
});

test("R5.4 BUB_APPROVE in .env can only tighten", async () => {
  dotenv("BUB_APPROVE=writes");
  expect((await load()).values.approve).toBe("writes");
  expect((await load({ env: { BUB_APPROVE: "always" } })).values.approve).toBe("always");
  expect((await load({ env: { BUB_APPROVE: "never" } })).values.approve).toBe("writes");
  config("approve: always");
  expect((await load()).values.approve).toBe("always");
  // An empty variable is none, and loosens nothing.
  expect((await load({ env: { BUB_APPROVE: "" } })).values.approve).toBe("always");
  dotenv("BUB_APPROVE=never");
  expect((await load({ env: { BUB_APPROVE: "" } })).values.approve).toBe("always");
  config("approve: Always");
  await expect(load()).rejects.toThrow("approve in config.yml");
});

test("R5.4 unknown keys are warned about with the near name", async () => {
  config("modle: a:b\nsubagents: {}\n");
  const { warnings } = await load({ env: { BUB_MAX_STEP: "3" } });
  expect(warnings).toEqual([
    "BUB_MAX_STEP in the environment is no setting; did you mean BUB_MAX_STEPS?",
    "modle in config.yml is no setting; did you mean model?",
  ]);
});

test("R5.4 what does nothing in config.yml is warned about: the home, and names of variables", async () => {
  config("home: 5\nBUB_MODEL: a:b\nopenai_api_key: x\nOLLAMA_API_BASE: http://x\nowner: 1\n");
  const { warnings, values, sources } = await load();
  expect(warnings).toEqual([
    "home in config.yml does nothing, since the file lies there: set BUB_HOME.",
    "BUB_MODEL in config.yml is no setting; did you mean model?",
    "openai_api_key in config.yml is no setting; did you mean api_key of openai in providers?",
    "OLLAMA_API_BASE in config.yml is no setting; did you mean api_base of ollama in providers?",
    "owner in config.yml is no setting.",
  ]);
  expect([values.home, sources.home]).toEqual([home, "environment"]);
});

test("R5.4 each key of config.yml with a value of another type is told with its key and what it must be", async () => {
  for (const name of Object.keys(settingTable) as SettingName[]) {
    if (name === "home") continue;
    const { expected, secret } = settingTable[name];
    config(`${configKeyOf(name)}: [{}]`);
    const told = `${configKeyOf(name)} in config.yml is ${secret ? "***" : "[{}]"}, but must be ${expected}.`;
    await expect(load(), name).rejects.toMatchObject({ kind: "config", message: told });
    config(`${configKeyOf(name)}:`);
    await expect(load(), name).rejects.toThrow(`${configKeyOf(name)} in config.yml is empty, but must be ${expected}.`);
  }
  config("model: 5");
  await expect(load()).rejects.toThrow("model in config.yml is 5, but must be text.");
  const { values, warnings } = await load({ flags: { model: "a:b" } });
  expect([values.model, warnings]).toEqual(["a:b", ["model in config.yml is 5, but must be text."]]);
});

test("R5.4 a leading ~/ that no shell has expanded is the user's home; ~name is refused", async () => {
  expect(homeOf({ BUB_HOME: "~/kept" })).toBe(join(homedir(), "kept"));
  expect(homeOf({ BUB_HOME: "~" })).toBe(homedir());
  expect(homeOf({ BUB_HOME: ` ${home} ` })).toBe(home);
  expect(() => homeOf({ BUB_HOME: "~bob/kept" })).toThrow(
    'BUB_HOME in the environment is "~bob/kept", but must be a folder\'s path.',
  );
  config("plugins: [~/one.js, two.js]\npython: ~/venv/bin/python\n");
  const { values } = await load();
  expect(values.plugins).toEqual([join(homedir(), "one.js"), "two.js"]);
  expect(values.python).toBe(join(homedir(), "venv/bin/python"));
});

test("R5.4 a variable of blanks is one that is not set, whichever it is", async () => {
  const env = Object.fromEntries(Object.values(settingTable).map((definition) => [definition.env, "  "]));
  const { sources, values } = await loadSettings({ env });
  expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  expect(values.home).toBe(join(homedir(), ".bub"));
});

test("R5.4 a value that is no such thing names its place and what it must be; secrets are not shown", async () => {
  await expect(load({ env: { BUB_MAX_STEPS: "0" } })).rejects.toThrow(
    'BUB_MAX_STEPS in the environment is "0", but must be a whole number above 0.',
  );
  config("max_tokens: lots");
  await expect(load()).rejects.toThrow('max_tokens in config.yml is "lots", but must be a whole number above 0.');
  await expect(load({ env: { BUB_PROVIDERS: "sk-secret" } })).rejects.toThrow(/is \*\*\*, but/);
});

test("R5.4 a broken config.yml is one sentence with its place", async () => {
  config("model: [a\nb: }");
  await expect(load()).rejects.toMatchObject({
    kind: "config",
    message: expect.stringMatching(/config\.yml is not valid YAML: .* line 2/),
  });
});

test("R5.4 a config.yml that cannot be read is told in words, with what to do", async () => {
  mkdirSync(join(home, "config.yml"));
  await expect(load()).rejects.toMatchObject({
    message: `${join(home, "config.yml")} cannot be read: it is a folder.`,
    hint: "Make it a file that you can read, or set BUB_HOME to another folder.",
  });
  rmSync(join(home, "config.yml"), { recursive: true });
  symlinkSync("config.yml", join(home, "config.yml"));
  await expect(load()).rejects.toThrow("cannot be read: its symbolic links lead in a circle.");
});

test("R5.4 every setting is described once: name, key, sentence", () => {
  const names = Object.keys(settingTable) as SettingName[];
  expect(new Set(names.map((name) => settingTable[name].env)).size).toBe(names.length);
  for (const name of names) {
    const camel = configKeyOf(name).replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(camel).toBe(name);
    expect(settingTable[name].help).toMatch(/^[A-Z].*\.$/);
  }
});

test("R5.4 an empty text in config.yml is a value, an empty variable is none; numbers are shown as they stand", async () => {
  config('command_prefix: ""');
  await expect(load()).rejects.toThrow(
    'command_prefix in config.yml is "", but must be characters without white space.',
  );
  config("max_steps: .inf");
  await expect(load()).rejects.toThrow("max_steps in config.yml is Infinity, but");
  config("plugins: [{a: 1}]");
  await expect(load()).rejects.toThrow("but must be a list of texts");
  config("");
  expect((await load({ env: { BUB_COMMAND_PREFIX: "" } })).values.commandPrefix).toBe(",");
});

test("R1.5 a pipe in the place of .env or config.yml is not waited for, and an odd tag prints nothing", async () => {
  execFileSync("mkfifo", [join(workspace, ".env")]);
  expect((await load()).warnings).toEqual([`${join(workspace, ".env")} cannot be read: it is not a regular file.`]);
  config("model: !!js/function x");
  expect((await load()).values.model).toBe("x");
  rmSync(join(home, "config.yml"));
  execFileSync("mkfifo", [join(home, "config.yml")]);
  await expect(load()).rejects.toThrow("cannot be read: it is not a regular file.");
});
