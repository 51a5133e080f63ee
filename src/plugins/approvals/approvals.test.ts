import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { CancelledError } from "../../base/abort.ts";
import type { JsonObject } from "../../base/json.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import type { Ask } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { Settings } from "../../kernel/settings.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, type TestTurn, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A home with this config.yml. */
function homeWith(config: string): string {
  const home = mkdtempSync(join(tmpdir(), "bub-approvals-"));
  folders.push(home);
  writeFileSync(join(home, "config.yml"), config);
  return home;
}

const shout = defineTool({
  name: "shout",
  description: "A tool of a plugin.",
  input: { type: "object", properties: { text: { type: "string" } } },
  run: ({ text }: JsonObject) => `${text}!`,
});

interface World {
  calls: readonly ReturnType<typeof callTool>[];
  settings?: Partial<Settings>;
  files?: Record<string, string | Uint8Array>;
  /** What a person answers to each question; `null`: nobody is there. */
  answers?: readonly string[] | null;
  readonly?: boolean;
}

interface Seen {
  turn: TestTurn;
  questions: string[];
  texts: string[];
  /** A file afterwards. */
  text(path: string): string | undefined;
  runtime: TestRuntime;
}

/** One turn that makes the calls one after the other. */
async function run({ calls: made, settings, files, answers = null, readonly = false }: World): Promise<Seen> {
  const environment = createMemoryEnvironment({ workspace: "/work", files });
  const model = scriptedModel([...made, say("done")]);
  const runtime = await testRuntime({ model, tools: [shout], environment, settings });
  if (readonly) await runtime.send(",readonly true");
  const questions: string[] = [];
  const ask: Ask = async (question) => {
    questions.push(question);
    return answers?.[questions.length - 1];
  };
  const turn = await runtime.send("go", answers === null ? {} : { ask });
  const text = (path: string) => {
    const bytes = environment.files.get(path);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };
  await runtime[Symbol.asyncDispose]();
  return { turn, questions, texts: turn.toolResults.map((result) => result.text), text, runtime };
}

const write = callTool("fs_write", { path: "new.txt", content: "one\n" });
const read = callTool("fs_read", { path: "a.txt" });

test("R5.7 by default nothing is asked", async () => {
  const { questions, text } = await run({ calls: [write, callTool("shout", { text: "a" })], answers: [] });
  expect(questions).toEqual([]);
  expect(text("/work/new.txt")).toBe("one\n");
});

test("R5.7 BUB_APPROVE=writes asks before what may write, also before tools of plugins, and before nothing that reads", async () => {
  const made = [read, callTool("skill"), callTool("tape_info"), write, callTool("shout", { text: "a" })];
  const { questions, texts } = await run({
    calls: made,
    files: { "a.txt": "A" },
    settings: { approve: "writes" },
    answers: ["yes", "yes"],
  });
  expect(questions.map((question) => question.split("\n")[0])).toEqual(["Allow fs.write new.txt?", "Allow shout?"]);
  expect(texts.at(-1)).toBe("a!");
});

test("R5.7 BUB_APPROVE=writes does not ask before a subagent: what it calls is asked about", async () => {
  const { questions, text } = await run({
    calls: [callTool("subagent", { prompt: "write it" }), write, say("written"), say("told")],
    settings: { approve: "writes" },
    answers: ["yes"],
  });
  expect(questions.map((question) => question.split("\n")[0])).toEqual(["Allow fs.write new.txt?"]);
  expect(text("/work/new.txt")).toBe("one\n");
});

test("R5.7 BUB_APPROVE=writes asks about what a child does, not about starting it", async () => {
  const { questions, texts } = await run({
    calls: [callTool("subagent", { prompt: "look" })],
    settings: { approve: "writes" },
    answers: [],
  });
  expect(questions).toEqual([]);
  expect(texts[0]).toContain("sub-");
});

test("R5.7 BUB_APPROVE=always asks before every call", async () => {
  const { questions } = await run({
    calls: [read, callTool("tape_info")],
    settings: { approve: "always" },
    answers: ["no", "no"],
  });
  expect(questions).toEqual(["Allow fs.read?\npath: a.txt\noffset: 0", "Allow tape.info?"]);
});

