import { expect, test } from "vitest";
import { handOff } from "../../../test/support/agent-runs.ts";
import type { JsonObject } from "../../base/json.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, type TestRuntimeOptions, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Exposure } from "../../tools/tool.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const tool = (name: string, { deferred = true, exposure = "auto" as Exposure } = {}) =>
  defineTool({
    name,
    description: `Tells ${name}.`,
    deferred,
    exposure,
    input: { ...parameters },
    run: ({ city }: JsonObject) => `${name} of ${city}`,
  });

const weather = tool("geo.weather");
const river = tool("geo.river");

const definition = (name: string, runtimeName: string) => ({ name, description: `Tells ${runtimeName}.`, parameters });

const namesOf = (request: { tools: readonly { name: string }[] } | undefined) => request?.tools.map(({ name }) => name);

const open = (options: TestRuntimeOptions) => testRuntime({ tools: [weather, river], ...options });

async function loadedEvents(runtime: TestRuntime) {
  const entries = await runtime.entries();
  return entries.filter(({ payload }) => payload.name === "tool.loaded").map(({ payload }) => payload.data);
}

test("T0.3 tool.describe is direct and not deferred", async () => {
  await using runtime = await open({});
  const described = runtime.runtime.tools.find((owned) => owned.tool.name === "tool.describe");
  expect(described).toMatchObject({
    plugin: "discovery",
    tool: { exposure: "direct", deferred: false, alias: "tool_describe" },
  });
});

test("T5.4 T0.10 the value: definitions in the order asked, duplicates once, aliases, unknown names as asked", async () => {
  const names = ["river", " GEO.river ", "fs.read", "geo_weather", "geo_river", "river"];
  const model = scriptedModel([callTool("tool_describe", { names }), say("ok")]);
  await using runtime = await open({ model });
  const { toolResults } = await runtime.send("go");
  const value = toolResults[0]?.value as { tools: { name: string }[]; unknown: string[]; already_loaded: string[] };
  expect(value.tools.map(({ name }) => name)).toEqual(["geo_river", "fs_read", "geo_weather"]);
  expect(value.tools[0]).toEqual(definition("geo_river", "geo.river"));
  expect(value).toMatchObject({ unknown: ["river"], already_loaded: [] });
  expect(toolResults[0]?.text).toBe(JSON.stringify(value));
});

test("T5.4 a described deferred tool is callable from the next step, and recorded as tool.loaded", async () => {
  const model = scriptedModel([
    callTool("tool_describe", { names: ["geo.weather", "fs.read"] }),
    callTool("geo_weather", { city: "Bern" }),
    say("sunny"),
  ]);
  await using runtime = await open({ model });
  const { toolResults } = await runtime.send("go");
  expect(toolResults[1]?.text).toBe("geo.weather of Bern");
  expect(namesOf(model.requests[0])).not.toContain("geo_weather");
  expect(namesOf(model.requests[1])?.at(-1)).toBe("geo_weather");
  expect(await loadedEvents(runtime)).toEqual([{ names: ["geo_weather"] }]);
});

test("T5.4 in the step that describes it a deferred tool cannot be called yet; T0.9 the model is told to describe it first", async () => {
  const model = scriptedModel([
    callTool("geo_weather", { city: "Bern" }),
    calls(callTool("tool_describe", { names: ["geo_weather"] }), callTool("geo_weather", { city: "Bern" })),
    callTool("geo_weather", { city: "Bern" }),
    say("sunny"),
  ]);
  await using runtime = await open({ model });
  const { toolResults, errors } = await runtime.send("go");
  const guidance =
    "Tool 'geo_weather' is not loaded. Call tool_describe with names [\"geo_weather\"] first; it can be called from the next step on.";
  const answers = toolResults.filter(({ name }) => name === "geo_weather").map(({ text }) => text);
  expect(answers).toEqual([guidance, guidance, "geo.weather of Bern"]);
  expect(errors).toEqual([]);
});

