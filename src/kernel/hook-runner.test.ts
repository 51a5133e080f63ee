import { expect, test } from "vitest";
import type { LogFields, Logger } from "../base/log.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { Inbound } from "./envelope.ts";
import { HookRunner } from "./hook-runner.ts";
import { type HooksOf, hookKinds } from "./hooks.ts";
import type { Plugin } from "./plugin.ts";
import type { Runtime } from "./runtime.ts";
import type { Turn } from "./turn-state.ts";

const turn = {} as Turn;
const runtime = {} as Runtime;
const inbound: Inbound = { channel: "test", chatId: "1", content: "hi" };

function recordingLog(): { lines: [string, LogFields | undefined][]; log: Logger } {
  const lines: [string, LogFields | undefined][] = [];
  const log: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => void lines.push([message, fields]),
    child: () => log,
  };
  return { lines, log };
}

const runnerOf = (plugins: Plugin[], log = recordingLog().log) => new HookRunner(plugins, log);

test("R1.3 first: the newest plugin that answers wins, undefined asks the next", async () => {
  const hooks = runnerOf([
    { name: "builtin", resolveSession: () => "builtin" },
    { name: "older", resolveSession: () => "older" },
    { name: "silent", resolveSession: () => undefined },
  ]);
  expect(await hooks.first("resolveSession", inbound, runtime)).toBe("older");
});

test("R1.3 collect: every answer, in order of registration, undefined left out", async () => {
  const hooks = runnerOf([
    { name: "one", systemPrompt: () => "1" },
    { name: "none", systemPrompt: () => undefined },
    { name: "two", systemPrompt: async () => "2" },
  ]);
  expect(await hooks.collect("systemPrompt", turn)).toEqual([
    { plugin: "one", answer: "1" },
    { plugin: "two", answer: "2" },
  ]);
});

test("R1.3 merge: later plugins overwrite keys", async () => {
  const hooks = runnerOf([
    { name: "one", loadState: () => ({ a: 1, b: 1 }) as object },
    { name: "two", loadState: () => ({ b: 2 }) as object },
  ]);
  expect(await hooks.merge("loadState", turn)).toEqual({ a: 1, b: 2 });
});

test("R1.3 chain: newest first, builtins last, each sees what the one before made", async () => {
  const asked: string[] = [];
  const tool = defineTool({ name: "one", description: "One.", run: () => "" });
  const passing = (name: string): Plugin => ({
    name,
    prepareTools: (tools) => {
      asked.push(`${name}:${tools.length}`);
      return [...tools, tools[0] as never];
    },
  });
  const tools = await runnerOf([passing("builtin"), passing("newest")]).chain("prepareTools", [tool], turn);
  expect(asked).toEqual(["newest:1", "builtin:2"]);
  expect(tools).toHaveLength(3);
});

test("R1.3 notify: a failing observer is logged with plugin and hook, the others are told", async () => {
  const { lines, log } = recordingLog();
  const told: string[] = [];
  const hooks = runnerOf(
    [
      { name: "fine", saveState: () => void told.push("fine") },
      {
        name: "broken",
        saveState: () => {
          throw new Error("no disk");
        },
      },
    ],
    log,
  );
  await hooks.notify("saveState", turn, { status: "ok", text: "" });
  expect(told).toEqual(["fine"]);
  expect(lines).toMatchObject([["hook failed", { plugin: "broken", hook: "saveState" }]]);
});

test("R1.3 a decision that fails is thrown, with the plugin and the hook named", async () => {
  const hooks = runnerOf([
    {
      name: "polite",
      resolveSession: () => {
        throw new Error("who are you?");
      },
    },
  ]);
  await expect(hooks.first("resolveSession", inbound, runtime)).rejects.toThrow(
    'plugin "polite" failed in resolveSession: who are you?',
  );
});

test("R1.3 a failing plugin is left out of a collect, and logged", async () => {
  const { lines, log } = recordingLog();
  const hooks = runnerOf(
    [
      { name: "one", systemPrompt: () => "1" },
      { name: "bad", systemPrompt: () => Promise.reject(new Error("gone")) },
    ],
    log,
  );
  expect(await hooks.collect("systemPrompt", turn)).toEqual([{ plugin: "one", answer: "1" }]);
  expect(lines).toMatchObject([["hook failed", { plugin: "bad", hook: "systemPrompt" }]]);
});

