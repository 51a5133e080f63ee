// Streams that stall, break off, never end or talk nonsense, over real connections.
import { describe, expect, test } from "vitest";
import {
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
import { failureOf } from "../contracts/golden-streams.ts";
import { answer, ask, cutInText, modelAt, onServer, upToFinish } from "../support/openai-server.ts";

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