test("T5.4 a loaded tool is listed under already_loaded instead of its definition; other tools always give theirs", async () => {
  const names = ["geo.weather", "fs.read"];
  const model = scriptedModel([
    callTool("tool_describe", { names: ["geo.weather"] }),
    callTool("tool_describe", { names }),
    say("ok"),
  ]);
  await using runtime = await open({ model });
  const values = (await runtime.send("go")).toolResults.map(({ value }) => value);
  expect(values[1]).toMatchObject({ tools: [{ name: "fs_read" }], unknown: [], already_loaded: ["geo_weather"] });
  expect(await loadedEvents(runtime)).toEqual([{ names: ["geo_weather"] }]);
});

test("T5.4 loaded tools are offered in later turns and after a restart, last and in load order", async () => {
  const storage = createMemoryStorage();
  const model = scriptedModel([
    callTool("tool_describe", { names: ["geo.weather"] }),
    callTool("tool_describe", { names: ["geo.river"] }),
    say("ok"),
    say("ok"),
  ]);
  await using first = await open({ model, storage });
  await first.send("go");
  await first.send("go on");
  const later = scriptedModel([say("ok")]);
  await using second = await open({ model: later, storage });
  await second.send("go on");
  for (const request of [model.requests[2], model.requests[3], later.requests[0]]) {
    expect(namesOf(request)?.slice(-2)).toEqual(["geo_weather", "geo_river"]);
  }
  // Each request's tools go on where the ones before ended.
  const before = namesOf(model.requests[0]) ?? [];
  expect(namesOf(later.requests[0])?.slice(0, before.length)).toEqual(before);
});

const clear = defineTool({
  name: "clear",
  description: "Clear the tape.",
  exposure: "command",
  run: (_args, { turn }) => turn.tape.replace([]).then(() => "cleared"),
});

test("T5.4 loaded tools outlast an anchor and are gone when the tape is cleared", async () => {
  const model = scriptedModel([callTool("tool_describe", { names: ["geo.weather"] }), say("ok"), say("ok"), say("ok")]);
  await using runtime = await open({ model, tools: [weather, river, clear, handOff] });
  await runtime.send("go");
  await runtime.send(",hand.off");
  await runtime.send("go on");
  expect(namesOf(model.requests[2])).toContain("geo_weather");
  await runtime.send(",clear");
  await runtime.send("anew");
  expect(namesOf(model.requests[3])).not.toContain("geo_weather");
});

test("T5.4 out-of-scope, code and command tools are unknown to the model", async () => {
  const names = ["geo.river", "quit", "attach", "fs.write", "fs.read", "geo.weather"];
  const model = scriptedModel([callTool("tool_describe", { names }), say("ok")]);
  await using runtime = await open({
    model,
    tools: [weather, river, tool("attach", { deferred: false, exposure: "code" })],
  });
  const { toolResults } = await runtime.send("go", { allowedTools: ["geo.weather", "fs_read", "attach", "quit"] });
  expect(toolResults[0]?.value).toMatchObject({
    tools: [{ name: "fs_read" }, { name: "geo_weather" }],
    unknown: ["geo.river", "quit", "attach", "fs.write"],
  });
});

test("T5.5 tool_describe is offered while a deferred tool is in scope, even if the allow-list lacks it", async () => {
  const model = scriptedModel([
    callTool("tool_describe", { names: ["geo.weather", "tool.describe"] }),
    callTool("geo_weather", { city: "Bern" }),
    say("ok"),
    say("ok"),
  ]);
  await using runtime = await open({ model });
  const { toolResults } = await runtime.send("go", { allowedTools: ["GEO_weather"] });
  expect(namesOf(model.requests[0])).toEqual(["tool_describe"]);
  expect(namesOf(model.requests[1])).toEqual(["tool_describe", "geo_weather"]);
  expect(toolResults[0]?.value).toMatchObject({
    tools: [{ name: "geo_weather" }, { name: "tool_describe" }],
    unknown: [],
  });
  expect(toolResults[1]?.text).toBe("geo.weather of Bern");
  await runtime.send("go", { allowedTools: ["fs.read"] });
  expect(namesOf(model.requests[3])).toEqual(["fs_read"]);
});

