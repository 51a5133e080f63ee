import { expect, test } from "vitest";
import { gate } from "../../../test/support/conversations.ts";
import { BubError } from "../../base/errors.ts";
import { Gateway } from "../../kernel/gateway.ts";
import type { ModelProvider } from "../../kernel/hooks.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { callTool, type ScriptedModel, type ScriptedStep, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const ok = (count: number) => Array.from({ length: count }, () => say("ok"));

/** Models by provider, each with answers of its own. */
function providers(models: Record<string, ScriptedModel>) {
  return definePlugin({
    name: "models-of-test",
    provideModels: () => Object.entries(models).map(([provider, model]) => ({ provider, create: () => model })),
  });
}

function model(provider: string, steps: readonly ScriptedStep[] = ok(9)): ScriptedModel {
  return scriptedModel(steps, { provider, modelId: "m" });
}

async function switches(runtime: TestRuntime) {
  const entries = await runtime.entries();
  return entries
    .filter(({ payload }) => String(payload.name).endsWith("_switch"))
    .map(({ payload }) => [payload.name, payload.data]);
}

test("T0.3 model, reasoning_effort, code_mode and readonly are commands and no tools of the model", async () => {
  const first = model("one");
  await using runtime = await testRuntime({ model: first });
  await runtime.send("hi");
  const offered = first.requests[0]?.tools.map(({ name }) => name);
  for (const name of ["model", "reasoning_effort", "code_mode", "readonly"]) {
    const owned = runtime.runtime.tools.find(({ tool }) => tool.name === name);
    expect(owned).toMatchObject({ plugin: "session-settings", tool: { exposure: "command" } });
    expect(offered).not.toContain(name);
  }
});

