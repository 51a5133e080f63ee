// Providers that cannot be reached, calls that are cancelled, and what goes over the connections.
import { type AddressInfo, createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import type { TransportOptions } from "../../src/model/transport.ts";
import {
  type Behaviour,
  destroyed,
  events,
  stalled,
  startFaultServer,
  status,
  trickle,
} from "../../src/testing/fault-server.ts";
import { failureOf } from "../contracts/golden-streams.ts";
import { answer, ask, cutInText, modelAt, onServer } from "../support/openai-server.ts";
import { missing } from "../support/requirements.ts";
import { startTlsServer } from "../support/tls-server.ts";

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

describe("R2.5 a server that cannot be reached is one plain sentence with its address", () => {
  test("refused", async () => {
    // No port that was free a moment ago: another test may have taken it since.
    const reading = await ask(modelAt("http://127.0.0.1:1/v1"));
    expect(reading.error).toMatchObject({
      message: `http://127.0.0.1:1/v1/chat/completions refuses connections: check the address, and that the server is running.`,
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
