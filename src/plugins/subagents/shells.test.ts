// Shells of children and of their parents, with real processes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { after, conversations, gate, gated } from "../../../test/support/conversations.ts";
import { markedProcesses } from "../../../test/support/shell-world.ts";
import type { StreamEvent } from "../../base/events.ts";
import type { ModelRequest } from "../../model/model.ts";
import { callTool, type ScriptedStep, say } from "../../testing/scripted-model.ts";
import { type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";

const start = (prompt: string, session = "temp") => callTool("subagent", { prompt, session });
const inBackground = (command: string) => callTool("bash", { command, background: true });

const shellIdIn = (request: ModelRequest): string =>
  /bsh-[0-9a-f]{8}/.exec(JSON.stringify(request.messages))?.[0] ?? "";

function realPlace(): TestRuntimeOptions {
  const home = mkdtempSync(join(tmpdir(), "bub-shells-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { environment: null, settings: { home }, env: { PATH: process.env.PATH, HOME: home } };
}

/** What the children's tools gave, by the child's prompt. */
function childResults(events: readonly StreamEvent[]): Record<string, string> {
  const results: Record<string, string> = {};
  for (const event of events) {
    if (event.type === "subagent-output" && event.event.type === "tool-result")
      results[event.task.description.split(" ")[0] ?? ""] = event.event.text;
  }
  return results;
}

test("T2.7 a temp child reads and ends its parent's shells; a named one does not know them", async () => {
  let id = "";
  const output: ScriptedStep = () => callTool("bash.output", { shell_id: id });
  const kill: ScriptedStep = () => callTool("bash.kill", { shell_id: id });
  const model = conversations({
    go: [
      inBackground("echo from the parent; exec sleep 600"),
      (request) => {
        id = shellIdIn(request);
        return start("named", "kept");
      },
      callTool("subagent.wait"),
      start("reading"),
      callTool("subagent.wait"),
      start("killing"),
      callTool("subagent.wait"),
      say("over"),
    ],
    named: [output, say("seen")],
    reading: [output, say("seen")],
    killing: [kill, say("seen")],
  });
  await using runtime = await testRuntime({ model, ...realPlace() });
  const results = childResults((await runtime.send("go")).events);
  expect(results.named).toBe(`[not_found] unknown shell id: ${id}`);
  expect(results.reading).toMatch(new RegExp(`^id: ${id}\nstatus: running\n`));
  expect(results.killing).toMatch(/status: exited/);
  expect(markedProcesses()).toEqual([]);
});

test("T2.9 T7.10 the shells that a temp child started end with it, its parent's go on", async () => {
  const model = conversations({
    go: [inBackground("exec sleep 600"), start("child"), callTool("subagent.wait"), say("over")],
    child: [inBackground("trap '' TERM; sleep 600 & exec sleep 600"), say("left two")],
  });
  await using runtime = await testRuntime({ model, ...realPlace() });
  const running: number[] = [];
  runtime.runtime.events.on("subagent-finished", () => running.push(markedProcesses().length));
  await runtime.send("go");
  expect(running).toEqual([1]);
  await runtime.runtime.quit("cli:test");
  expect(markedProcesses()).toEqual([]);
});

test("T7.10 the shells of a named child stay with its session", async () => {
  const model = conversations({
    go: [start("child", "kept"), callTool("subagent.wait"), say("over")],
    child: [inBackground("exec sleep 600"), say("left it")],
  });
  await using runtime = await testRuntime({ model, ...realPlace() });
  await runtime.send("go");
  expect(markedProcesses()).toHaveLength(1);
  await runtime.runtime.quit("kept");
  expect(markedProcesses()).toEqual([]);
});

test("T7.7 a cancelled child's shells, in front and in the back, are gone within a second, and so is the task", async () => {
  const held = gate();
  const model = conversations({
    go: [
      start("child"),
      after(held.reached, (request) => {
        const [taskId = ""] = /sub-[0-9a-f]{8}/.exec(JSON.stringify(request.messages)) ?? [];
        return callTool("subagent.cancel", { task_id: taskId });
      }),
      say("waiting"),
      say("over"),
    ],
    child: [inBackground("trap '' TERM; sleep 600; sleep 600"), gated(held, "never")],
  });
  await using runtime = await testRuntime({ model, ...realPlace() });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.at(-1)).toMatchObject({ value: { status: "cancelled" } });
  // Half a second for the shell that ignores TERM, and the rest for a busy machine.
  expect(toolResults.at(-1)?.elapsed_ms).toBeLessThan(1500);
  expect(markedProcesses()).toEqual([]);
});
