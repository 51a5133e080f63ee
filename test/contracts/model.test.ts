// Every model runs the contract of models: the wire format on our fault server and on one that somebody else wrote, and
// the scripted ones.
import { LLMock } from "@copilotkit/aimock";
import { describe, expect, test } from "vitest";
import { guardModel } from "../../src/model/guard.ts";
import type { Model, ModelMessage } from "../../src/model/model.ts";
import { resolveModel } from "../../src/model/resolve.ts";
import { createScriptModel } from "../../src/model/scripted/model.ts";
import { parseScript } from "../../src/model/scripted/script-parser.ts";
import { type Behaviour, cleanCut, events, stalled, startFaultServer, status } from "../../src/testing/fault-server.ts";
import {
  calls,
  callTool,
  cutOff,
  fail,
  type ScriptedStep,
  say,
  scriptedModel,
  stall,
} from "../../src/testing/scripted-model.ts";
import { callParts, finishPart, packageModel, partLines, reasoningParts, textParts } from "../support/package-model.ts";
import { readAll } from "./golden-streams.ts";
import { describeModel, type PreparedModel, question } from "./model.ts";

const nothing = { [Symbol.asyncDispose]: async () => undefined };
const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };

/** How a model of each format is named, and where it finds a local server. */
const wires = {
  chat: { name: "openai:m", path: "/v1", clientArgs: {} },
  responses: { name: "openai:gpt-5", path: "/v1", clientArgs: { api_format: "responses" } },
  anthropic: { name: "anthropic:claude-sonnet-4-5", path: "/v1", clientArgs: {} },
  google: { name: "google:gemini-2.5-flash", path: "/v1beta", clientArgs: {} },
  openrouter: { name: "openrouter:anthropic/claude-sonnet-4.5", path: "/api/v1", clientArgs: {} },
} as const;
type Wire = keyof typeof wires;

function modelAt(wire: Wire, origin: string): Promise<Model> {
  const { name, path, clientArgs } = wires[wire];
  return resolveModel(name, { settings: { apiBase: origin + path, clientArgs } });
}

async function onServer(wire: Wire, behaviour: Behaviour): Promise<PreparedModel> {
  const server = await startFaultServer([behaviour]);
  const model = await modelAt(wire, new URL(server.url).origin);
  return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const tail = `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}\n\ndata: [DONE]\n\n`;
const call = (index: number, name: string, args: string) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args } }],
});

describeModel("Chat Completions on the fault server", {
  text: () => onServer("chat", events(frame({ content: "Hello" }) + frame({ content: " there." }, "stop") + tail)),
  reasoning: () =>
    onServer("chat", events(frame({ reasoning_content: "Hm." }) + frame({ content: "Hello there." }, "stop"))),
  calls: () =>
    onServer(
      "chat",
      events(frame(call(0, "add", '{"a":1}')) + frame(call(1, "bash", '{"command":"ls"}'), "tool_calls")),
    ),
  cut: () => onServer("chat", cleanCut(frame({ content: "Hel" }))),
  failure: () => onServer("chat", status(500, { error: { message: "oops" } })),
  limited: () => onServer("chat", status(429, { error: { message: "slow" } }, { "retry-after": "2" })),
  stall: () => onServer("chat", stalled(frame({ content: "Hel" }))),
});

const named = (...list: readonly { type: string; [key: string]: unknown }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const started = named({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } });
const block = (index: number, start: object, ...deltas: readonly object[]): string =>
  named(
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  );
const said = (index: number, ...texts: readonly string[]): string =>
  block(index, { type: "text", text: "" }, ...texts.map((text) => ({ type: "text_delta", text })));
const used = (index: number, name: string, input: string): string =>
  block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    { type: "input_json_delta", partial_json: input },
  );
