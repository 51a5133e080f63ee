import { expect, test } from "vitest";
import { definePlugin } from "../../kernel/plugin.ts";
import { say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const commandsOf = (entries: readonly { payload: { name?: unknown; data?: unknown } }[]) =>
  entries.filter(({ payload }) => payload.name === "command").map(({ payload }) => payload.data);

test("T10.1 a person's message with the prefix runs a tool: no model call, no decoration", async () => {
  const model = scriptedModel([]);
  await using runtime = await testRuntime({ model });
  await runtime.send(",fs.write path=a.txt content='hello there'");
  expect((await runtime.send(",fs.read path=a.txt")).text).toBe("hello there");
  expect(model.requests).toEqual([]);
});

test("T10.1 only an inbound's own text is looked at: a program's prompt is a command only with `commands: true`", async () => {
  const model = scriptedModel([say("I read that"), say("this too")]);
  await using runtime = await testRuntime({ model });
  expect((await runtime.send(",help", { commands: false })).text).toBe("I read that");
  expect((await runtime.send([{ type: "text", text: "please run ,help" }])).text).toBe("this too");
});

test("T10.1 the prefix may have several characters; names keep their dots and are case-sensitive", async () => {
  await using runtime = await testRuntime({
    model: scriptedModel([say("no command")]),
    settings: { commandPrefix: "!!" },
  });
  expect((await runtime.send("!!tape.anchors")).text).toBe("(no anchors)");
  expect((await runtime.send("!!tape.anchors")).text).toBe("- session/start");
  expect((await runtime.send(",help")).text).toBe("no command");
  // No tool of that spelling: it is for the shell, which this environment does not have.
  expect((await runtime.send("!!Tape.Anchors")).status).toBe("error");
});

test("T10.2 unknown and missing arguments are an error that shows the usage line", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  const missing = await runtime.send(",fs.read");
  expect(missing.status).toBe("error");
  expect(missing.errors[0]).toContain("usage: fs.read path");
  expect((await runtime.send(",fs.read a 0 1 2")).errors[0]).toContain("unexpected argument '2'");
});

test("T10.3 a first word that is no tool runs the whole line as bash, raw", async () => {
  const lines: unknown[] = [];
  const bash = defineTool({
    name: "bash",
    description: "Remember.",
    input: { type: "object", properties: { command: { type: "string" } } },
    run: ({ command }) => {
      lines.push(command);
      return "ran";
    },
  });
  await using runtime = await testRuntime({ model: scriptedModel([]), tools: [bash] });
  const line = `git commit -m "it's  unbalanced`;
  expect((await runtime.send(`,${line}`)).text).toBe("ran");
  expect(lines).toEqual([line]);
});

test("T10.4 each command is recorded as event `command`, failures too, and never reaches the model", async () => {
  const model = scriptedModel([say("hi")]);
  await using runtime = await testRuntime({ model });
  await runtime.send(",tape.anchors");
  await runtime.send(",fs.read path=none");
  await runtime.send("hello");
  expect(commandsOf(await runtime.entries())).toMatchObject([
    { raw: "tape.anchors", name: "tape.anchors", status: "ok", output: "(no anchors)", elapsed_ms: expect.any(Number) },
    { raw: "fs.read path=none", name: "fs.read", status: "error", output: expect.stringContaining("[not_found]") },
  ]);
  expect(model.requests[0]?.messages).toHaveLength(1);
});

test("T10.4 commands are not limited by a run's allow-list; policy hooks see them marked as a person's command", async () => {
  const origins: string[] = [];
  const plugin = definePlugin({ name: "policy", beforeToolCall: ({ origin }) => void origins.push(origin) });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  const turn = await runtime.send(",tape.anchors", { allowedTools: [] });
  expect(turn.status).toBe("ok");
  expect(origins).toEqual(["command"]);
});

test("T10.5 ,help lists every command with its usage, grouped by plugin, and ends with the line on unknown commands", async () => {
  const own = defineTool({
    name: "mine.add",
    description: "Add.",
    input: { type: "object", properties: { a: { type: "number" } } },
    run: () => 1,
  });
  const plugin = definePlugin({ name: "adding", provideTools: () => [own] });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  const lines = (await runtime.send(",help")).text.split("\n");
  expect(lines[0]).toBe('A message that starts with "," is a command: it runs at once, without the model.');
  expect(lines.slice(lines.indexOf("[adding]"), lines.indexOf("[adding]") + 2)).toEqual(["[adding]", ",mine.add [a]"]);
  expect(lines).toEqual(
    expect.arrayContaining(["[shell]", "[files]", ",fs.read path [offset=0] [limit]", "[commands]", ",quit"]),
  );
  expect(lines.at(-1)).toBe('Anything else after "," runs as a shell command: ,git status');
});

test("T0.4 ,help shows the plugin whose tool replaced a builtin one", async () => {
  const own = defineTool({ name: "fs.read", description: "Mine.", run: () => "mine" });
  const plugin = definePlugin({ name: "replacing", provideTools: () => [own] });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  const { text } = await runtime.send(",help");
  expect(text).toContain("[replacing]\n,fs.read\n");
  expect(text).not.toContain(",fs.read path");
  expect((await runtime.send(",fs.read")).text).toBe("mine");
});

test("T10.5 ,quit clears waiting messages and tells plugins to end what the session has running", async () => {
  const ended: string[] = [];
  const plugin = definePlugin({ name: "ending", endSession: (sessionId) => void ended.push(sessionId) });
  await using runtime = await testRuntime({ model: scriptedModel([say("clean")]), plugins: [plugin] });
  const tape = runtime.runtime.tapeIdOf("cli:test");
  await runtime.storage.inboxes.put(tape, { kind: "steer", payload: { content: "old" }, meta: {} });
  expect((await runtime.send(",quit")).status).toBe("ok");
  expect(ended).toEqual(["cli:test"]);
  expect(await runtime.storage.inboxes.list(tape)).toEqual([]);
  expect((await runtime.send("hi")).text).toBe("clean");
});

test("T10.6 which commands act at once during a run, and which wait for its end", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  const admission = (content: string) =>
    runtime.runtime.hooks.first(
      "admitMessage",
      { channel: "cli", chatId: "test", commands: true, content },
      runtime.runtime,
    );
  const atOnce =
    "help model reasoning_effort code_mode tape.info tape.anchors tape.search bash.output bash.kill subagent.wait subagent.cancel";
  for (const name of atOnce.split(" ")) expect(await admission(`,${name} a=1`)).toBe("now");
  expect(await admission(",quit")).toBe("quit");
  for (const line of [",fs.read a", ",ls", ",tape.reset"]) expect(await admission(line)).toBe("follow_up");
  expect(await admission("help")).toBe("steer");
});
