// Providers that cannot be reached, refuse, stall, break off or talk nonsense, over real connections.
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { createChatCompletionsModel } from "../../src/model/chat-completions/model.ts";
import { type GuardLimits, guardModel } from "../../src/model/guard.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { streamWithRetry } from "../../src/model/retry.ts";
import { createTransport, type TransportOptions } from "../../src/model/transport.ts";
import {
  type Behaviour,
  cleanCut,
  destroyed,
  events,
  hugeEvent,
  pieces,
  stalled,
  startFaultServer,
  status,
  trickle,
} from "../../src/testing/fault-server.ts";
import type { Reading } from "../contracts/golden-expectation.ts";
import { failureOf, goldenStreams, readAll } from "../contracts/golden-streams.ts";
import { missing } from "../support/requirements.ts";
import { startTlsServer } from "../support/tls-server.ts";

const transports: { close(): void }[] = [];
afterAll(() => {
  for (const transport of transports) transport.close();
});

function modelAt(
  apiBase: string,
  limits: GuardLimits = {},
  options: TransportOptions = {},
  more: { graceMs?: number } = {},
): Model {
  const transport = createTransport(options);
  transports.push(transport);
  const model = createChatCompletionsModel({
    provider: "openai",
    modelId: "m",
    apiBase,
    key: "sk-very-secret",
    keyVariable: "OPENAI_API_KEY",
    headers: {},
    completionArgs: {},
    transport,
    ...more,
  });
  return guardModel(model, limits);
}

function requestWith(signal: AbortSignal = new AbortController().signal): ModelRequest {
  const messages = [{ role: "user", content: "go" }] as const;
  return { system: "be brief", messages, tools: [], maxTokens: 100, loadMedia: async () => "", signal };
}

const ask = (model: Model, signal?: AbortSignal): Promise<Reading> => readAll(model.stream(requestWith(signal)));

const answer = goldenStreams.find(({ name }) => name === "openai-text")?.bytes.toString("utf8") ?? "";
const cutInText = answer.slice(0, answer.indexOf('" morning') + 40);

const upToFinish = answer.slice(0, answer.indexOf("\n\n", answer.indexOf('"finish_reason":"stop"')) + 2);