const stopped = (reason: string): string =>
  named(
    { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  );

describeModel("Anthropic's Messages on the fault server", {
  text: () => onServer("anthropic", events(started + said(0, "Hello", " there.") + stopped("end_turn"))),
  reasoning: () => {
    const thought = block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "Hm." });
    return onServer("anthropic", events(started + thought + said(1, "Hello there.") + stopped("end_turn")));
  },
  calls: () =>
    onServer(
      "anthropic",
      events(started + used(0, "add", '{"a":1}') + used(1, "bash", '{"command":"ls"}') + stopped("tool_use")),
    ),
  cut: () => onServer("anthropic", cleanCut(started + said(0, "Hel"))),
  failure: () => onServer("anthropic", status(500, { type: "error", error: { type: "api_error", message: "oops" } })),
  limited: () => {
    const error = { type: "error", error: { type: "rate_limit_error", message: "slow" } };
    return onServer("anthropic", status(429, error, { "retry-after": "2" }));
  },
  stall: () => onServer("anthropic", stalled(started + said(0, "Hel"))),
});

const item = (index: number, value: object): string =>
  named({ type: "response.output_item.done", output_index: index, item: value });
const words = (...texts: readonly string[]): string =>
  named(...texts.map((delta) => ({ type: "response.output_text.delta", output_index: 1, delta })));
const completed = named({
  type: "response.completed",
  response: { status: "completed", usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 } },
});

