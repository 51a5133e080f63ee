// Every model runs the contract of models: the wire format on our fault server and on one that somebody else wrote, and
// the scripted ones.
import { LLMock } from "@copilotkit/aimock";
import { describe, expect, test } from "vitest";
import { guardModel } from "../../src/model/guard.ts";
import type { ModelMessage } from "../../src/model/model.ts";
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
import { readAll } from "./golden-streams.ts";
import { describeModel, type PreparedModel, question } from "./model.ts";

const nothing = { [Symbol.asyncDispose]: async () => undefined };
const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };

async function onServer(behaviour: Behaviour): Promise<PreparedModel> {
  const server = await startFaultServer([behaviour]);
  const model = await resolveModel("openai:m", { settings: { apiBase: server.url } });
  return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const tail = `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}}\n\ndata: [DONE]\n\n`;
const call = (index: number, name: string, args: string) => ({
  tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args } }],
});

describeModel("Chat Completions on the fault server", {
  text: () => onServer(events(frame({ content: "Hello" }) + frame({ content: " there." }, "stop") + tail)),
  reasoning: () => onServer(events(frame({ reasoning_content: "Hm." }) + frame({ content: "Hello there." }, "stop"))),
  calls: () =>
    onServer(events(frame(call(0, "add", '{"a":1}')) + frame(call(1, "bash", '{"command":"ls"}'), "tool_calls"))),
  cut: () => onServer(cleanCut(frame({ content: "Hel" }))),
  failure: () => onServer(status(500, { error: { message: "oops" } })),
  limited: () => onServer(status(429, { error: { message: "slow" } }, { "retry-after": "2" })),
  stall: () => onServer(stalled(frame({ content: "Hel" }))),
});

type Reply = Parameters<LLMock["on"]>[1];

async function onMock(reply: Reply): Promise<PreparedModel> {
  const mock = new LLMock({ port: 0, strict: true, logLevel: "silent" });
  mock.on({ userMessage: "go" }, reply);
  await mock.start();
  const model = await resolveModel("openai:m", { settings: { apiBase: `${mock.url}/v1` } });
  return { model, [Symbol.asyncDispose]: async () => void (await mock.stop()) };
}

const mockUsage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };

describeModel("Chat Completions on aimock", {
  text: () => onMock({ content: "Hello there.", usage: mockUsage }),
  reasoning: () => onMock({ content: "Hello there.", reasoning: "Hm." }),
  calls: () =>
    onMock({
      toolCalls: [
        { name: "add", arguments: { a: 1 } },
        { name: "bash", arguments: { command: "ls" } },
      ],
    }),
  failure: () => onMock({ error: { message: "oops", type: "server_error" }, status: 500 }),
  limited: () => onMock({ error: { message: "slow", type: "rate_limit_error" }, status: 429, retryAfter: 2 }),
});

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

describe("R4.1 aimock, an independent peer", () => {
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
    const model = guardModel(await resolveModel("openai:m", { settings: { apiBase: `${mock.url}/v1` } }));
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
    const model = guardModel(await resolveModel("openai:m", { settings: { apiBase: `${mock.url}/v1` } }));
    const reading = await readAll(model.stream({ ...question, signal: new AbortController().signal }));
    await mock.stop();
    expect(reading.error).toMatchObject({ facts: { failure: "cut" } });
    expect("One two three".startsWith(reading.text)).toBe(true);
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
