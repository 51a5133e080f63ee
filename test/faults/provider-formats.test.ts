// The table of docs/concepts/failures.md, each row on each wire format, over real connections.
import { afterAll, describe, expect, test } from "vitest";
import { type GuardLimits, guardModel } from "../../src/model/guard.ts";
import type { Model, ModelErrorFacts, ModelRequest } from "../../src/model/model.ts";
import { isModelError } from "../../src/model/model-error.ts";
import { streamWithRetry } from "../../src/model/retry.ts";
import { createTransport } from "../../src/model/transport.ts";
import {
  type Behaviour,
  cleanCut,
  destroyed,
  events,
  hugeEvent,
  stalled,
  startFaultServer,
  status,
  trickle,
} from "../../src/testing/fault-server.ts";
import type { Reading } from "../contracts/golden-expectation.ts";
import { goldenStreams, readAll, type TestedFormat, testedFormats } from "../contracts/golden-streams.ts";

const transport = createTransport();
afterAll(() => transport.close());

/** What a format sends in each case. */
interface Speech {
  /** The name of its golden stream with the text that all of them say. */
  readonly text: string;
  /** Bytes after which the first word has come. */
  readonly firstWord: string;
  /** A finish without text or calls. */
  readonly empty: string;
  /** An error inside the stream. */
  readonly error: string;
  /** An event without content. */
  readonly ping: string;
  /** The body of a refusal for being too long, and of one for media. */
  readonly overflow: object;
  readonly media: object;
  readonly unauthorized: [number, object];
}

const frames = (...list: readonly object[]): string => list.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
const openAiError = (message: string, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", code },
});
const claudeError = (type: string, message: string) => ({ type: "error", error: { type, message } });
const googleError = (code: number, name: string, message: string) => ({ error: { code, status: name, message } });