describeModel("Responses on the fault server", {
  text: () => onServer("responses", events(words("Hello", " there.") + completed)),
  reasoning: () => {
    const delta = { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm." };
    return onServer("responses", events(named(delta) + words("Hello there.") + completed));
  },
  calls: () => {
    const add = { type: "function_call", call_id: "c0", name: "add", arguments: '{"a":1}' };
    const bash = { type: "function_call", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' };
    return onServer("responses", events(item(0, add) + item(1, bash) + completed));
  },
  cut: () => onServer("responses", cleanCut(words("Hel"))),
  failure: () => onServer("responses", status(500, { error: { message: "oops" } })),
  limited: () => onServer("responses", status(429, { error: { message: "slow" } }, { "retry-after": "2" })),
  stall: () => onServer("responses", stalled(words("Hel"))),
});

const parts = (list: readonly object[], finishReason?: string): string => {
  const chunk = {
    candidates: [{ content: { role: "model", parts: list }, finishReason }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
};

describeModel("Gemini on the fault server", {
  text: () => onServer("google", events(parts([{ text: "Hello" }]) + parts([{ text: " there." }], "STOP"))),
  reasoning: () =>
    onServer("google", events(parts([{ text: "Hm.", thought: true }]) + parts([{ text: "Hello there." }], "STOP"))),
  calls: () => {
    const add = { functionCall: { name: "add", args: { a: 1 } } };
    const bash = { functionCall: { name: "bash", args: { command: "ls" } } };
    return onServer("google", events(parts([add]) + parts([bash], "STOP")));
  },
  cut: () => onServer("google", cleanCut(parts([{ text: "Hel" }]))),
  failure: () => onServer("google", status(500, { error: { code: 500, message: "oops", status: "INTERNAL" } })),
  limited: () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2s" }];
    const error = { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED", details };
    return onServer("google", status(429, { error }));
  },
  stall: () => onServer("google", stalled(parts([{ text: "Hel" }]))),
});

async function onPackage(behaviour: Behaviour): Promise<PreparedModel> {
  const server = await startFaultServer([behaviour]);
  return { model: await packageModel(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const finished = { ...finishPart("stop"), usage: { inputTokens: { total: 10 }, outputTokens: { total: 3 } } };

describeModel("a package by the AI SDK's interface", {
  text: () => onPackage(events(partLines(...textParts("1", "Hello", " there."), finished))),
  reasoning: () =>
    onPackage(events(partLines(...reasoningParts("r", "Hm."), ...textParts("1", "Hello there."), finished))),
  calls: () =>
    onPackage(
      events(partLines(...callParts("c0", "add", '{"a":1}'), ...callParts("c1", "bash", '{"command":"ls"}'), finished)),
    ),
  cut: () => onPackage(cleanCut(partLines(...textParts("1", "Hel")))),
  failure: () => onPackage(status(500, { error: { message: "oops" } })),
  limited: () => onPackage(status(429, { error: { message: "slow" } }, { "retry-after": "2" })),
  stall: () => onPackage(stalled(partLines(...textParts("1", "Hel")))),
});

type Reply = Parameters<LLMock["on"]>[1];

async function onMock(wire: Wire, reply: Reply): Promise<PreparedModel> {
  const mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
  mock.on({ userMessage: "go" }, reply);
  await mock.start();
  const model = await modelAt(wire, mock.url);
  return { model, [Symbol.asyncDispose]: async () => void (await mock.stop()) };
}

const mockUsage = {
  chat: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  responses: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
  anthropic: { input_tokens: 10, output_tokens: 3 },
  google: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
  openrouter: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
} as const;

for (const wire of Object.keys(wires) as Wire[]) {
  describeModel(`${wire} on aimock`, {
    text: () => onMock(wire, { content: "Hello there.", usage: mockUsage[wire] }),
    reasoning: () => onMock(wire, { content: "Hello there.", reasoning: "Hm." }),
    calls: () =>
      onMock(wire, {
        toolCalls: [
          { name: "add", arguments: { a: 1 } },
          { name: "bash", arguments: { command: "ls" } },
        ],
      }),
    failure: () => onMock(wire, { error: { message: "oops", type: "server_error" }, status: 500 }),
    limited: () => onMock(wire, { error: { message: "slow", type: "rate_limit_error" }, status: 429, retryAfter: 2 }),
  });
}

async function fromScript(text: string): Promise<PreparedModel> {
  return { model: createScriptModel(await parseScript(text, "s.yaml"), "s.yaml"), ...nothing };
}

describeModel("a script", {
  text: () =>
    fromScript("[{ text: [Hello, ' there.'], usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 } }]"),
  reasoning: () => fromScript("[{ reasoning: Hm., text: Hello there. }]"),
  calls: () =>
    fromScript("[{ calls: [{ name: add, arguments: { a: 1 } }, { name: bash, arguments: { command: ls } }] }]"),
  cut: () => fromScript("[{ text: Hel, cut: true }]"),
  failure: () => fromScript("[{ error: 500 }]"),
  limited: () => fromScript("[{ error: { status: 429, retry_after: 2 } }]"),
  stall: () => fromScript("[{ text: Hel, stall: true }]"),
});

const fromStep = async (step: ScriptedStep): Promise<PreparedModel> => ({ model: scriptedModel([step]), ...nothing });

describeModel("the scripted model of tests", {
  text: () => fromStep(say(["Hello", " there."], { usage })),
  reasoning: () => fromStep(say("Hello there.", { reasoning: "Hm." })),
  calls: () => fromStep(calls(callTool("add", { a: 1 }), callTool("bash", { command: "ls" }))),
  cut: () => fromStep(cutOff("Hel")),
  failure: () => fromStep(fail(500)),
  limited: () => fromStep(fail(429, { retryAfterMs: 2000 })),
  stall: () => fromStep(stall("Hel")),
});

describe.each(Object.keys(wires) as Wire[])("R4.1 aimock, an independent peer, by %s", (wire) => {
  test("takes our requests: a loop of calls, results and an answer", async () => {
    await using mock = new (class extends LLMock {
      async [Symbol.asyncDispose]() {
        await this.stop();
      }
    })({ port: 0, strict: true, logLevel: "silent" });
    mock.on(
      { userMessage: "go", hasToolResult: false },
      { content: "Adding.", toolCalls: [{ name: "add", arguments: { a: 1 } }] },
    );
    mock.on({ userMessage: "go", hasToolResult: true, toolResultContains: "2" }, { content: "It is 2." });
    await mock.start();
    const model = guardModel(await modelAt(wire, mock.url));
    const ask = (messages: readonly ModelMessage[]) =>
      readAll(model.stream({ ...question, messages, signal: new AbortController().signal }));
    const first = await ask(question.messages);
    expect(first).toMatchObject({
      text: "Adding.",
      finish: { reason: "tool-calls" },
      calls: [{ name: "add", arguments: { a: 1 } }],
    });
    const id = first.calls[0]?.id ?? "";
    const done: ModelMessage[] = [
      ...question.messages,
      { role: "assistant", content: first.text, calls: [{ id, name: "add", arguments: { a: 1 } }] },
      { role: "tool", callId: id, name: "add", content: "2", isError: false },
    ];
    expect(await ask(done)).toMatchObject({ text: "It is 2.", finish: { reason: "stop" } });
    expect(mock.getRequests()).toHaveLength(2);
  });

  test("R2.8 torn down inside its stream: cut, with the text before it", async () => {
    const mock = new LLMock({ port: 0, logLevel: "silent" });
    mock.on(
      { userMessage: "go" },
      { content: "One two three four five six seven eight nine ten." },
      { truncateAfterChunks: 3, chunkSize: 5, latency: 5 },
    );
    await mock.start();
    const model = guardModel(await modelAt(wire, mock.url));
    const reading = await readAll(model.stream({ ...question, signal: new AbortController().signal }));
    await mock.stop();
    expect(reading.error).toMatchObject({ facts: { failure: "cut" } });
    expect("One two three".startsWith(reading.text)).toBe(true);
  });

  test.each([
    ["drops the request", { dropRate: 1 }, { failure: "server", retryable: true, status: 500 }],
    ["answers nonsense", { malformedRate: 1 }, { failure: "malformed" }],
    ["hangs up", { disconnectRate: 1 }, { failure: "network", retryable: true }],
    ["limits the rate", { rateLimitRate: 1 }, { failure: "rate-limited", retryable: true, status: 429 }],
  ])("R2.5 it %s: told as what it is", async (_name, chaos, facts) => {
    const mock = new LLMock({ port: 0, logLevel: "silent" });
    mock.on({ userMessage: "go" }, { content: "Hello there." });
    mock.setChaos(chaos);
    await mock.start();
    const model = guardModel(await modelAt(wire, mock.url));
    const reading = await readAll(model.stream({ ...question, signal: new AbortController().signal }));
    await mock.stop();
    expect(reading).toMatchObject({ text: "", calls: [], error: { facts } });
  });
});

test("R2.4 over 50 steps and a restart each request extends the last one byte for byte", async () => {
  await using server = await startFaultServer([events(frame({ content: "Hello there." }, "stop") + tail)]);
  const messages: ModelMessage[] = [{ role: "user", content: "go" }];
  let model = await resolveModel("openai:m", { settings: { apiBase: server.url } });
  for (let step = 0; step < 50; step++) {
    if (step === 25) model = await resolveModel("openai:m", { settings: { apiBase: server.url } });
    // A new list each step, as after a restart; the messages stay.
    await readAll(model.stream({ ...question, messages: [...messages], signal: new AbortController().signal }));
    messages.push(
      {
        role: "assistant",
        content: `step ${step}`,
        calls: [{ id: `c${step}`, name: "bash", arguments: { command: `echo ☕ ${step}` } }],
      },
      { role: "tool", callId: `c${step}`, name: "bash", content: `exit code ${step}\n`, isError: step % 7 === 0 },
    );
  }
  const lists = server.requests.map(({ body }) => body.subarray(body.indexOf('"messages":['), body.length - 2));
  const heads = server.requests.map(({ body }) => body.subarray(0, body.indexOf('"messages":[')));
  const broken = lists
    .slice(1)
    .filter((list, index) => !list.subarray(0, lists[index]?.length).equals(lists[index] ?? Buffer.alloc(0)));
  expect(broken).toEqual([]);
  expect(heads.every((head) => head.equals(heads[0] ?? Buffer.alloc(0)))).toBe(true);
  expect(lists).toHaveLength(50);
});
