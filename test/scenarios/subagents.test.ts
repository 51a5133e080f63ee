// Plays each scenario of test/scenarios/subagents in this process.
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.ts";
import type { Emitter } from "../../src/base/emitter.ts";
import type { BusEvents, StreamEvent } from "../../src/base/events.ts";
import { createMemoryEnvironment } from "../../src/environment/memory.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { createScriptModel } from "../../src/model/scripted/model.ts";
import { parseScript } from "../../src/model/scripted/script-parser.ts";
import { createMemoryStorage } from "../../src/tape/memory-store.ts";
import { testRuntime } from "../../src/testing/test-runtime.ts";
import { expectScenario, readScenarios, type Scenario, type ScenarioRun } from "../support/subagent-scenarios.ts";

const scenarios = readScenarios();

describe("scenarios with subagents", () => {
  test("there is one for each case", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(15);
    expect(scenarios.filter(({ cli }) => cli).length).toBeGreaterThanOrEqual(5);
  });

  test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))("%s", async (_title, scenario) => {
    const run = scenario.sdk === true ? await playInAgent(scenario) : await playInRuntime(scenario);
    expectScenario(scenario, run);
  });
});

interface Player {
  readonly events: Emitter<BusEvents>;
  readonly taskIds: string[];
  say(message: string): AsyncIterable<StreamEvent>;
}

async function play({ turns }: Scenario, { events: bus, taskIds, say }: Player): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  let ended = 0;
  let look: () => void = () => undefined;
  bus.on("subagent-finished", () => {
    ended += 1;
    look();
  });
  for (const turn of turns) {
    if (typeof turn !== "string") {
      await new Promise<void>((resolve) => {
        look = () => ended >= turn.until_ended && resolve();
        look();
      });
      continue;
    }
    for await (const event of say(turn)) {
      if (event.type === "tool-result" && event.name === "subagent" && !event.is_error)
        taskIds.push((event.value as { task_id: string }).task_id);
      events.push(event);
    }
  }
  return events;
}

async function playInRuntime(scenario: Scenario): Promise<ScenarioRun> {
  const taskIds: string[] = [];
  await using runtime = await testRuntime({ model: await modelOf(scenario, taskIds), settings: scenario.settings });
  const say = (content: string) => runtime.runtime.run({ channel: "cli", chatId: "test", commands: true, content });
  const events = await play(scenario, { events: runtime.runtime.events, taskIds, say });
  return { events, entries: await runtime.entries() };
}

async function playInAgent(scenario: Scenario): Promise<ScenarioRun> {
  const taskIds: string[] = [];
  const storage = createMemoryStorage();
  const environment = createMemoryEnvironment();
  const options = { model: await modelOf(scenario, taskIds), storage, environment, env: {} };
  await using agent = await createAgent({ ...options, settings: { home: "/nowhere", ...scenario.settings } });
  const say = (prompt: string) => agent.run({ sessionId: "program", prompt });
  const events = await play(scenario, { events: agent.events, taskIds, say });
  await using log = await storage.tapes.open(agent.runtime.tapeIdOf("program"));
  const entries = [];
  for await (const entry of log.forward()) entries.push(entry);
  return { events, entries };
}

/** The script's model; `$1` in the arguments of calls is the id of the first task. */
async function modelOf({ script, name }: Scenario, taskIds: readonly string[]): Promise<Model> {
  const model = createScriptModel(await parseScript(JSON.stringify(script), name), name);
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const event of model.stream(request)) {
      if (event.type !== "tool-call") yield event;
      else {
        const named = JSON.stringify(event).replace(/\$(\d)/g, (_match, index) => taskIds[Number(index) - 1] ?? "");
        yield JSON.parse(named) as ModelEvent;
      }
    }
  }
  return { ...model, stream };
}