test("R5.7 yes runs the call, anything else refuses it, and the run goes on", async () => {
  const made = [write, callTool("fs_write", { path: "other.txt", content: "two" })];
  const { turn, texts, text } = await run({ calls: made, settings: { approve: "writes" }, answers: ["yes", "no"] });
  expect(texts).toEqual(["wrote: /work/new.txt", "[tool] fs.write was refused by the user."]);
  expect([text("/work/new.txt"), text("/work/other.txt")]).toEqual(["one\n", undefined]);
  expect(turn).toMatchObject({ text: "done", status: "ok" });
});

test("R5.7 T0.11 a channel's person gets the question with its choices; who answers nothing has not allowed it", async () => {
  const model = scriptedModel([write, say("done")]);
  await using runtime = await testRuntime({ model, settings: { approve: "writes" } });
  const asked: unknown[] = [];
  const { toolResults } = await runtime.send("go", {
    ask: async (question, choices, signal) => {
      asked.push([question.split("\n")[0], choices, signal.aborted]);
      return undefined;
    },
  });
  expect(asked).toEqual([["Allow fs.write new.txt?", ["yes", "no"], false]]);
  expect(toolResults[0]?.text).toBe(
    "[tool] fs.write needs an answer that nobody here can give: Allow fs.write new.txt?",
  );
});

test("R5.7 cancelling while the question is open cancels the call", async () => {
  const cancel = new AbortController();
  const environment = createMemoryEnvironment({ workspace: "/work" });
  await using runtime = await testRuntime({
    model: scriptedModel([write]),
    environment,
    settings: { approve: "writes" },
  });
  const turn = await runtime.send("go", {
    signal: cancel.signal,
    ask: (_question, _choices, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        cancel.abort(new CancelledError());
      }),
  });
  expect(turn.status).toBe("cancelled");
  expect(environment.files.size).toBe(0);
});

test("R5.7 where nobody can answer, the call is denied with a sentence that says what to do", async () => {
  const { texts, text, turn } = await run({ calls: [write], settings: { approve: "writes" } });
  expect(texts).toEqual([
    "[tool] fs.write needs an approval (BUB_APPROVE=writes) that nobody here can give: it takes bub chat, or a rule in config.yml that allows it.",
  ]);
  expect(text("/work/new.txt")).toBeUndefined();
  expect(turn.text).toBe("done");
});

test("R5.7 an edit is asked about with its diff, and nothing is written before the answer", async () => {
  const files = { "src/a.ts": "one\r\ntwo\r\nthree\r\n" };
  const edit = callTool("fs_edit", { path: "src/a.ts", old: "two\n", new: "2\n$&\n" });
  const { questions, text } = await run({ calls: [edit], files, settings: { approve: "writes" }, answers: ["no"] });
  expect(questions).toEqual([
    ["Allow fs.edit src/a.ts?", "@@ -1,3 +1,4 @@", " one␍", "-two␍", "+2␍", "+$&␍", " three␍"].join("\n"),
  ]);
  expect(text("/work/src/a.ts")).toBe(files["src/a.ts"]);
});

test("R5.7 a file that is written whole is asked about with its diff, or as new, or as no text", async () => {
  const files = { "old.txt": "a\nb\n", "same.txt": "x", "image.bin": new Uint8Array([0xff, 0xfe]) };
  const made = ["old.txt", "../new.txt", "image.bin"].map((path) => callTool("fs_write", { path, content: "a\nc\n" }));
  const { questions } = await run({
    calls: [...made, callTool("fs_write", { path: "same.txt", content: "x" })],
    files,
    settings: { approve: "writes" },
    answers: ["yes", "yes", "yes", "yes"],
  });
  expect(questions).toEqual([
    "Allow fs.write old.txt?\n@@ -1,2 +1,2 @@\n a\n-b\n+c",
    "Allow fs.write /new.txt?\n(a new file)\n@@ -0,0 +1,2 @@\n+a\n+c",
    "Allow fs.write image.bin?\n(replaces 2 bytes that are no text)\n@@ -0,0 +1,2 @@\n+a\n+c",
    "Allow fs.write same.txt?\n(changes nothing)",
  ]);
});

