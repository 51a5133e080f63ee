// How tasks start: what a call may ask for, and what a child gets.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { conversations, gate, gated } from "../../../test/support/conversations.ts";
import { start } from "../../../test/support/subagent-tasks.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { calls, callTool, say } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const idPattern = /^sub-[0-9a-f]{8}$/;

test("T7.1 T0.10 a task starts in the background: the call answers at once, without output", async () => {
  const held = gate();
  const model = conversations({
    go: [callTool("subagent", { prompt: "child's task\nwith details" }), say("waiting"), say("over")],
    "child's task": [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model });
  const running = runtime.send("go");
  await held.reached;
  held.open();
  const { toolResults } = await running;
  const [{ value } = { value: undefined }] = toolResults;
  expect(value).toEqual({
    task_id: expect.stringMatching(idPattern),
    session_id: expect.stringMatching(/^temp\/sub-[0-9a-f]{8}$/),
    status: "running",
    output: "",
    errors: [],
  });
  expect(toolResults[0]?.text).toBe(JSON.stringify(value));
});

test("T7.1 prompt may be content blocks, and a label is the prompt's first line unless one is given", async () => {
  const parts = [
    { type: "text", text: "look at this" },
    { type: "image", media_type: "image/png", url: "https://example.test/a.png" },
  ];
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: parts }),
        callTool("subagent", { prompt: "count\nthe files", description: "counting" }),
      ),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    look: [say("seen")],
    count: [say("3")],
  });
  await using runtime = await testRuntime({ model });
  const labels: string[] = [];
  runtime.runtime.events.on("subagent-started", ({ task }) => labels.push(task.description));
  await runtime.send("go");
  expect(labels).toEqual(["look at this", "counting"]);
  expect(model.of("look")[0]?.messages).toEqual([{ role: "user", content: parts }]);
  expect(model.of("count")[0]?.messages).toEqual([{ role: "user", content: "count\nthe files" }]);
});

test.each([
  ["an unknown tool", { allowed_tools: ["fs.read", "nope"] }, /cannot get what this run does not have: 'nope'/],
  ["an unknown profile", { agent: "nobody" }, /unknown subagent profile: nobody/],
  ["an empty session", { session: " " }, /' ' cannot name a session/],
  ["a session below temp/", { session: "temp/mine" }, /'temp\/mine' cannot name a session/],
  ["an empty prompt", { prompt: "  " }, /prompt is empty/],
  ["a part that is none", { prompt: [{ type: "text", text: "x" }, { type: "nothing" }] }, /parts that are no content/],
  ["a time-out of nothing", { timeout_seconds: 0 }, /argument validation failed/],
  ["an unknown parameter", { tools: [] }, /argument validation failed/],
])("T7.1 %s starts nothing", async (_what, args, message) => {
  const model = conversations({ go: [callTool("subagent", { prompt: "child", ...args }), say("over")] });
  await using runtime = await testRuntime({ model });
  const started: unknown[] = [];
  runtime.runtime.events.on("subagent-started", (event) => started.push(event));
  const { toolResults, status } = await runtime.send("go");
  expect(toolResults[0]).toMatchObject({ is_error: true, text: expect.stringMatching(message) });
  expect(toolResults[0]?.text).toMatch(/^\[invalid_input\]/);
  expect({ status, started }).toEqual({ status: "ok", started: [] });
  expect(await runtime.storage.tasks.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});

test("T7.1 a tool outside the parent's own set is an error, by either name", async () => {
  const model = conversations({
    go: [callTool("subagent", { prompt: "child", allowed_tools: ["bash"] }), say("over")],
  });
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("go", { allowedTools: ["subagent", "fs_read"] });
  expect(toolResults[0]?.text).toMatch(/cannot get what this run does not have: 'bash'/);
});

test("T7.2 the tools are the parent's, never more, and never those of subagents", async () => {
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "all of them" }),
        callTool("subagent", { prompt: "some", allowed_tools: ["fs_read", " FS.WRITE ", "subagent", "subagent_wait"] }),
        callTool("subagent", { prompt: "none", allowed_tools: [] }),
      ),
      say("waiting"),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    "all of them": [say("a")],
    some: [say("b")],
    none: [say("c")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go", { allowedTools: ["fs.read", "fs.write", "bash", "subagent", "subagent.wait"] });
  const toolsOf = (key: string) => model.of(key)[0]?.tools.map(({ name }) => name);
  expect(toolsOf("go")).toEqual(["bash", "fs_read", "fs_write", "subagent", "subagent_wait"]);
  expect(toolsOf("all of them")).toEqual(["bash", "fs_read", "fs_write"]);
  expect(toolsOf("some")).toEqual(["fs_read", "fs_write"]);
  expect(toolsOf("none")).toEqual([]);
});

