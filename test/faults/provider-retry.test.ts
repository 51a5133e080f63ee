// Which failures of a provider are tried again, after which pause, and how often.
import { describe, expect, test } from "vitest";
import { streamWithRetry } from "../../src/model/retry.ts";
import { cleanCut, destroyed, events, stalled, startFaultServer, status } from "../../src/testing/fault-server.ts";
import { readAll } from "../contracts/golden-streams.ts";
import { answer, cutInText, modelAt, requestWith } from "../support/openai-server.ts";

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