test("T10.5 ,model switches the session's model from the next turn, and says so; null clears; the latest wins", async () => {
  const [one, two, three] = [model("one"), model("two"), model("three")];
  await using runtime = await testRuntime({ model: one, plugins: [providers({ two, three })] });
  await runtime.send("hi");
  expect((await runtime.send(",model two:m")).text).toBe("model: two:m. Applies from the next turn.");
  await runtime.send("hi");
  await runtime.send(",model model_id=two:m");
  await runtime.send(",model three:m");
  await runtime.send("hi");
  expect((await runtime.send(",model null")).text).toBe(
    "model: one:m (the settings' model). Applies from the next turn.",
  );
  await runtime.send("hi");
  expect([one, two, three].map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
  expect(await switches(runtime)).toEqual([
    ["model_switch", { model: "two:m" }],
    ["model_switch", { model: "two:m" }],
    ["model_switch", { model: "three:m" }],
    ["model_switch", { model: null }],
  ]);
});

test("R5.4 a session's model stands below the argument of one turn and above the settings", async () => {
  const [one, two, three] = [model("one"), model("two"), model("three")];
  await using runtime = await testRuntime({ model: one, plugins: [providers({ two, three })] });
  await runtime.send(",model two:m");
  await runtime.send("hi", { model: "three:m" });
  await runtime.send("hi");
  expect([one, two, three].map(({ requests }) => requests.length)).toEqual([0, 1, 1]);
});

test("T10.5 settings are restored after a restart, and belong to one session", async () => {
  const storage = createMemoryStorage();
  await using first = await testRuntime({ model: model("one"), plugins: [providers({ two: model("two") })], storage });
  for (const line of [",model two:m", ",reasoning_effort high", ",code_mode true", ",readonly true"])
    await first.send(line);
  const [one, two] = [model("one"), model("two")];
  await using later = await testRuntime({ model: one, plugins: [providers({ two })], storage });
  await later.send("hi");
  expect(two.requests[0]?.reasoningEffort).toBe("high");
  expect((await later.send(",code_mode")).text).toBe("code_mode: true");
  expect((await later.send(",readonly")).text).toBe("readonly: true");
  await later.send("hi", { chatId: "other" });
  expect(one.requests[0]?.reasoningEffort).toBeUndefined();
  expect((await later.send(",readonly", { chatId: "other" })).text).toBe("readonly: false");
});

test("T10.5 settings outlast an anchor and go with the tape", async () => {
  const clear = defineTool({
    name: "clear",
    description: "Clear the tape.",
    exposure: "command",
    run: (_args, { turn }) => turn.tape.replace([]).then(() => "cleared"),
  });
  await using runtime = await testRuntime({ model: model("one"), tools: [clear] });
  await runtime.send(",readonly true");
  await runtime.send(",clear");
  expect((await runtime.send(",readonly")).text).toBe("readonly: false");
});

const list = (provider: string, ids: readonly string[] | Error): ModelProvider => ({
  provider,
  create: () => undefined,
  async list() {
    if (ids instanceof Error) throw ids;
    return ids;
  },
});

test("T10.5 ,model alone shows the current one and the choices: the settings' and the providers'", async () => {
  const plugin = definePlugin({
    name: "listing",
    provideModels: () => [
      list("two", ["b", "a"]),
      list("*", ["any:x"]),
      list("down", new Error("no network")),
      list("keyless", new BubError("config", "There is no API key for keyless.")),
      list(
        "big",
        Array.from({ length: 53 }, (_, index) => `m${String(index).padStart(2, "0")}`),
      ),
    ],
  });
  const settings = { fallbackModels: ["spare:m"] };
  await using runtime = await testRuntime({ model: model("one"), plugins: [plugin], settings });
  const { text } = await runtime.send(",model");
  const lines = text.split("\n");
  expect(lines.slice(0, 7)).toEqual([
    "model: one:m (the settings' model)",
    "choices:",
    "- one:m",
    "- spare:m",
    "- two:a",
    "- two:b",
    "- any:x",
  ]);
  expect(lines.filter((line) => line.startsWith("- big:"))).toHaveLength(50);
  expect(lines.slice(-3)).toEqual([
    "(down gave no list: no network)",
    "(and 3 more of big)",
    "Switch with ,model provider:model; ,model null goes back to the settings' model.",
  ]);
  await runtime.send(",model two:a");
  expect((await runtime.send(",model")).text).toMatch(/^model: two:a \(this session's\)\n/);
});

test("T10.5 a model that cannot be used is chosen all the same, and the answer says what is missing", async () => {
  await using runtime = await testRuntime({ model: model("one") });
  const { text, status } = await runtime.send(",model openrouter:x/y");
  expect(status).toBe("ok");
  expect(text).toMatch(
    /^model: openrouter:x\/y\. Applies from the next turn\.\nIt cannot be used as things are: .*OPENROUTER_API_KEY/,
  );
  expect(await switches(runtime)).toEqual([["model_switch", { model: "openrouter:x/y" }]]);
});

test.each(["gpt-5", ":gpt-5", "openai:", "'two words:x'", "''"])(
  "T10.5 ,model %s is no name of a model, and nothing changes",
  async (name) => {
    await using runtime = await testRuntime({ model: model("one") });
    const { status, errors } = await runtime.send(`,model ${name}`);
    expect(status).toBe("error");
    expect(errors[0]).toMatch(
      /^\[invalid_input\] The model ".*" is not written as provider:model, such as openai:gpt-5\.$/,
    );
    expect(await switches(runtime)).toEqual([]);
  },
);

test("T10.5 ,reasoning_effort sets, shows and clears what the provider is asked for", async () => {
  const one = model("one");
  await using runtime = await testRuntime({ model: one, settings: { reasoningEffort: "medium" } });
  expect((await runtime.send(",reasoning_effort")).text).toBe("reasoning_effort: medium (not set for this session)");
  expect((await runtime.send(",reasoning_effort xhigh")).text).toBe(
    "reasoning_effort: xhigh. Applies from the next turn.",
  );
  expect((await runtime.send(",reasoning_effort")).text).toBe("reasoning_effort: xhigh (this session's)");
  await runtime.send("hi");
  expect((await runtime.send(",reasoning_effort null")).text).toBe(
    "reasoning_effort: medium. Applies from the next turn.",
  );
  await runtime.send("hi");
  expect(one.requests.map(({ reasoningEffort }) => reasoningEffort)).toEqual(["xhigh", "medium"]);
  expect((await runtime.send(",reasoning_effort ''")).status).toBe("error");
});

test("T10.5 ,code_mode enable=true|false applies from the next turn, where there is run_code", async () => {
  const one = model("one");
  const runCode = defineTool({ name: "run_code", description: "Run code.", exposure: "direct", run: () => "" });
  await using runtime = await testRuntime({ model: one, tools: [runCode] });
  await runtime.send("hi");
  expect((await runtime.send(",code_mode enable=true")).text).toBe("code_mode: true. Applies from the next turn.");
  await runtime.send("hi");
  await runtime.send(",code_mode null");
  await runtime.send("hi");
  expect(one.requests.map(({ tools }) => tools.some(({ name }) => name === "run_code"))).toEqual([false, true, false]);
  expect(await switches(runtime)).toEqual([
    ["code_mode_switch", { code_mode: true }],
    ["code_mode_switch", { code_mode: null }],
  ]);
});

test("T10.5 without run_code the answer says that code mode has no effect", async () => {
  const withoutCode = definePlugin({ name: "none" });
  await using runtime = await testRuntime({ model: model("one"), plugins: [withoutCode] });
  const hasCode = runtime.runtime.tools.some(({ tool }) => tool.name === "run_code");
  expect((await runtime.send(",code_mode true")).text.includes("no effect")).toBe(!hasCode);
});

test("T10.5 ,readonly true and false are recorded as readonly_switch", async () => {
  await using runtime = await testRuntime({ model: model("one") });
  expect((await runtime.send(",readonly true")).text).toBe("readonly: true. Applies from the next turn.");
  expect((await runtime.send(",readonly enable=off")).text).toBe("readonly: false. Applies from the next turn.");
  expect(await switches(runtime)).toEqual([
    ["readonly_switch", { readonly: true }],
    ["readonly_switch", { readonly: false }],
  ]);
  expect((await runtime.send(",readonly perhaps")).errors[0]).toMatch(/usage: readonly \[enable\]/);
});

test("T10.6 during a run model, reasoning_effort and code_mode act at once, and the running turn keeps its model", async () => {
  const held = gate();
  const hold = defineTool({
    name: "hold",
    description: "Wait.",
    async run() {
      await held.pass();
      return "held";
    },
  });
  const [one, two] = [model("one", [callTool("hold"), ...ok(5)]), model("two")];
  await using runtime = await testRuntime({ model: one, tools: [hold], plugins: [providers({ two })] });
  const shown: string[] = [];
  const gateway = new Gateway(runtime.runtime, {
    signal: new AbortController().signal,
    show: (event) => void (event.type === "final" && shown.push(event.text)),
  });
  const say = (content: string) => gateway.receive({ channel: "cli", chatId: "test", commands: true, content });
  const turn = say("go");
  await held.reached;
  for (const line of [",model two:m", ",reasoning_effort low", ",code_mode false"]) await say(line);
  expect(shown).toEqual([
    "model: two:m. Applies from the next turn.",
    "reasoning_effort: low. Applies from the next turn.",
    "code_mode: false. Applies from the next turn.",
  ]);
  held.open();
  await turn;
  expect(one.requests).toHaveLength(2);
  expect(one.requests[1]?.reasoningEffort).toBeUndefined();
  await say("next");
  expect(two.requests[0]?.reasoningEffort).toBe("low");
});