test.each<[HooksOf<"collect">, unknown, string]>([
  ["systemPrompt", 3, "a number instead of a text"],
  ["provideTools", [{ name: "x" }], "a list of something else instead of a list of tools made by defineTool()"],
  ["provideTools", [null], "a list of something else instead of a list of tools made by defineTool()"],
  ["provideTools", {}, "an object instead of a list of tools made by defineTool()"],
  ["provideTapeSidecar", null, "null instead of an object with a name"],
  ["provideChannels", [1], "a list of something else instead of a list of objects with a name"],
  ["provideSkills", [{ name: "x" }], "a list of something else instead of a list of objects with a directory"],
  ["provideProfiles", [{ name: "x" }], "a list of something else instead of a list of objects with name and file"],
  ["provideModels", [{}], "a list of something else instead of a list of objects with provider and create"],
  ["diagnose", "broken", "a string instead of a list of texts, or a section with title, facts and findings"],
  ["lifespan", () => undefined, "a function instead of an object with [Symbol.asyncDispose]"],
])("R1.3 a plugin that answers %s with something else, %o, is left out and logged", async (hook, answer, told) => {
  const { lines, log } = recordingLog();
  const hooks = runnerOf([{ name: "bad", [hook]: () => answer } as Plugin], log);
  expect(await hooks.collect(hook, turn as never)).toEqual([]);
  expect(lines).toEqual([["hook failed", { plugin: "bad", hook, error: `it answers ${told}` }]]);
});

test.each([
  ["resolveSession", 3, "a number instead of a text"],
  ["renderOutbound", { kind: "answer" }, "an object instead of a list of messages with kind and text"],
  ["dispatchOutbound", false, "false instead of true"],
  ["buildPrompt", "hi", 'a string instead of a prompt with kind "message" or "command"'],
  ["selectContext", null, "null instead of an object with anchor"],
] as const)(
  "R1.3 a decision by %s that is something else, %o, fails with the plugin named",
  async (hook, answer, sentence) => {
    const runner = runnerOf([{ name: "odd", [hook]: () => answer }]);
    await expect(runner.first(hook, ...([] as unknown as never))).rejects.toThrow(
      `plugin "odd" failed in ${hook}: it answers ${sentence}`,
    );
  },
);

test("R1.3 a runModel that answers a promise is told as such, and its failure is nobody else's", async () => {
  const runner = runnerOf([{ name: "odd", runModel: () => Promise.reject(new Error("x")) as never }]);
  expect(() => runner.firstStream({ kind: "message", content: "" }, {} as never)).toThrow(
    'plugin "odd" failed in runModel: it answers a promise instead of an async iterable of events',
  );
});

test("R1.3 what a chain's plugin makes of a value has to be one", async () => {
  const runner = runnerOf([{ name: "odd", prepareMessage: () => 42 as never }]);
  await expect(runner.chain("prepareMessage", "hi", {} as never)).rejects.toThrow(
    'plugin "odd" failed in prepareMessage: it answers a number instead of a text or a list of parts',
  );
});

test("R1.4 the report names each hook, its kind and the plugins in the order in which they are asked", () => {
  const report = runnerOf([
    { name: "builtin", resolveSession: () => "a", systemPrompt: () => "a" },
    { name: "newest", resolveSession: () => "b", systemPrompt: () => "b" },
  ]).report();
  expect(report.map(({ hook }) => hook)).toEqual(Object.keys(hookKinds));
  expect(report.find(({ hook }) => hook === "resolveSession")).toEqual({
    hook: "resolveSession",
    kind: "first",
    plugins: ["newest", "builtin"],
  });
  expect(report.find(({ hook }) => hook === "systemPrompt")?.plugins).toEqual(["builtin", "newest"]);
});

test("R1.4 every hook of the specification exists", () => {
  const specified =
    "resolveSession loadState buildPrompt runModel continueRun saveState renderOutbound dispatchOutbound systemPrompt provideTools prepareTools provideEnvironment provideTapeStore provideTapeSidecar provideChannels provideSkills provideProfiles provideModels buildTapeContext admitMessage beforeModelCall afterModelCall beforeToolCall afterToolCall onError registerCommands onboard lifespan";
  expect(Object.keys(hookKinds)).toEqual(expect.arrayContaining(specified.split(" ")));
});

test("a plugin's methods keep their `this`", async () => {
  class Counting {
    name = "counting";
    text = "mine";
    resolveSession() {
      return this.text;
    }
  }
  expect(await runnerOf([new Counting()]).first("resolveSession", inbound, runtime)).toBe("mine");
});
