import { expect, test } from "vitest";
import { handOff } from "../../../test/support/agent-runs.ts";
import { CancelledError } from "../../base/abort.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import {
  calls,
  callTool,
  type ScriptedModel,
  type ScriptedStep,
  say,
  scriptedModel,
} from "../../testing/scripted-model.ts";
import { type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const files = {
  "AGENTS.md": "Of the workspace.",
  "pkg/AGENTS.md": "Of the package.\n",
  "pkg/a.ts": "a",
  "pkg/b.ts": "b",
  "pkg/deep/er/AGENTS.md": "Of the depth.",
  "pkg/deep/er/c.ts": "c",
  "other/x.ts": "x",
};

const ofPackage = "Instructions for everything below pkg/, from pkg/AGENTS.md:\n\nOf the package.";
const ofDepth = "Instructions for everything below pkg/deep/er/, from pkg/deep/er/AGENTS.md:\n\nOf the depth.";

const read = (path: string) => callTool("fs_read", { path });

function open(steps: readonly ScriptedStep[], options: TestRuntimeOptions = {}) {
  const model = scriptedModel(steps);
  const environment = createMemoryEnvironment({ workspace: "/work", files });
  return { model, environment, opened: testRuntime({ model, environment, ...options }) };
}

/** The instructions that the model was told, in the messages of its last request. */
function toldIn(model: ScriptedModel): unknown[] {
  const messages = model.requests.at(-1)?.messages ?? [];
  return messages
    .filter(({ role, content }) => role === "user" && String(content).startsWith("Instructions for"))
    .map(({ content }) => content);
}

test("R2.4 a nested AGENTS.md is a user message before the next step, when a file below it is first touched", async () => {
  const { model, opened } = open([read("pkg/a.ts"), read("pkg/b.ts"), say("ok")]);
  await using runtime = await opened;
  await runtime.send("go");
  const [, second, third] = model.requests;
  expect(second?.messages.slice(-2)).toMatchObject([
    { role: "tool", content: "a" },
    { role: "user", content: ofPackage },
  ]);
  expect(third?.messages.slice(-2)).toMatchObject([{ role: "assistant" }, { role: "tool", content: "b" }]);
  expect(toldIn(model)).toEqual([ofPackage]);
});

test("R2.4 every folder on the way has its own, the outermost first; the workspace's is not told again", async () => {
  const { model, opened } = open([read("/work/pkg/deep/er/c.ts"), say("ok")]);
  await using runtime = await opened;
  await runtime.send("go");
  expect(toldIn(model)).toEqual([ofPackage, ofDepth]);
});

test("R2.4 writing and editing touch a file too, and calls of one step tell it once", async () => {
  const write = callTool("fs_write", { path: "pkg/new.ts", content: "n" });
  const edit = callTool("fs_edit", { path: "pkg/a.ts", old: "a", new: "b" });
  for (const step of [write, edit, calls(write, edit, read("pkg/b.ts"))]) {
    const { model, opened } = open([step, say("ok")]);
    await using runtime = await opened;
    await runtime.send("go");
    expect(toldIn(model)).toEqual([ofPackage]);
  }
});

test("R2.4 once per anchor: not in later turns, not after a restart, but again after a hand-off", async () => {
  const storage = createMemoryStorage();
  const first = open([read("pkg/a.ts"), say("ok"), read("pkg/b.ts"), say("ok")], { storage });
  await using runtime = await first.opened;
  await runtime.send("go");
  await runtime.send("go on");
  expect(toldIn(first.model)).toEqual([ofPackage]);
  const later = open([read("pkg/a.ts"), say("ok"), read("pkg/a.ts"), say("ok")], { storage, tools: [handOff] });
  await using restarted = await later.opened;
  await restarted.send("go on");
  expect(toldIn(later.model)).toEqual([ofPackage]);
  await restarted.send(",hand.off");
  await restarted.send("go on");
  expect(toldIn(later.model)).toEqual([ofPackage]);
  const entries = await restarted.entries();
  expect(entries.filter(({ meta }) => meta.instructions === "pkg/AGENTS.md")).toHaveLength(2);
});

test("R2.4 a hand-off in the very step that touches the file neither loses nor doubles it", async () => {
  const anchor = defineTool({
    name: "anchor",
    description: "Write an anchor.",
    exclusive: true,
    run: (_args, { turn }) =>
      turn.tape
        .append([
          { kind: "anchor", payload: { name: "here", state: {} } },
          { kind: "message", payload: { role: "user", content: "carried" } },
        ])
        .then(() => "ok"),
  });
  const { model, opened } = open([calls(read("pkg/a.ts"), callTool("anchor"), read("pkg/b.ts")), say("ok")], {
    tools: [anchor],
  });
  await using runtime = await opened;
  await runtime.send("go");
  expect(toldIn(model)).toEqual([ofPackage]);
});

test("R2.4 what was sent before stays as it was: each request's messages begin with the one's before", async () => {
  const { model, opened } = open([read("pkg/a.ts"), read("pkg/deep/er/c.ts"), say("ok"), say("ok")]);
  await using runtime = await opened;
  await runtime.send("go");
  await runtime.send("go on");
  const messages = model.requests.map((request) => JSON.stringify(request.messages).slice(0, -1));
  for (const [index, text] of messages.slice(1).entries()) expect(text.startsWith(messages[index] ?? "")).toBe(true);
  expect(new Set(model.requests.map(({ system }) => system)).size).toBe(1);
});

test("R2.4 it is durable: what a cancelled run did not take any more, the next turn tells", async () => {
  const cancel = new AbortController();
  const stopping = definePlugin({
    name: "stopping",
    afterToolCall() {
      cancel.abort(new CancelledError());
      return undefined;
    },
  });
  const storage = createMemoryStorage();
  const first = open([read("pkg/a.ts")], { storage, plugins: [stopping] });
  await using runtime = await first.opened;
  expect((await runtime.send("go", { signal: cancel.signal })).status).toBe("cancelled");
  const tape = runtime.runtime.tapeIdOf("cli:test");
  expect(await storage.inboxes.list(tape)).toMatchObject([{ kind: "notification", payload: { content: ofPackage } }]);
  const later = open([say("ok")], { storage });
  await using restarted = await later.opened;
  await restarted.send("go on");
  expect(toldIn(later.model)).toEqual([ofPackage]);
  expect(await storage.inboxes.list(tape)).toEqual([]);
});

test.each<[string, ScriptedStep]>([
  ["a file of a folder without one", read("other/x.ts")],
  ["a file beside the workspace's own", read("AGENTS.md")],
  ["the AGENTS.md itself", read("pkg/AGENTS.md")],
  ["a file that is not there", read("pkg/missing.ts")],
  ["a file outside the workspace", read("../pkg/a.ts")],
  ["another tool", callTool("tape_info")],
])("R2.4 nothing is told for %s", async (_title, step) => {
  const { model, opened } = open([step, say("ok")]);
  await using runtime = await opened;
  await runtime.send("go");
  expect(toldIn(model)).toEqual([]);
});

test("R2.4 a person's command tells the model nothing", async () => {
  const { model, opened } = open([say("ok")]);
  await using runtime = await opened;
  expect((await runtime.send(",fs.read pkg/a.ts")).text).toBe("a");
  await runtime.send("go");
  expect(toldIn(model)).toEqual([]);
});

test("R2.4 an AGENTS.md that appears later is told at the next touch; an empty or unreadable one is passed over", async () => {
  const write = (content: string) => callTool("fs_write", { path: "other/AGENTS.md", content });
  const { model, environment, opened } = open([
    read("other/x.ts"),
    write(""),
    read("other/x.ts"),
    write("New."),
    read("other/x.ts"),
    say("ok"),
  ]);
  await using runtime = await opened;
  await runtime.send("go");
  expect(toldIn(model)).toEqual(["Instructions for everything below other/, from other/AGENTS.md:\n\nNew."]);
  expect(environment.files.has("/work/other/AGENTS.md")).toBe(true);
});
