import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clockAt } from "../../testing/clock-at.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { localIso } from "./plugin.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bub-prompt-")));
  mkdirSync(join(folder, "home/.agents"), { recursive: true });
  mkdirSync(join(folder, "work"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Their block comes after the files. */
const withoutSkills = { allowedSkills: [] };

const world = () => ({ workspace: join(folder, "work"), env: { HOME: join(folder, "home") } });

test("R2.4 the system prompt: instructions, the person's AGENTS.md, the workspace's; read again when they change", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using runtime = await testRuntime({ model, ...world() });
  await runtime.send("hi", withoutSkills);
  expect(model.requests[0]?.system).toMatch(/^You are Bub/);
  writeFileSync(join(folder, "home/.agents/AGENTS.md"), "Everywhere.\n");
  writeFileSync(join(folder, "work/AGENTS.md"), "Only here.\n");
  await runtime.send("hi", withoutSkills);
  expect(model.requests[1]?.system).toBe(`${model.requests[0]?.system}\n\nEverywhere.\n\nOnly here.`);
  const systems = (await runtime.entries()).filter(({ kind }) => kind === "system");
  expect(systems.map(({ payload }) => payload.content)).toEqual([model.requests[0]?.system, model.requests[1]?.system]);
});

test("R2.4 a prompt source that changes during a run counts from the next turn on", async () => {
  const change = defineTool({
    name: "change",
    description: "Change AGENTS.md.",
    run: () => writeFileSync(join(folder, "work/AGENTS.md"), "Changed."),
  });
  const model = scriptedModel([callTool("change"), say("done"), say("next")]);
  await using runtime = await testRuntime({ model, tools: [change], ...world() });
  await runtime.send("go", withoutSkills);
  await runtime.send("again", withoutSkills);
  const [first, second, third] = model.requests.map(({ system }) => system);
  expect(second).toBe(first);
  expect(third).toMatch(/Changed\.$/);
});

test("R2.0 the first message after an anchor names workspace and platform; later ones do not", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using runtime = await testRuntime({ model, ...world() });
  await runtime.send("hi");
  await runtime.send("again");
  const place = `Workspace: ${join(folder, "work")}\nPlatform: ${process.platform}\n`;
  expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual([`${place}hi`, "1", "again"]);
});

test("R2.0 after a hand-off within a turn the next message names the place again; copies do not count", async () => {
  const model = scriptedModel([say("1"), callTool("tape_handoff"), say("2"), say("3")]);
  await using runtime = await testRuntime({ model, ...world() });
  for (const text of ["hi", "hand off", "again"]) await runtime.send(text);
  expect(model.requests[3]?.messages[0]?.content).toBe("hand off");
  expect(model.requests[3]?.messages.at(-1)?.content).toMatch(/^Workspace: .*\nPlatform: \w+\nagain$/);
});

test("R2.0 messages of other channels begin with channel, chat and date, recorded and replayed as sent", async () => {
  const clock = clockAt("2026-11-30T10:00:00Z");
  const model = scriptedModel([say("1"), say("2")]);
  await using runtime = await testRuntime({ model, clock, ...world() });
  await runtime.send("hi", { channel: "mail", chatId: "7" });
  clock.set("2026-12-24T18:00:00Z");
  await runtime.send([{ type: "text", text: "look" }], { channel: "mail", chatId: "7" });
  const head = `<channel=mail|chat_id=7>\n---Date: ${localIso(new Date("2026-11-30T10:00:00Z"))}---\n`;
  const [first, , last] = model.requests[1]?.messages ?? [];
  expect(first?.content).toMatch(new RegExp(`^${head.replaceAll("|", "\\|").replaceAll("+", "\\+")}`));
  expect(first).toEqual(model.requests[0]?.messages[0]);
  expect(last?.content).toEqual([
    { type: "text", text: `<channel=mail|chat_id=7>\n---Date: ${localIso(new Date("2026-12-24T18:00:00Z"))}---\n` },
    { type: "text", text: "look" },
  ]);
});

test("local dates carry their offset", () => {
  expect(localIso(new Date("2026-11-30T10:00:00Z"))).toMatch(/^2026-(11-30|12-01)T\d\d:\d\d:00[+-]\d\d:\d\d$/);
  expect(Date.parse(localIso(new Date("2026-11-30T10:00:00Z")))).toBe(Date.parse("2026-11-30T10:00:00Z"));
});
