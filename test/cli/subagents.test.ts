// Subagents in the real `bub`: scenarios as data, and what only processes can show.
import { describe, expect, test } from "vitest";
import { createCliWorld, eventsOf } from "../support/run-cli.ts";
import type { Scenario } from "../support/subagent-scenarios.ts";
import { expectScenario, readIn, readScenarios } from "../support/subagent-scenarios.ts";

const scenarios = readScenarios().filter(({ cli }) => cli);

const envOf = ({ settings }: Scenario): Record<string, string> =>
  settings?.subagentMaxConcurrency === undefined
    ? {}
    : { BUB_SUBAGENT_MAX_CONCURRENCY: String(settings.subagentMaxConcurrency) };

describe("scenarios with subagents in the real bub", () => {
  test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))("%s", async (_title, scenario) => {
    using world = createCliWorld();
    const model = `scripted:${world.file("script.json", JSON.stringify(scenario.script))}`;
    const events = [];
    for (const turn of scenario.turns) {
      const { stdout, stderr } = await world.run(["run", "--json", "--model", model, String(turn)], {
        env: envOf(scenario),
      });
      expect(stderr).toBe("");
      events.push(...eventsOf(stdout));
    }
    expectScenario(scenario, { events, entries: world.entries() });
  });
});

const parent = (calls: readonly object[], ...more: readonly unknown[]) => ({
  answers: [{ when: { user: "<subagent-notification" }, text: "told: {{user}}" }, { calls }, ...more],
});

const start = (prompt: string, more: object = {}) => ({ name: "subagent", arguments: { prompt, ...more } });

test("R2.2 bub run --json carries a child's events, with its task, between those of its parent", async () => {
  using world = createCliWorld();
  const script = {
    conversations: [
      { first: "child", answers: [{ calls: [{ name: "bash", arguments: { command: "echo hi" } }] }, "done"] },
    ],
    ...parent([start("child")], "waiting"),
  };
  const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
  const { stdout } = await world.run(["run", "--json", "--model", model, "go"]);
  const told = eventsOf(stdout).filter(({ type }) => type.startsWith("subagent-"));
  const types = told.map((event) => (event.type === "subagent-output" ? event.event.type : event.type));
  expect(types).toEqual([
    "subagent-started",
    "tool-call",
    "tool-result",
    "step-finished",
    "text-delta",
    "step-finished",
    "final",
    "subagent-finished",
  ]);
  expect(told.at(-1)).toMatchObject({
    session_id: "cli:local",
    task: { status: "completed", output: "done", steps: 2 },
  });
  expect(eventsOf(stdout).at(-1)?.type).toBe("final");
});

test("T2.9 T7.10 shells that a temp child started are gone when its end is told", async () => {
  using world = createCliWorld();
  const background = { name: "bash", arguments: { command: "echo $$ > pid; exec sleep 600", background: true } };
  const script = {
    conversations: [
      {
        first: "child",
        answers: [
          { calls: [background] },
          { calls: [{ name: "bash", arguments: { command: until("pid") } }] },
          "left it running",
        ],
      },
    ],
    answers: [
      {
        when: { user: "<subagent-notification", step: 1 },
        calls: [{ name: "bash", arguments: { command: "kill -0 $(cat pid) && echo alive || echo gone" } }],
      },
      { when: { tool: "bash" }, text: "{{result}}" },
      { calls: [start("child")] },
      "waiting",
    ],
  };
  const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
  const { stdout, code } = await world.run(["run", "--model", model, "go"]);
  expect(code).toBe(0);
  expect(stdout).toContain("gone");
});

test("T7.7 T7.10 the end of a one-shot process cancels a task that outlived its run; the next process tells of it once", async () => {
  using world = createCliWorld();
  const script = {
    conversations: [{ first: "child", answers: [{ text: "so far", stall: true }] }],
    answers: [
      { when: { user: "again" }, text: "I see" },
      { calls: [start("child")] },
      { error: { status: 400, message: "broken" }, delay_ms: 100 },
    ],
  };
  const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
  const first = await world.run(["run", "--model", model, "go"]);
  expect(first.code).toBe(1);
  await world.run(["run", "--model", model, "again"]);
  await world.run(["run", "--model", model, "and again"]);
  expect(readIn(world.entries())).toMatchObject([{ by: "message", status: "cancelled", output: "so far" }]);
});

test("T7.10 Ctrl-C ends the run and its children within a second or so, and nothing hangs", async () => {
  using world = createCliWorld();
  const script = {
    conversations: [
      {
        first: "child",
        answers: [
          { calls: [{ name: "bash", arguments: { command: "echo > running; sleep 600", timeout_seconds: 600 } }] },
        ],
      },
    ],
    ...parent([start("child")], "waiting"),
  };
  const model = `scripted:${world.file("script.json", JSON.stringify(script))}`;
  const running = world.start(["run", "--model", model, "go"]);
  await world.until("running");
  const before = performance.now();
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(performance.now() - before).toBeLessThan(3000);
});

/** A command that waits for a file of the workspace. */
function until(file: string): string {
  return `while [ ! -s ${file} ]; do sleep 0.01; done`;
}