test("R5.7 an edit that would fail is not asked about: the model gets the reason", async () => {
  const edit = callTool("fs_edit", { path: "a.txt", old: "nowhere", new: "x" });
  const { questions, texts } = await run({
    calls: [edit],
    files: { "a.txt": "A" },
    settings: { approve: "writes" },
    answers: [],
  });
  expect(questions).toEqual([]);
  expect(texts[0]).toBe("[tool] fs.edit would fail: 'nowhere' not found in /work/a.txt from line 0");
});

test("R5.7 what a replaced tool would do is not tried out: its arguments are shown", async () => {
  let ran = 0;
  const own = defineTool({
    name: "fs.write",
    description: "Another.",
    exposure: "direct",
    input: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
    run: () => `ran ${++ran}`,
  });
  const model = scriptedModel([write, say("ok")]);
  await using runtime = await testRuntime({ model, tools: [own], settings: { approve: "writes" } });
  const questions: string[] = [];
  await runtime.send("go", { ask: async (question) => void questions.push(question) as undefined });
  expect(questions).toEqual(["Allow fs.write?\npath: new.txt\ncontent:\none\n"]);
  expect(ran).toBe(0);
});

const rules = `
approvals:
  - tool: shout
    arguments: { text: "quiet*" }
    action: allow
  - tool: shout
    arguments: { text: "*secret*" }
    action: deny
    reason: Secrets are not shouted.
  - tool: shout
    action: ask
  - tool: fs.write
    arguments: { path: "notes/*" }
    action: allow
  - tool: tape.info
    action: deny
`;

test("R5.7 rules in config.yml decide before the mode: allow, ask, deny, the first that matches", async () => {
  const shouts = ["quietly", "a secret", "other"].map((text) => callTool("shout", { text }));
  const notes = callTool("fs_write", { path: "notes/a", content: "x" });
  const { questions, texts } = await run({
    calls: [...shouts, notes, write, callTool("tape_info")],
    settings: { home: homeWith(rules), approve: "writes" },
    answers: ["yes", "no"],
  });
  expect(questions.map((question) => question.split("\n")[0])).toEqual(["Allow shout?", "Allow fs.write new.txt?"]);
  expect(texts).toEqual([
    "quietly!",
    "[tool] Secrets are not shouted.",
    "other!",
    "wrote: /work/notes/a",
    "[tool] fs.write was refused by the user.",
    "[tool] tape.info is denied by rule 5 of approvals in config.yml.",
  ]);
});

test("R5.7 a rule that asks is denied with a sentence where nobody can answer", async () => {
  const { texts } = await run({ calls: [callTool("shout", { text: "x" })], settings: { home: homeWith(rules) } });
  expect(texts[0]).toMatch(
    /^\[tool\] shout needs an approval \(rule 3 of approvals in config\.yml\) that nobody here can give/,
  );
});

test("R5.7 rules that cannot be read stop every turn with a clear error, and doctor is told", async () => {
  const home = homeWith("approvals:\n  - tool: bash\n    action: forbid\n");
  const model = scriptedModel([write, say("done")]);
  await using runtime = await testRuntime({ model, settings: { home } });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors[0]).toContain(
    'approvals in config.yml cannot be used: rule 1: action must be allow, ask or deny, not "forbid".',
  );
  expect(model.requests).toEqual([]);
  const request = { offline: true, signal: runtime.runtime.ending };
  const answers = await runtime.runtime.hooks.collect("diagnose", runtime.runtime, request);
  expect(answers.find(({ plugin }) => plugin === "approvals")?.answer).toMatchObject({
    facts: [{ name: "never" }, { name: "rules", value: "cannot be read" }],
    findings: [{ sentence: expect.stringContaining("rule 1: action"), severity: "problem" }],
  });
});

