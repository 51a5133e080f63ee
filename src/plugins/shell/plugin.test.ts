import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { markedProcesses } from "../../../test/support/shell-world.ts";
import type { BusEvents, SubagentTask } from "../../base/events.ts";
import { callTool, type ScriptedStep, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

function shellRuntime(steps: readonly ScriptedStep[]) {
  const home = mkdtempSync(join(tmpdir(), "bub-shell-plugin-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return testRuntime({
    model: scriptedModel(steps),
    environment: null,
    workspace: home,
    settings: { home },
    env: { PATH: process.env.PATH },
  });
}

const inBackground = (command: string) => callTool("bash", { command, background: true });

test("T2.2 the model sees a failed command as a tool error with its output", async () => {
  await using runtime = await shellRuntime([callTool("bash", { command: "echo oh; exit 2" }), say("I see")]);
  const { toolResults, text } = await runtime.send("go");
  expect(toolResults).toMatchObject([{ is_error: true, text: "[tool] command exited with code 2\noutput:\noh" }]);
  expect(text).toBe("I see");
});

test("T2.10 shell-finished is told on the bus when a background shell ends, with no message to the model", async () => {
  await using runtime = await shellRuntime([inBackground("exit 5"), say("started"), say("still here")]);
  const told = new Promise<BusEvents["shell-finished"]>((resolve) => {
    runtime.runtime.events.on("shell-finished", resolve);
  });
  const { toolResults } = await runtime.send("go");
  const shellId = toolResults[0]?.text.replace("shell_id: ", "");
  expect(await told).toEqual({ sessionId: "cli:test", shellId, exitCode: 5 });
  const messages = (await runtime.entries()).filter(({ kind }) => kind === "message");
  expect(messages).toHaveLength(2);
});

test("T2.9 a turn's end and its cancellation leave background shells running, quitting the session ends them", async () => {
  await using runtime = await shellRuntime([inBackground("sleep 300"), say("started")]);
  const { toolResults } = await runtime.send("go");
  const shellId = toolResults[0]?.text.replace("shell_id: ", "") ?? "";
  await expect.poll(() => markedProcesses(shellId).length).toBe(1);
  await runtime.runtime.quit("cli:test");
  expect(markedProcesses(shellId)).toEqual([]);
});

test("T2.9 the runtime's end ends them too", async () => {
  const runtime = await shellRuntime([inBackground("sleep 300 & setsid sleep 300 & wait"), say("started")]);
  const { toolResults } = await runtime.send("go");
  const shellId = toolResults[0]?.text.replace("shell_id: ", "") ?? "";
  await expect.poll(() => markedProcesses(shellId).length).toBe(3);
  await runtime[Symbol.asyncDispose]();
  expect(markedProcesses(shellId)).toEqual([]);
});

test("R1.7 cancelling a turn ends its foreground command within a second", async () => {
  await using runtime = await shellRuntime([
    callTool("bash", { command: "trap '' TERM; while :; do sleep 0.05; done" }),
    say("no"),
  ]);
  const cancel = new AbortController();
  const running = runtime.send("go", { signal: cancel.signal });
  // With its first sleep it is deaf already.
  await expect.poll(() => markedProcesses().length).toBeGreaterThan(1);
  const start = performance.now();
  cancel.abort();
  expect((await running).status).toBe("cancelled");
  expect(performance.now() - start).toBeLessThan(1_500);
  await expect.poll(() => markedProcesses()).toEqual([]);
});

test("T0.3 bash, bash.output and bash.kill are direct, small and say how a daemon stays", async () => {
  await using runtime = await shellRuntime([]);
  const tools = runtime.runtime.tools.filter(({ plugin }) => plugin === "shell").map(({ tool }) => tool);
  expect(tools.map(({ name }) => name)).toEqual(["bash", "bash.output", "bash.kill"]);
  expect(new Set(tools.map(({ exposure, deferred }) => `${exposure} ${deferred}`))).toEqual(new Set(["direct false"]));
  const offered = tools.map(({ alias, description, parameters }) => ({ alias, description, parameters }));
  expect(JSON.stringify(offered).length).toBeLessThan(1_700);
  expect(tools[0]?.description).toContain("env -u BUB_SHELL_ID setsid");
});

test("T2.7 a temp child of a subagent finds its parent's shells, a named one does not", async () => {
  const steps = [inBackground("echo parents"), say("started")];
  for (const [child, isRelated] of [
    ["temp/sub-1", true],
    ["named", false],
  ] as const) {
    await using runtime = await shellRuntime([
      ...steps,
      ({ messages }) => callTool("bash.output", { shell_id: shellIdIn(messages) }),
      say("seen"),
    ]);
    const { toolResults } = await runtime.send("go");
    const shellId = toolResults[0]?.text.replace("shell_id: ", "") ?? "";
    knownIds.push(shellId);
    runtime.runtime.events.emit("subagent-started", {
      task: { session_id: child, parent_session_id: "cli:test" } as SubagentTask,
      state: {},
    });
    const turn = await runtime.send("look", { sessionId: child });
    const [read] = turn.toolResults;
    if (isRelated) expect(read?.text).toMatch(new RegExp(`^id: ${shellId}\n`));
    else expect(read?.text).toBe(`[not_found] unknown shell id: ${shellId}`);
  }
});

const knownIds: string[] = [];

function shellIdIn(_messages: unknown): string {
  return knownIds.at(-1) ?? "";
}
