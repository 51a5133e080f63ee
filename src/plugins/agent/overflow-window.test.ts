// Windows that are known beforehand: what is estimated, cut and refused before anything is sent.
import { expect, test } from "vitest";
import { echo } from "../../../test/support/agent-runs.ts";
import { anchorsIn, big, isSummaryCall, textsOf, tooLong } from "../../../test/support/overflows.ts";
import { calls, callTool, fail, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

/** A window that leaves this many tokens for messages beside the fixed parts and the answer. */
async function windowFor(room: number, maxTokens: number, tools: readonly (typeof echo)[] = []): Promise<number> {
  const model = scriptedModel([say("x")]);
  await using runtime = await testRuntime({ model, tools });
  await runtime.send("x");
  const [request] = model.requests;
  const fixed = Buffer.byteLength(request?.system ?? "") + Buffer.byteLength(JSON.stringify(request?.tools));
  return Math.ceil(fixed / 4) + maxTokens + room;
}

test("R2.6 a known window is kept to beforehand: the estimate is the usage since the last anchor and bytes / 4 of what is new", async () => {
  const window = await windowFor(1_000, 100, [echo, big]);
  const model = scriptedModel([
    callTool("big", { size: 400 }, { usage: { total_tokens: window - 300 } }),
    say("short"),
    callTool("big", { size: 900 }, { usage: { total_tokens: window - 300 } }),
    (request) => (isSummaryCall(request) ? say("in short") : fail(500, { message: "sent all the same" })),
    say("done"),
  ]);
  await using runtime = await testRuntime({
    model,
    tools: [echo, big],
    settings: { contextWindow: window, maxTokens: 100 },
  });
  // 100 tokens are new, 100 are for the answer: it fits.
  expect((await runtime.send("go")).text).toBe("short");
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
  // 230 are new: it does not, though it would without the answer.
  const turn = await runtime.send("again");
  expect(turn).toMatchObject({ status: "ok", text: "done" });
  const [anchor] = anchorsIn(await runtime.entries());
  expect(anchor?.payload.state).toMatchObject({ error: expect.stringContaining(`more than the ${window} of`) });
});

test("R2.6 without usage the whole request is estimated, and usage from before an anchor does not count", async () => {
  const window = await windowFor(2_000, 100, [big]);
  const model = scriptedModel([
    callTool("big", { size: 100 }, { usage: { total_tokens: window } }),
    say("summary"),
    callTool("big", { size: 3_000 }),
    callTool("big", { size: 5_000 }),
    (request) => (isSummaryCall(request) ? say("summary") : fail(500)),
    say("done"),
  ]);
  await using runtime = await testRuntime({ model, tools: [big], settings: { contextWindow: window, maxTokens: 100 } });
  expect((await runtime.send("go")).text).toBe("done");
  expect(anchorsIn(await runtime.entries())).toHaveLength(2);
});

test("R2.5 max_tokens is at most a quarter of a known window", async () => {
  const model = scriptedModel([say("1"), say("2")]);
  await using small = await testRuntime({ model, settings: { contextWindow: 32_000, maxTokens: 16_384 } });
  await small.send("go");
  await using large = await testRuntime({ model, settings: { contextWindow: 200_000, maxTokens: 16_384 } });
  await large.send("go");
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([8_000, 16_384]);
});

test("R2.6 the window of the provider's list counts where none is set, and is asked for only when it matters", async () => {
  let asked = 0;
  const scripted = scriptedModel([say("1"), say("2")]);
  const model = Object.assign(scripted, {
    async limits() {
      asked++;
      return { contextWindow: 40_000 };
    },
  });
  await using runtime = await testRuntime({ model });
  await runtime.send("go");
  expect([asked, model.requests[0]?.maxTokens]).toEqual([0, 16_384]);
  await runtime.send("word ".repeat(5_000));
  expect([asked, model.requests[1]?.maxTokens]).toEqual([1, 10_000]);
});

test("R2.6 carried results that do not fit a known window are cut to previews, the largest first", async () => {
  const window = await windowFor(1_500, 100, [big]);
  const model = scriptedModel([
    calls(callTool("big", { size: 1_000 }), callTool("big", { size: 8_000 })),
    say("summary"),
    say("done"),
  ]);
  await using runtime = await testRuntime({ model, tools: [big], settings: { contextWindow: window, maxTokens: 100 } });
  expect((await runtime.send("go")).text).toBe("done");
  const [small, large] = textsOf(model.requests.at(-1)?.messages).slice(-2).map(String);
  expect(small).toHaveLength(1_010);
  expect(large).toBe(
    [
      "[tool output truncated: 8,010 bytes; it did not fit the context]",
      `begin ${"x".repeat(294)}`,
      "...[7,410 chars omitted]...",
      `${"x".repeat(296)} end`,
    ].join("\n"),
  );
});

test("R2.6 without a known window carried results are cut when they are all there is, and at the second overflow", async () => {
  const model = scriptedModel([
    say("before"),
    ...[callTool("big", { size: 5_000 }), tooLong(), say("summary"), tooLong(), say("done")],
  ]);
  await using runtime = await testRuntime({ model, tools: [big] });
  await runtime.send("old");
  expect((await runtime.send("go")).text).toBe("done");
  const sent = model.requests.filter((request) => !isSummaryCall(request)).slice(-2);
  expect(sent.map(({ messages }) => String(messages.at(-1)?.content).length)).toEqual([5_010, expect.any(Number)]);
  expect(String(sent[1]?.messages.at(-1)?.content).length).toBeLessThan(800);

  const alone = scriptedModel([callTool("big", { size: 5_000 }), tooLong(), say("summary"), say("done")]);
  await using other = await testRuntime({ model: alone, tools: [big] });
  expect((await other.send("go")).text).toBe("done");
  expect(String(alone.requests.at(-1)?.messages.at(-1)?.content).length).toBeLessThan(800);
});

test("R2.6 fixed parts that do not fit alone end the run with a clear error: nothing is asked, no anchor is written", async () => {
  const model = scriptedModel([say("never")]);
  await using runtime = await testRuntime({ model, settings: { contextWindow: 400 } });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual([
    expect.stringMatching(/^The system prompt and the tools alone take about \d+ tokens and do not fit/),
  ]);
  expect(model.requests).toHaveLength(0);
  expect(anchorsIn(await runtime.entries())).toHaveLength(0);
});

test("R2.6 a message that does not fit alone ends the run with a clear error, and the next one goes on", async () => {
  const window = await windowFor(1_000, 100);
  const model = scriptedModel([say("summary"), say("fine")]);
  await using runtime = await testRuntime({ model, settings: { contextWindow: window, maxTokens: 100 } });
  const turn = await runtime.send("word ".repeat(2_000));
  expect(turn.errors).toEqual([expect.stringContaining("The message and what the run needs to go on do not fit")]);
  expect(model.requests).toHaveLength(0);
  expect((await runtime.send("short")).text).toBe("fine");
});

test("R2.6 nothing is handed off where the message leaves no room that is worth a summary", async () => {
  const window = await windowFor(1_000, 100);
  const settings = { contextWindow: window, maxTokens: 100 };
  const kept: number[] = [];
  let refused = 0;
  for (let size = 3_000; size < 3_900; size += 50) {
    const model = scriptedModel([say("x"), say("s".repeat(20_000)), say("done")]);
    await using runtime = await testRuntime({ model, settings });
    await runtime.send("old ".repeat(500));
    const { errors } = await runtime.send("w".repeat(size));
    if (errors.length > 0) refused++;
    else
      kept.push(
        String(textsOf(model.requests.at(-1)?.messages)[0])
          .match(/s{3,}/g)
          ?.join("").length ?? 0,
      );
  }
  expect([kept.length > 0, refused > 0]).toEqual([true, true]);
  // 64 tokens, less the mark where its middle was cut out.
  expect(Math.min(...kept)).toBeGreaterThan(150);
});

test("R2.6 a summary longer than what is left of a known window is shortened to it", async () => {
  const window = await windowFor(1_200, 100, [big]);
  const model = scriptedModel([
    callTool("big", { size: 800 }),
    callTool("big", { size: 800 }),
    callTool("big", { size: 3_000 }),
    say("s".repeat(20_000)),
    say("done"),
  ]);
  const settings = { contextWindow: window, maxTokens: 100 };
  await using runtime = await testRuntime({ model, tools: [big], settings });
  expect(await runtime.send("go")).toMatchObject({ status: "ok", text: "done" });
  expect(anchorsIn(await runtime.entries())).toHaveLength(1);
  const bytes = Buffer.byteLength(JSON.stringify(model.requests.at(-1)?.messages));
  expect(bytes).toBeGreaterThan(4_000);
  expect(bytes).toBeLessThan(5_200);
});