async function onServer(behaviour: Behaviour, limits: GuardLimits = {}): Promise<Reading> {
  await using server = await startFaultServer([behaviour]);
  return await ask(modelAt(server.url, limits));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

describe("R2.5 a server that cannot be reached is one plain sentence with its address", () => {
  test("refused", async () => {
    const port = await freePort();
    const reading = await ask(modelAt(`http://127.0.0.1:${port}/v1`));
    expect(reading.error).toMatchObject({
      message: `http://127.0.0.1:${port}/v1/chat/completions refuses connections: check the address, and that the server is running.`,
      kind: "temporary",
      facts: { failure: "network", retryable: true },
    });
  });

  test("reset before an answer", async () => {
    const reading = await onServer(destroyed());
    expect(failureOf(reading)).toBe("network");
    expect(reading.error).toMatchObject({ message: expect.stringMatching(/was closed before an answer came\.$/) });
  });

  test("a name that does not resolve", async () => {
    const lookup = (host: string, _options: unknown, done: (error: NodeJS.ErrnoException, address: string) => void) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), "");
    const reading = await ask(
      modelAt("http://nowhere.example/v1", {}, { lookup: lookup as TransportOptions["lookup"] }),
    );
    expect(reading.error).toMatchObject({
      message: expect.stringContaining(
        "The host name of http://nowhere.example/v1/chat/completions cannot be resolved",
      ),
      facts: { failure: "network", retryable: true },
    });
  });

  test("no connection in time", async () => {
    const never = () => undefined;
    const reading = await ask(modelAt("http://somewhere.example/v1", {}, { connectTimeoutMs: 30, lookup: never }));
    expect(reading.error).toMatchObject({
      message: "http://somewhere.example/v1/chat/completions cannot be reached: no connection in time.",
      facts: { failure: "network", retryable: true },
    });
  });

  test.skipIf(missing("openssl"))("a certificate that nobody vouches for, not retried", async () => {
    await using server = await startTlsServer();
    const reading = await ask(modelAt(`${server.url}/v1`));
    expect(reading.error).toMatchObject({
      message: expect.stringMatching(/^There is no secure connection to https:/),
      facts: { failure: "network", retryable: false },
    });
  });

  test("plain HTTP where TLS is expected, and no HTTP at all", async () => {
    await using plain = await startFaultServer([events(answer)]);
    const tls = await ask(modelAt(plain.url.replace("http:", "https:")));
    expect(tls.error).toMatchObject({ facts: { failure: "network", retryable: false } });

    const odd = createServer((socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    const port = await listening(odd);
    const reading = await ask(modelAt(`http://127.0.0.1:${port}`));
    odd.close();
    expect(reading.error).toMatchObject({
      message: expect.stringContaining("does not answer in HTTP"),
      facts: { failure: "malformed" },
    });
  });
});

describe("R2.5 408, 409, 429 and 5xx are tried again, three times at most", () => {
  const error = { error: { message: "not now", type: "x", code: null } };

  test.each([408, 409, 429, 500, 502, 503, 504, 529])("status %i, then an answer", async (code) => {
    await using server = await startFaultServer([status(code, error), status(code, error), events(answer)]);
    const waits: number[] = [];
    const stream = streamWithRetry(modelAt(server.url), requestWith(), {
      random: () => 0.5,
      delay: async (milliseconds) => void waits.push(milliseconds),
    });
    expect((await readAll(stream)).text).toBe("Good morning, café ☕ 😀!");
    expect(waits).toEqual([375, 750]);
    expect(new Set(server.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  test.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["milliseconds", { "retry-after-ms": "1500" }, 1_500],
    ["zero", { "retry-after": "0" }, 0],
  ])("retry-after in %s is honoured", async (_name, headers, wait) => {
    await using server = await startFaultServer([status(429, error, headers), events(answer)]);
    const waits: number[] = [];
    const delay = async (milliseconds: number) => void waits.push(milliseconds);
    expect((await readAll(streamWithRetry(modelAt(server.url), requestWith(), { delay }))).finish?.reason).toBe("stop");
    expect(waits).toEqual([wait]);
  });

  test("retry-after as a date is honoured; more than 60 seconds is not waited for", async () => {
    const inTen = new Date(Date.now() + 10_000).toUTCString();
    await using server = await startFaultServer([
      status(503, error, { "retry-after": inTen }),
      status(429, error, { "retry-after": "61" }),
    ]);
    const waits: number[] = [];
    const delay = async (milliseconds: number) => void waits.push(milliseconds);
    const reading = await readAll(streamWithRetry(modelAt(server.url), requestWith(), { delay }));
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(8_000);
    expect(waits[0]).toBeLessThanOrEqual(10_000);
    expect(reading.error).toMatchObject({ facts: { failure: "rate-limited", retryAfterMs: 61_000 } });
  });

  test("the fourth failure is the answer", async () => {
    await using server = await startFaultServer([status(500, "oops")]);
    const reading = await readAll(
      streamWithRetry(modelAt(server.url), requestWith(), { delay: async () => undefined }),
    );
    expect(reading.error).toMatchObject({ message: "openai failed to answer (500): oops." });
    expect(server.requests).toHaveLength(4);
  });

  test.each([400, 401, 402, 403, 404, 422])("status %i is not tried again", async (code) => {
    await using server = await startFaultServer([status(code, error)]);
    const reading = await readAll(
      streamWithRetry(modelAt(server.url), requestWith(), { delay: async () => undefined }),
    );
    expect(reading.error).toMatchObject({ facts: { status: code, retryable: false } });
    expect(server.requests).toHaveLength(1);
  });

  test("cut, stalled and reset before the first content are tried again", async () => {
    const start = answer.slice(0, answer.indexOf("data: "));
    await using server = await startFaultServer([
      cleanCut(start),
      destroyed(start),
      destroyed(),
      stalled(start),
      events(answer),
    ]);
    const failures: string[] = [];
    const stream = streamWithRetry(modelAt(server.url, { idleMs: 1_000 }), requestWith(), {
      retries: 4,
      delay: async () => undefined,
      onRetry: ({ error }) => failures.push(error.facts.failure),
    });
    expect((await readAll(stream)).text).toBe("Good morning, café ☕ 😀!");
    expect(failures).toEqual(["cut", "cut", "network", "idle"]);
  });

  test("a cut after text is not", async () => {
    await using server = await startFaultServer([destroyed(cutInText), events(answer)]);
    const reading = await readAll(
      streamWithRetry(modelAt(server.url), requestWith(), { delay: async () => undefined }),
    );
    expect(reading).toMatchObject({ text: "Good", error: { facts: { failure: "cut" } } });
    expect(server.requests).toHaveLength(1);
  });
});

describe("R2.8 broken streams have a defined outcome over real connections", () => {
  test.each([
    ["ended as if whole", cleanCut(cutInText)],
    ["torn down", destroyed(cutInText)],
  ])("%s inside a text: cut, with the text before it", async (_name, behaviour) => {
    const reading = await onServer(behaviour);
    expect(failureOf(reading)).toBe("cut");
    expect(reading.text).toBe("Good");
  });

  test("torn down after the finish: whole", async () => {
    const reading = await onServer(destroyed(upToFinish));
    expect(reading).toMatchObject({ text: "Good morning, café ☕ 😀!", finish: { reason: "stop" } });
  });

  test.each([
    ["silent", stalled(upToFinish)],
    ["sending comments", trickle(upToFinish)],
  ])("a server that stays after the finish, %s: whole, after a short wait for the usage", async (_name, behaviour) => {
    await using server = await startFaultServer([behaviour]);
    const reading = await ask(modelAt(server.url, {}, {}, { graceMs: 40 }));
    expect(reading).toMatchObject({ text: "Good morning, café ☕ 😀!", finish: { reason: "stop" } });
    await server.idle();
  });

  test.each([
    ["before the headers", stalled()],
    ["after the headers", stalled("")],
    ["after text", stalled(cutInText)],
    ["sending comments", trickle("")],
    ["sending comments after text", trickle(cutInText.slice(0, cutInText.indexOf('data: {"id"', 300)))],
    ["sending chunks without content", trickle("", 'data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n')],
  ])("R2.5 silence %s ends by the idle time-out, which counts content", async (_name, behaviour) => {
    const reading = await onServer(behaviour, { idleMs: 60 });
    expect(reading.error).toMatchObject({
      message: "openai sent no content for 0.1 seconds.",
      facts: { failure: "idle", retryable: true },
    });
  });

  test("R2.5 pieces of a call are content: a long one does not end by the idle time-out", async () => {
    const piece =
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x"}}]}}]}\n\n';
    const reading = await onServer(trickle("", piece, 10), { idleMs: 900, timeoutMs: 1_300 });
    expect(failureOf(reading)).toBe("timeout");
  });

  test.each([
    [
      "an error page",
      status(200, "<html><body>Sign in</body></html>", { "content-type": "text/html" }),
      "it is text/html, not a stream of events",
    ],
    ["plain text", status(200, "hello, this is no model"), "it is text/plain, not a stream of events"],
    ["an empty JSON object", status(200, {}), "it holds no choices"],
    ["garbage events", events("data: {not json}\n\n"), "it holds an event that is not a JSON object"],
    ["a list", events("data: [1]\n\n"), "it holds an event that is not a JSON object"],
    [
      "cut JSON",
      status(200, '{"choices":[{"mess', { "content-type": "application/json" }),
      "it is cut, or not a JSON object",
    ],
  ])("%s: malformed, and says what came", async (_name, behaviour, what) => {
    const reading = await onServer(behaviour);
    expect(reading.error).toMatchObject({
      message: `The answer of openai cannot be read: ${what}.`,
      facts: { failure: "malformed" },
    });
  });

  test("an empty body and a body of noise: cut", async () => {
    expect(failureOf(await onServer(events("")))).toBe("cut");
    expect(failureOf(await onServer(events("\u0000\u0001 noise\n\n\n")))).toBe("cut");
  });

  test("an answer in one piece is understood, whatever its type is called", async () => {
    const whole = { choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] };
    expect(await onServer(status(200, whole))).toMatchObject({ text: "Hi", finish: { reason: "stop" } });
    expect(await onServer(events(JSON.stringify(whole)))).toMatchObject({ text: "Hi" });
    expect(await onServer(status(200, answer))).toMatchObject({ text: "Good morning, café ☕ 😀!" });
  });

  test("a huge event is refused with bounded memory, and its connection closed", async () => {
    const before = process.memoryUsage().rss;
    await using server = await startFaultServer([hugeEvent(512 * 1024 * 1024)]);
    const reading = await ask(modelAt(server.url));
    expect(reading.error).toMatchObject({
      message: "The answer holds an event of more than 32 MB.",
      facts: { failure: "malformed" },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    await server.idle();
  });

  test("UTF-8 cut between packets stays whole", async () => {
    const bytes = Buffer.from(answer);
    const middle = bytes.indexOf("☕") + 1;
    const reading = await onServer(
      pieces(bytes.subarray(0, middle), bytes.subarray(middle, middle + 1), bytes.subarray(middle + 1)),
    );
    expect(reading.text).toBe("Good morning, café ☕ 😀!");
  });
});

describe("R1.7 cancelling ends a call at once, with the signal's reason, and closes its connection", () => {
  test.each([
    ["before the headers", stalled()],
    ["between headers and text", stalled("")],
    ["inside the text", stalled(cutInText)],
    ["while comments trickle", trickle("")],
    ["inside a slow error body", ((response) => void response.writeHead(500).write("slow")) as Behaviour],
  ])("%s", async (_name, behaviour) => {
    await using server = await startFaultServer([behaviour]);
    const controller = new AbortController();
    const reading = ask(modelAt(server.url), controller.signal);
    await server.request(1);
    const reason = new Error("stopped by a person");
    controller.abort(reason);
    expect((await reading).error).toBe(reason);
    await server.idle();
  });

  test("before anything was sent", async () => {
    await using server = await startFaultServer([events(answer)]);
    const reason = new Error("never mind");
    expect((await ask(modelAt(server.url), AbortSignal.abort(reason))).error).toBe(reason);
    expect(server.requests).toHaveLength(0);
  });
});

describe("connections", () => {
  test("one connection serves the calls one after the other", async () => {
    await using server = await startFaultServer([events(answer)]);
    const model = modelAt(server.url);
    for (let call = 0; call < 3; call++) expect((await ask(model)).finish?.reason).toBe("stop");
    expect(new Set(server.requests.map(({ port }) => port)).size).toBe(1);
  });

  test("a kept connection that the server closed is replaced without a failure", async () => {
    await using server = await startFaultServer([events(answer), destroyed(), events(answer)]);
    const model = modelAt(server.url);
    expect((await ask(model)).error).toBeUndefined();
    expect((await ask(model)).error).toBeUndefined();
    expect(server.requests).toHaveLength(3);
  });

  test("a redirect is not followed: the key goes to the address that was set, nowhere else", async () => {
    await using other = await startFaultServer([events(answer)]);
    await using server = await startFaultServer([status(307, "", { location: `${other.url}/chat/completions` })]);
    const reading = await ask(modelAt(server.url));
    expect(reading.error).toMatchObject({ message: expect.stringContaining("it is moved to") });
    expect(other.requests).toHaveLength(0);
  });

  test("what a request says of itself", async () => {
    await using server = await startFaultServer([events(answer)]);
    await ask(modelAt(`${server.url}/`));
    expect(await server.request(1)).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      headers: {
        "user-agent": expect.stringMatching(/^bub\/\d+\.\d+\.\d+$/),
        "content-type": "application/json",
        authorization: "Bearer sk-very-secret",
        accept: "text/event-stream",
      },
    });
  });

  test("R1.5 no error shows the key", async () => {
    const reading = await onServer(
      status(401, { error: { message: "bad key sk-very-secret", code: "invalid_api_key" } }),
    );
    expect(reading.error).toMatchObject({
      message: "openai refused the key from OPENAI_API_KEY (401): bad key ***: check it, or run bub onboard.",
      facts: { failure: "unauthorized" },
    });
  });
});