test("R5.7 in a read-only session what may write is denied, whatever the rules allow, and reading goes on", async () => {
  const made = [read, write, callTool("shout", { text: "quiet" }), callTool("tape_info")];
  const settings = { home: homeWith("approvals:\n  - action: allow\n") };
  const { texts, questions, text } = await run({
    calls: made,
    files: { "a.txt": "A" },
    settings,
    answers: [],
    readonly: true,
  });
  const denied = (tool: string) =>
    `[tool] ${tool} is denied: this session is read-only until the user says ,readonly false.`;
  expect(texts.slice(0, 3)).toEqual(["A", denied("fs.write"), denied("shout")]);
  expect(texts[3]).toMatch(/^name: /);
  expect(questions).toEqual([]);
  expect(text("/work/new.txt")).toBeUndefined();
});

test("R5.7 ,readonly false ends it, for its own session only", async () => {
  const environment = createMemoryEnvironment({ workspace: "/work" });
  const steps = [write, say("a"), write, say("b"), write, say("c")];
  await using runtime = await testRuntime({ model: scriptedModel(steps), environment });
  await runtime.send(",readonly true");
  const results = [await runtime.send("go"), await runtime.send("go", { chatId: "other" })];
  await runtime.send(",readonly false");
  results.push(await runtime.send("go"));
  expect(results.map(({ toolResults }) => toolResults[0]?.is_error)).toEqual([true, false, false]);
});

test("R5.7 T10.4 a person's own command is asked about by nobody and written in a read-only session; rules that deny hold for it", async () => {
  const settings = { approve: "always", home: homeWith(rules) } as const;
  const environment = createMemoryEnvironment({ workspace: "/work" });
  await using runtime = await testRuntime({ tools: [shout], environment, settings });
  await runtime.send(",readonly true");
  expect((await runtime.send(",fs.write new.txt hello")).text).toBe("wrote: /work/new.txt");
  expect((await runtime.send(",shout other")).text).toBe("other!");
  expect((await runtime.send(",shout 'a secret'")).errors).toEqual(["[tool] Secrets are not shouted."]);
});

test("R5.7 no rule takes away a person's switches", async () => {
  await using runtime = await testRuntime({ settings: { home: homeWith("approvals:\n  - action: deny\n") } });
  expect((await runtime.send(",readonly true")).status).toBe("ok");
  expect((await runtime.send(",help")).status).toBe("ok");
  expect((await runtime.send(",tape.info")).status).toBe("error");
});

test("R5.7 R1.3 plugins of others are asked first, and the arguments that they change are the ones that are judged", async () => {
  const plugin = definePlugin({
    name: "redirecting",
    beforeToolCall: ({ name, args }) =>
      name === "shout" ? { action: "proceed", args: { ...args, text: "a secret" } } : undefined,
  });
  const model = scriptedModel([callTool("shout", { text: "quiet" }), say("done")]);
  const settings = { home: homeWith(rules) };
  await using runtime = await testRuntime({ model, tools: [shout], plugins: [plugin], settings });
  expect((await runtime.send("go")).toolResults[0]?.text).toBe("[tool] Secrets are not shouted.");
});

test("R5.7 calls of one step are each asked about", async () => {
  const both = calls(write, callTool("shout", { text: "a" }));
  const { questions } = await run({ calls: [both], settings: { approve: "writes" }, answers: ["yes", "yes"] });
  expect(questions).toHaveLength(2);
});

test.each([
  ["never", "writes", 1],
  ["writes", "never", 1],
  ["always", "never", 2],
] as const)(
  "R5.7 with BUB_APPROVE=%s a workspace's .env with %s can only tighten it",
  async (own, workspaces, asked) => {
    const folder = mkdtempSync(join(tmpdir(), "bub-approvals-"));
    folders.push(folder);
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(workspace, ".env"), `BUB_APPROVE=${workspaces}\n`);
    const model = scriptedModel([write, callTool("tape_info"), say("done")]);
    const settings = { home: join(folder, "home") };
    await using runtime = await testRuntime({ model, workspace, env: { BUB_APPROVE: own }, settings });
    let questions = 0;
    await runtime.send("go", { ask: async () => `no ${++questions}` });
    expect(questions).toBe(asked);
  },
);