test("T7.2 children have no tools for subagents, and cannot start any", async () => {
  const model = conversations({
    go: [start("child"), say("waiting"), say("over")],
    child: [callTool("subagent", { prompt: "grandchild" }), say("I cannot")],
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  const [first, second] = model.of("child");
  expect(first?.tools.filter(({ name }) => name.startsWith("subagent"))).toEqual([]);
  expect(JSON.stringify(second?.messages.at(-1))).toContain("Unknown tool 'subagent'");
});

test("T7.2 skills are narrowed to the parent's, in any case, and an empty list turns them off", async () => {
  const scopes: Record<string, unknown> = {};
  const watching = definePlugin({
    name: "watching",
    systemPrompt({ toolScope, isChild, inbound }) {
      if (isChild) scopes[String(inbound.content)] = toolScope.allowedSkills;
      return undefined;
    },
  });
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "one" }),
        callTool("subagent", { prompt: "two", allowed_skills: ["Notes", "OTHER"] }),
        callTool("subagent", { prompt: "three", allowed_skills: [] }),
      ),
      say("waiting"),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    one: [say("a")],
    two: [say("b")],
    three: [say("c")],
  });
  await using runtime = await testRuntime({ model, plugins: [watching] });
  await runtime.send("go", { allowedSkills: ["notes", "Mail"] });
  expect(scopes).toEqual({ one: ["notes", "Mail"], two: ["notes"], three: [] });
});

test("T7.2 model and effort: the call's, else the session's own, else what the parent runs on", async () => {
  const asked: [string, string | undefined][] = [];
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "plain" }),
        callTool("subagent", { prompt: "chosen", model: "scripted:other", reasoning_effort: "high" }),
        callTool("subagent", { prompt: "kept one", session: "kept" }),
        callTool("subagent", { prompt: "fresh one", session: "fresh" }),
      ),
      ...Array.from({ length: 4 }, () => say("waiting")),
      say("over"),
    ],
    plain: [say("a")],
    chosen: [say("b")],
    "kept one": [say("c")],
    "fresh one": [say("d")],
  });
  const provider = definePlugin({
    name: "models",
    provideModels: () => [
      {
        provider: "scripted",
        create: (modelId) => ({
          ...model,
          modelId,
          stream(request) {
            const last = request.messages.at(-1);
            if (last?.role === "user" && typeof last.content === "string" && !last.content.startsWith("<"))
              asked.push([`${last.content.split("\n").at(-1)} ${modelId}`, request.reasoningEffort]);
            return model.stream(request);
          },
        }),
      },
    ],
  });
  await using runtime = await testRuntime({ model, plugins: [provider] });
  await runtime.send(",model scripted:kepts", { sessionId: "kept" });
  const models: (string | null)[] = [];
  runtime.runtime.events.on("subagent-finished", ({ task }) => models.push(`${task.description} ${task.model}`));
  await runtime.send("go", { model: "scripted:parents", reasoningEffort: "low" });
  expect(asked).toEqual(
    expect.arrayContaining([
      ["plain parents", "low"],
      ["chosen other", "high"],
      ["kept one kepts", "low"],
      ["fresh one parents", "low"],
    ]),
  );
  expect(models.sort()).toEqual([
    "chosen scripted:other",
    "fresh one scripted:parents",
    "kept one scripted:kepts",
    "plain scripted:parents",
  ]);
});

