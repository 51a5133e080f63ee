// Providers that no connection leads to, on each wire format: what is told, and whether it is tried again.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { guardModel } from "../../src/model/guard.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { isModelError } from "../../src/model/model-error.ts";
import { streamWithRetry } from "../../src/model/retry.ts";
import { createTransport, type Transport, type TransportOptions } from "../../src/model/transport.ts";
import { events, startFaultServer } from "../../src/testing/fault-server.ts";
import { readAll, type TestedFormat, testedFormats } from "../contracts/golden-streams.ts";
import { missing } from "../support/requirements.ts";
import { startTlsServer } from "../support/tls-server.ts";

const transports: Transport[] = [];
afterEach(() => {
  for (const transport of transports.splice(0)) transport.close();
});

function modelAt(format: TestedFormat, apiBase: string, options: TransportOptions = {}): Model {
  const transport = createTransport(options);
  transports.push(transport);
  const { provider, modelId } = format;
  const place = { provider, modelId, apiBase, key: "sk-very-secret", keyVariable: "SOME_KEY", headers: {} };
  return guardModel(format.create({ ...place, completionArgs: {}, transport }));
}

const request: ModelRequest = {
  system: "be brief",
  messages: [{ role: "user", content: "go" }],
  tools: [],
  maxTokens: 100,
  loadMedia: async () => "",
  signal: new AbortController().signal,
};

/** What is told in the end, and how often it was tried again. */
async function ask(model: Model) {
  let retries = 0;
  const delay = async () => void retries++;
  const { error, text, calls } = await readAll(streamWithRetry(model, request, { delay }));
  expect({ text, calls }).toEqual({ text: "", calls: [] });
  if (!isModelError(error)) throw error;
  expect(error.message).not.toContain("sk-very-secret");
  return { message: error.message, failure: error.facts.failure, retries };
}

/** Takes connections and says nothing. */
async function startSilentServer() {
  const server = createServer((socket) => void socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

describe.each(testedFormats)("R2.5 $format", (format) => {
  test("nobody listens", async () => {
    // No port that was free a moment ago: another test may have taken it since.
    const { message, failure, retries } = await ask(modelAt(format, "http://127.0.0.1:1/v1"));
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:1\/v1\/\S+ refuses connections: check the address/);
    expect({ failure, retries }).toEqual({ failure: "network", retries: 3 });
  });

  test("a name that nobody knows", async () => {
    const lookup = (host: string, _options: unknown, done: (error: NodeJS.ErrnoException, address: string) => void) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), "");
    const options = { lookup: lookup as TransportOptions["lookup"] };
    const { message, failure, retries } = await ask(modelAt(format, "http://nowhere.example/v1", options));
    expect(message).toMatch(/^The host name of http:\/\/nowhere\.example\/v1\/\S+ cannot be resolved; check/);
    expect({ failure, retries }).toEqual({ failure: "network", retries: 3 });
  });

  test("no connection in time", async () => {
    const options = { connectTimeoutMs: 20, lookup: () => undefined };
    const { message, failure, retries } = await ask(modelAt(format, "http://somewhere.example/v1", options));
    expect(message).toMatch(/^http:\/\/somewhere\.example\/v1\/\S+ cannot be reached: no connection in time\.$/);
    expect({ failure, retries }).toEqual({ failure: "network", retries: 3 });
  });

  test("a server that takes the connection and never makes it secure", async () => {
    await using server = await startSilentServer();
    const model = modelAt(format, `https://127.0.0.1:${server.port}/v1`, { connectTimeoutMs: 50 });
    const { message, failure } = await ask(model);
    expect(message).toMatch(/ cannot be reached: no connection in time\.$/);
    expect(failure).toBe("network");
  });

  test.skipIf(missing("openssl"))(
    "a certificate that nobody vouches for: no key is sent, nothing tried again",
    async () => {
      await using server = await startTlsServer();
      const { message, failure, retries } = await ask(modelAt(format, `${server.url}/v1`));
      expect(message).toMatch(/^There is no secure connection to https:\/\/127\.0\.0\.1:\d+\/v1\//);
      expect({ failure, retries, asked: server.asked }).toEqual({ failure: "network", retries: 0, asked: 0 });
    },
  );

  test("plain HTTP where a secure connection is meant", async () => {
    await using server = await startFaultServer([events("")]);
    const { message, failure, retries } = await ask(modelAt(format, server.url.replace("http:", "https:")));
    expect(message).toMatch(
      /^There is no secure connection to https:\S+: what answers there speaks no TLS; an address with http:\/\/ may be meant\.$/,
    );
    expect({ failure, retries, requests: server.requests }).toEqual({ failure: "network", retries: 0, requests: [] });
  });
});
