import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gate } from "../test/support/conversations.ts";
import { createAgent } from "./agent.ts";
import type { StreamEvent } from "./base/events.ts";
import { createMemoryEnvironment } from "./environment/memory.ts";
import { definePlugin } from "./kernel/plugin.ts";
import { createMemoryStorage } from "./tape/memory-store.ts";
import { callTool, say, scriptedModel, stall } from "./testing/scripted-model.ts";
import { defineTool } from "./tools/define-tool.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-sdk-"));
});
afterEach(() => rmSync(home, { recursive: true }));

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const options = () => ({
  env: {},
  settings: { home },
  storage: createMemoryStorage(),
  environment: createMemoryEnvironment(),
});

test("R5.6 an agent with its own model, tools, store and environment answers by events", async () => {
  const model = scriptedModel([callTool("double", { number: 21 }), callTool("fs_read", { path: "a.txt" }), say("42")]);
  const double = defineTool({
    name: "double",
    description: "Double it.",
    input: { type: "object", properties: { number: { type: "number" } }, required: ["number"] },
    run: ({ number }) => Number(number) * 2,
  });
  const environment = createMemoryEnvironment({ files: { "a.txt": "in memory" } });
  await using agent = await createAgent({ ...options(), model, tools: [double], environment });
  const events = await all(agent.run({ sessionId: "s", prompt: "go" }));
  expect(events.filter(({ type }) => type === "tool-result")).toMatchObject([{ value: 42 }, { value: "in memory" }]);
  expect(events.at(-1)).toMatchObject({ type: "final", ok: true, text: "42", session_id: "s" });
  expect(readdirSync(home)).toEqual([]);
});

test("R5.4 a model that the program gives is above the session's, and one for a turn above that", async () => {
  const storage = createMemoryStorage();
  const model = scriptedModel([say("mine"), say("mine again")]);
  const other = scriptedModel([say("other")]);
  const elsewhere = definePlugin({
    name: "elsewhere",
    provideModels: () => [{ provider: "elsewhere", create: () => other }],
  });
  const request = { sessionId: "s", prompt: ",model elsewhere:one", commands: true };
  await using agent = await createAgent({ ...options(), storage, model, plugins: [elsewhere] });
  await all(agent.run(request));
  expect((await all(agent.run({ sessionId: "s", prompt: "hi" }))).at(-1)).toMatchObject({ text: "mine" });
  const turn = { sessionId: "s", prompt: "hi", model: "elsewhere:one" };
  expect((await all(agent.run(turn))).at(-1)).toMatchObject({ text: "other" });
  expect((await all(agent.run({ sessionId: "s", prompt: "hi" }))).at(-1)).toMatchObject({ text: "mine again" });
});

test("R5.6 a prompt is a text command only where the program says so", async () => {
  await using agent = await createAgent({ ...options(), model: scriptedModel([say("read it")]) });
  expect((await all(agent.run({ sessionId: "s", prompt: ",tape.anchors", commands: true }))).at(-1)).toMatchObject({
    text: "(no anchors)",
  });
  expect((await all(agent.run({ sessionId: "s", prompt: ",tape.anchors" }))).at(-1)).toMatchObject({ text: "read it" });
});

test("R5.6 several agents in one process share nothing", async () => {
  const seen: string[] = [];
  const noting = (name: string) => definePlugin(() => ({ name: "noting", saveState: () => void seen.push(name) }));
  await using one = await createAgent({ ...options(), model: scriptedModel([say("1")]), plugins: [noting("one")] });
  await using two = await createAgent({ ...options(), model: scriptedModel([say("2")]), plugins: [noting("two")] });
  const [first, second] = await Promise.all(
    [one, two].map((agent) => all(agent.run({ sessionId: "s", prompt: "hi" }))),
  );
  expect(first?.at(-1)).toMatchObject({ text: "1" });
  expect(second?.at(-1)).toMatchObject({ text: "2" });
  expect(seen.sort()).toEqual(["one", "two"]);
  expect(one.runtime.tools).not.toBe(two.runtime.tools);
});

test("R1.6 R5.6 steer puts words into the run that is on", async () => {
  const model = scriptedModel([callTool("hold"), say("understood")]);
  const held = gate();
  const hold = defineTool({
    name: "hold",
    description: "Wait.",
    async run() {
      await held.pass();
      return "held";
    },
  });
  await using agent = await createAgent({ ...options(), model, tools: [hold] });
  const run = all(agent.run({ sessionId: "s", prompt: "go" }));
  await held.reached;
  await agent.steer("s", "and be quick");
  held.open();
  expect((await run).at(-1)).toMatchObject({ text: "understood" });
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "and be quick" });
});

test("R5.6 an aborted signal ends a turn, and the agent goes on", async () => {
  const stop = new AbortController();
  const model = scriptedModel([() => ({ fault: { kind: "stall" }, text: [{ text: "…" }] }), say("next")]);
  await using agent = await createAgent({ ...options(), model });
  const events: StreamEvent[] = [];
  for await (const event of agent.run({ sessionId: "s", prompt: "go", signal: stop.signal })) {
    events.push(event);
    if (event.type === "text-delta") stop.abort();
  }
  expect(events.at(-1)).toMatchObject({ type: "final", ok: false, status: "cancelled" });
  expect((await all(agent.run({ sessionId: "s", prompt: "again" }))).at(-1)).toMatchObject({ text: "next" });
});

test("R5.6 the end of an agent cancels its turns and waits for them", async () => {
  const model = scriptedModel([() => ({ fault: { kind: "stall" }, text: [{ text: "…" }] })]);
  const agent = await createAgent({ ...options(), model });
  const run = agent.run({ sessionId: "s", prompt: "go" });
  await run.next();
  const rest = all(run);
  await agent[Symbol.asyncDispose]();
  expect((await rest).at(-1)).toMatchObject({ type: "final", status: "cancelled" });
});

test("T10.6 a program's commands act at once during a run of the session, and ,quit ends it", async () => {
  await using agent = await createAgent({ ...options(), model: scriptedModel([stall("thinking")]) });
  const command = (prompt: string) => all(agent.run({ sessionId: "s", prompt, commands: true }));
  const waiting: Promise<StreamEvent[]>[] = [];
  const seen: StreamEvent[] = [];
  for await (const event of agent.run({ sessionId: "s", prompt: "go" })) {
    seen.push(event);
    if (event.type !== "text-delta") continue;
    expect((await command(",tape.anchors")).at(-1)).toMatchObject({ ok: true, text: "- session/start" });
    waiting.push(command(",fs.read path=none"));
    expect((await command(",quit")).at(-1)).toMatchObject({ ok: true });
  }
  expect(seen.at(-1)).toMatchObject({ type: "final", status: "cancelled" });
  expect((await Promise.all(waiting)).map((events) => events.at(-1))).toMatchObject([{ status: "error" }]);
});

test("R5.6 the end of an agent does not wait for ever for a reader that asks for no more events", async () => {
  const lines: string[] = [];
  const writeLog = (line: string) => void lines.push(line);
  const agent = await createAgent({ ...options(), model: scriptedModel([say("a"), say("b")]), writeLog });
  const held = agent.run({ sessionId: "s", prompt: "go" });
  await held.next();
  await agent[Symbol.asyncDispose]();
  expect(lines).toEqual([expect.stringContaining("left behind")]);
});