test("T7.4 a child's state begins as a shallow copy of its parent's, and what steers the parent stays with it", async () => {
  const shared = { seen: [] as string[] };
  const states: object[] = [];
  const slots = definePlugin({
    name: "slots",
    loadState: (turn) => (turn.isChild ? {} : ({ slot: shared, own: "parent's" } as object)),
    systemPrompt(turn) {
      states.push({ ...turn.state });
      Object.assign(turn.state, { own: `${turn.sessionId}'s` });
      return undefined;
    },
  });
  const held = gate();
  const steer = defineTool({
    name: "steer",
    description: "Steer the parent.",
    async run(_args, { turn }) {
      const { storage, tapeIdOf } = runtime.runtime;
      await storage.inboxes.put(tapeIdOf.call(runtime.runtime, turn.sessionId), {
        kind: "steer",
        payload: { content: "mind the gap" },
        meta: {},
      });
      held.open();
      return "steered";
    },
  });
  const model = conversations({
    "mind the gap": [say("minding"), say("over")],
    go: [callTool("subagent", { prompt: "child" }), callTool("steer")],
    child: [gated(held, "answer")],
  });
  await using runtime = await testRuntime({ model, plugins: [slots], tools: [steer] });
  await runtime.send("go");
  const [parent, child] = states as { slot: object; own: string; childUsage?: object }[];
  expect(child?.slot).toBe(shared);
  expect(parent?.slot).toBe(shared);
  expect(child?.own).toBe("cli:test's");
  expect(model.of("child")).toHaveLength(1);
  expect(JSON.stringify(model.of("child")[0]?.messages)).not.toContain("mind the gap");
  expect(JSON.stringify(model.of("mind the gap")[0]?.messages)).toContain("mind the gap");
});

test("T1.1 a child's tools act in its parent's environment", async () => {
  const model = conversations({
    go: [callTool("subagent", { prompt: "child" }), say("waiting"), callTool("fs.read", { path: "note" }), say("over")],
    child: [callTool("fs.write", { path: "note", content: "from the child" }), say("written")],
  });
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.at(-1)?.text).toBe("from the child");
});

test("T0.3 the four tools are for the model, for code and for people, and none has to be loaded", async () => {
  await using runtime = await testRuntime();
  const own = runtime.runtime.tools.filter(({ plugin }) => plugin === "subagents").map(({ tool }) => tool);
  expect(own.map(({ name, exposure, deferred }) => [name, exposure, deferred])).toEqual([
    ["subagent", "auto", false],
    ["subagent.wait", "auto", false],
    ["subagent.send", "auto", false],
    ["subagent.cancel", "auto", false],
  ]);
});

test("R5.6 T7.5 agents of one process share the limit: a task of the second waits for one of the first", async () => {
  const [first, second] = [gate(), gate()];
  const modelOf = (held: typeof first) =>
    conversations({
      go: [callTool("subagent", { prompt: "child" }), say("waiting"), say("over")],
      child: [gated(held, "a")],
    });
  const settings = { subagentMaxConcurrency: 1 };
  await using one = await testRuntime({ model: modelOf(first), settings });
  await using other = await testRuntime({ model: modelOf(second), settings });
  const running = one.send("go");
  await first.reached;
  const statuses: unknown[] = [];
  const waiting = other.send("go", {
    onEvent(event) {
      if (event.type === "tool-result") statuses.push((event.value as { status: string }).status);
      if (event.type === "step-finished") first.open();
    },
  });
  await running;
  await second.reached;
  second.open();
  expect((await waiting).text).toBe("over");
  expect(statuses).toEqual(["queued"]);
});

test("T5.3 a $name in a subagent's prompt brings that skill's body, if the child may use it", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "bub-skill-"));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const folder = join(workspace, ".agents", "skills", "tidy");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: tidy\ndescription: Tidies.\n---\nPut things back.\n");
  const model = conversations({
    go: [
      calls(
        callTool("subagent", { prompt: "first: $tidy up" }),
        callTool("subagent", { prompt: "second: $tidy up", allowed_skills: [] }),
      ),
      say("waiting"),
      say("waiting"),
      say("over"),
    ],
    "first:": [say("a")],
    "second:": [say("b")],
  });
  await using runtime = await testRuntime({ model, workspace });
  await runtime.send("go");
  expect(model.of("first:")[0]?.messages[0]?.content).toMatch(/^first: \$tidy up[\s\S]*Put things back\./);
  expect(model.of("second:")[0]?.messages[0]?.content).toBe("second: $tidy up");
});