const speeches: Record<TestedFormat["format"], Speech> = {
  "chat-completions": {
    text: "openai-text",
    firstWord: '"content":"Good"',
    empty: frames({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    error: frames({ error: { message: "broke", type: "server_error" } }),
    ping: frames({ choices: [] }),
    overflow: openAiError("too long", "context_length_exceeded"),
    media: openAiError("this model does not support image input"),
    unauthorized: [401, openAiError("no", "invalid_api_key")],
  },
  anthropic: {
    text: "anthropic-text",
    firstWord: '"text":"Good"',
    empty: frames({ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }),
    error: frames(claudeError("overloaded_error", "Overloaded")),
    ping: frames({ type: "ping" }),
    overflow: claudeError("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    media: claudeError("invalid_request_error", "messages.0.content.1: Could not process image"),
    unauthorized: [401, claudeError("authentication_error", "invalid x-api-key")],
  },
  responses: {
    text: "responses-text",
    firstWord: '"delta":"Good"',
    empty: frames({ type: "response.completed", response: { status: "completed", output: [] } }),
    error: frames({ type: "error", code: "server_error", message: "broke" }),
    ping: frames({ type: "response.in_progress", response: { status: "in_progress" } }),
    overflow: openAiError("Your input exceeds the context window of this model.", "context_length_exceeded"),
    media: openAiError("The image data you provided does not represent a valid image.", "invalid_image"),
    unauthorized: [401, openAiError("no", "invalid_api_key")],
  },
  google: {
    text: "gemini-text",
    firstWord: '"text":"Good"',
    empty: frames({ candidates: [{ content: { parts: [] }, finishReason: "STOP" }] }),
    error: frames(googleError(503, "UNAVAILABLE", "The model is overloaded.")),
    ping: frames({ usageMetadata: { promptTokenCount: 3 } }),
    overflow: googleError(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number (8)."),
    media: googleError(400, "INVALID_ARGUMENT", "Unable to process input image."),
    unauthorized: [
      400,
      { error: { code: 400, message: "no", status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] } },
    ],
  },
};

function modelAt(apiBase: string, { create, provider, modelId }: TestedFormat, limits: GuardLimits = {}): Model {
  const model = create({
    provider,
    modelId,
    apiBase,
    key: "sk-very-secret",
    keyVariable: "SOME_KEY",
    headers: {},
    completionArgs: {},
    transport,
    graceMs: 300,
  });
  return guardModel(model, limits);
}

const words: ModelRequest["messages"] = [{ role: "user", content: "go" }];
const picture: ModelRequest["messages"] = [
  { role: "user", content: [{ type: "image", media_type: "image/png", data: "AAAA" }] },
];

const requestWith = (messages = words, signal = new AbortController().signal): ModelRequest => ({
  system: "be brief",
  messages,
  tools: [],
  maxTokens: 100,
  loadMedia: async () => "",
  signal,
});

function factsOf({ error }: Reading): ModelErrorFacts | undefined {
  return isModelError(error) ? error.facts : undefined;
}

describe.each(testedFormats)("$format", (format) => {
  const speech = speeches[format.format];
  const answer = goldenStreams.find(({ name }) => name === speech.text)?.bytes.toString("utf8") ?? "";
  const cutInText = answer.slice(0, answer.indexOf("\n\n", answer.indexOf(speech.firstWord)) + 10);
  const said = "Good morning, café ☕ 😀!";

  async function on(
    behaviour: Behaviour,
    { messages = words, ...limits }: GuardLimits & { messages?: typeof words } = {},
  ) {
    await using server = await startFaultServer([behaviour]);
    return await readAll(modelAt(server.url, format, limits).stream(requestWith(messages)));
  }

  async function retried(...behaviours: Behaviour[]) {
    await using server = await startFaultServer(behaviours);
    const waits: number[] = [];
    const delay = async (milliseconds: number) => void waits.push(milliseconds);
    const model = modelAt(server.url, format, { idleMs: 1_000 });
    const reading = await readAll(streamWithRetry(model, requestWith(), { delay }));
    return { reading, waits, asked: server.requests.length };
  }

  test("R2.5 refused and reset connections are network failures; no HTTP is malformed", async () => {
    const refused = await readAll(modelAt("http://127.0.0.1:1", format).stream(requestWith()));
    expect(factsOf(refused)).toMatchObject({ failure: "network", retryable: true });
    expect(factsOf(await on(destroyed()))).toMatchObject({ failure: "network", retryable: true });
    const noHttp: Behaviour = (response) => void response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n");
    expect(factsOf(await on(noHttp))).toMatchObject({ failure: "malformed", retryable: false });
  });

  test("R2.5 408, 409, 429, 5xx and a broken start are tried again, then answered", async () => {
    for (const code of [408, 409, 429, 500, 502, 503, 504, 529]) {
      const { reading, waits } = await retried(status(code, { error: { message: "later" } }), events(answer));
      expect(reading.text).toBe(said);
      expect(waits).toHaveLength(1);
    }
    const start = answer.slice(0, answer.indexOf("\n\n") + 2);
    const { reading, asked } = await retried(cleanCut(start), destroyed(start), events(speech.error), events(answer));
    expect({ text: reading.text, asked }).toEqual({ text: said, asked: 4 });
  });

  test("R2.5 retry-after is honoured; a cut after text is not tried again", async () => {
    for (const code of [408, 409, 429, 500, 503]) {
      const limited = status(code, { error: { message: "slow" } }, { "retry-after": "7" });
      expect((await retried(limited, events(answer))).waits).toEqual([7_000]);
    }
    const exact = status(429, { error: { message: "slow" } }, { "retry-after-ms": "1500" });
    expect((await retried(exact, events(answer))).waits).toEqual([1_500]);
    const late = await retried(status(429, { error: { message: "slow" } }, { "retry-after": "61" }), events(answer));
    expect({ failure: factsOf(late.reading)?.failure, asked: late.asked }).toEqual({
      failure: "rate-limited",
      asked: 1,
    });
    const { reading, asked } = await retried(destroyed(cutInText), events(answer));
    expect({ text: reading.text, failure: factsOf(reading)?.failure, asked }).toEqual({
      text: "Good",
      failure: "cut",
      asked: 1,
    });
  });

  test("R2.5 keys, quotas, other refusals and redirects are not tried again", async () => {
    const [code, body] = speech.unauthorized;
    expect(factsOf(await on(status(code, body)))).toMatchObject({ failure: "unauthorized", retryable: false });
    expect(factsOf(await on(status(403, body)))).toMatchObject({ failure: "unauthorized" });
    expect(
      factsOf(await on(status(429, { error: { code: "insufficient_quota", message: "none left" } }))),
    ).toMatchObject({ failure: "rate-limited", retryable: false });
    expect(factsOf(await on(status(400, { error: { message: "no" } })))).toMatchObject({ failure: "rejected" });
    const moved = await on(status(307, "", { location: "https://elsewhere.example" }));
    expect(factsOf(moved)).toMatchObject({ failure: "rejected", retryable: false });
  });

  test("R2.6 too long a conversation is an overflow, a 429 never is", async () => {
    expect(factsOf(await on(status(400, speech.overflow)))).toMatchObject({ failure: "overflow", retryable: false });
    expect(factsOf(await on(status(413, "")))).toMatchObject({ failure: "overflow" });
    expect(factsOf(await on(status(429, speech.overflow)))).toMatchObject({ failure: "rate-limited", retryable: true });
  });

  test("R4.3 refused media are told apart, if media were sent", async () => {
    const refusal = status(400, speech.media);
    for (const code of [400, 404, 413, 415, 422, 500, 501])
      expect(factsOf(await on(status(code, speech.media), { messages: picture }))).toMatchObject({
        failure: "rejected-image",
      });
    expect(factsOf(await on(refusal))).toMatchObject({ failure: "rejected" });
  });

  test("R2.5 silence, comments and events without content end by the idle time-out, endless content by the other", async () => {
    for (const behaviour of [stalled(), stalled(cutInText), trickle(""), trickle("", speech.ping)]) {
      expect(factsOf(await on(behaviour, { idleMs: 80 }))).toMatchObject({ failure: "idle", retryable: true });
    }
    expect(factsOf(await on(stalled(cutInText), { timeoutMs: 80 }))).toMatchObject({ failure: "timeout" });
  });

  test("R2.8 cut, error in the stream, empty, malformed", async () => {
    for (const behaviour of [cleanCut(cutInText), destroyed(cutInText)]) {
      expect(await on(behaviour)).toMatchObject({ text: "Good", calls: [], error: { facts: { failure: "cut" } } });
    }
    expect(factsOf(await on(events("")))).toMatchObject({ failure: "cut", retryable: true });
    expect(factsOf(await on(events(speech.error)))).toMatchObject({ failure: "server", retryable: true });
    expect(factsOf(await on(events(speech.empty)))).toMatchObject({ failure: "empty", retryable: true });
    for (const garbage of ["data: {not json}\n\n", "data: [1]\n\n"])
      expect(factsOf(await on(events(garbage)))).toMatchObject({ failure: "malformed", retryable: true });
    const page = status(200, "<html>Sign in</html>", { "content-type": "text/html" });
    for (const behaviour of [page, status(200, "no model"), status(200, {})])
      expect(factsOf(await on(behaviour))).toMatchObject({ failure: "malformed", retryable: false });
    expect(factsOf(await on(hugeEvent(64 * 1024 * 1024)))).toMatchObject({ failure: "malformed", retryable: false });
  });

  test("R2.8 torn down after its end, it has answered", async () => {
    expect(await on(destroyed(answer))).toMatchObject({ text: said, finish: { reason: "stop" } });
  });

  test("R2.8 a server that stays after its end, and one that labels its stream as text, have answered", async () => {
    expect(await on(stalled(answer), { timeoutMs: 4_000 })).toMatchObject({ text: said, finish: { reason: "stop" } });
    expect(await on(status(200, answer))).toMatchObject({ text: said });
  });

  test("R1.7 cancelling ends it at once and closes the connection", async () => {
    await using server = await startFaultServer([stalled(cutInText)]);
    const controller = new AbortController();
    const reading = readAll(modelAt(server.url, format).stream(requestWith(words, controller.signal)));
    await server.request(1);
    const reason = new Error("stopped");
    controller.abort(reason);
    expect((await reading).error).toBe(reason);
    await server.idle();
  });

  test("R1.5 no error shows the key", async () => {
    const [code] = speech.unauthorized;
    const { error } = await on(status(code === 400 ? 401 : code, { error: { message: "bad key sk-very-secret" } }));
    expect(error).toMatchObject({ message: expect.stringContaining("bad key ***") });
  });
});