test("T5.5 R2.4 the prompt lists every deferred alias in scope, loaded or not, with the same bytes", async () => {
  const model = scriptedModel([callTool("tool_describe", { names: ["geo.weather"] }), say("ok"), say("ok"), say("ok")]);
  await using runtime = await open({ model });
  await runtime.send("go");
  await runtime.send("go on");
  const systems = model.requests.map(({ system }) => system);
  expect(systems[0]).toContain("\ngeo_river\ngeo_weather\n</deferred_tools>");
  expect(new Set(systems).size).toBe(1);
  await runtime.send("go", { allowedTools: ["geo.river"] });
  expect(model.requests[3]?.system).toContain("\ngeo_river\n</deferred_tools>");
  expect(model.requests[3]?.system).not.toContain("geo_weather");
});

test("T5.5 without deferred tools in scope the prompt has no block", async () => {
  const model = scriptedModel([say("ok")]);
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  expect(model.requests[0]?.system).not.toContain("deferred");
});

test("T5.5 T10.2 as a text command it knows every exposure, and loads", async () => {
  const model = scriptedModel([say("ok")]);
  const attach = tool("attach", { deferred: false, exposure: "code" });
  await using runtime = await open({ model, tools: [weather, river, attach] });
  const { text } = await runtime.send(`,tool.describe names='["quit", "attach", "geo.weather", "nothing"]'`);
  const value = JSON.parse(text) as { tools: { name: string }[]; unknown: string[] };
  expect(value.tools.map(({ name }) => name)).toEqual(["quit", "attach", "geo_weather"]);
  expect(value.unknown).toEqual(["nothing"]);
  await runtime.send("go");
  expect(namesOf(model.requests[0])).toContain("geo_weather");
  expect(JSON.parse((await runtime.send(`,tool.describe '["geo_weather"]'`)).text)).toEqual({
    tools: [],
    unknown: [],
    already_loaded: ["geo_weather"],
  });
});

test("T5.6 the allow-list comes first: a tool loaded before is not offered outside of it, and is again within", async () => {
  const model = scriptedModel([callTool("tool_describe", { names: ["geo.weather"] }), say("ok"), say("ok"), say("ok")]);
  await using runtime = await open({ model });
  await runtime.send("go");
  await runtime.send("go", { allowedTools: ["geo.river"] });
  expect(namesOf(model.requests[2])).toEqual(["tool_describe"]);
  await runtime.send("go");
  expect(namesOf(model.requests[3])?.at(-1)).toBe("geo_weather");
});

test("T5.6 in code mode only deferred tools that the model would call itself need loading", async () => {
  const direct = tool("geo.direct", { exposure: "direct" });
  const runCode = defineTool({ name: "run_code", description: "Run code.", exposure: "direct", run: () => "" });
  const codeMode = defineTool({
    name: "enter",
    description: "Turn code mode on.",
    exposure: "command",
    async run(_args, { turn }) {
      await turn.tape.append([{ kind: "event", payload: { name: "code_mode_switch", data: { code_mode: true } } }]);
      return "on";
    },
  });
  const model = scriptedModel([callTool("tool_describe", { names: ["geo.weather", "geo.direct"] }), say("ok")]);
  await using runtime = await open({ model, tools: [weather, direct, runCode, codeMode] });
  await runtime.send(",enter");
  const { toolResults } = await runtime.send("go");
  expect(model.requests[0]?.system).toContain("\ngeo_direct\n</deferred_tools>");
  const [, deferred] = /<deferred_tools>([\s\S]*)<\/deferred_tools>/.exec(model.requests[0]?.system ?? "") ?? [];
  expect(deferred).not.toContain("geo_weather");
  expect(toolResults[0]?.value).toMatchObject({ tools: [{ name: "geo_weather" }, { name: "geo_direct" }] });
  expect(await loadedEvents(runtime)).toEqual([{ names: ["geo_direct"] }]);
});
