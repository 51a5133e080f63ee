import { expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

test("T6.1 tape.info counts entries and anchors, names the last one, and says None where the provider gave no tokens", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([say("hi")]) });
  await runtime.send("hello");
  const name = runtime.runtime.tapeIdOf("cli:test");
  expect((await runtime.send(",tape.info")).text.split("\n")).toEqual([
    `name: ${name}`,
    "entries: 6",
    "anchors: 1",
    "last_anchor: session/start",
    "entries_since_last_anchor: 5",
    "last_token_usage: None",
    "last_token_cache_hit_rate: None",
  ]);
});

test("T6.1 the last usage is that of the newest run that has it; the rate is cached of input tokens", async () => {
  const usage = { input_tokens: 80, cached_tokens: 30, total_tokens: 100 };
  await using runtime = await testRuntime({ model: scriptedModel([say("one", { usage }), say("two")]) });
  await runtime.send("1");
  await runtime.send("2");
  const { text } = await runtime.send(",tape.info");
  expect(text).toContain("last_token_usage: 100\nlast_token_cache_hit_rate: 37.50%");
});

test("T6.1 T0.10 as a value unknown is null and the rate a number from 0 to 1", async () => {
  const usage = { input_tokens: 80, cached_tokens: 30, total_tokens: 100 };
  const model = scriptedModel([
    callTool("tape_info"),
    callTool("tape_info", {}, { usage }),
    callTool("tape_info"),
    say("ok"),
  ]);
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("go");
  expect(toolResults[0]?.value).toMatchObject({ last_token_usage: null, last_token_cache_hit_rate: null, anchors: 1 });
  expect(toolResults[2]?.value).toMatchObject({ last_token_usage: 100, last_token_cache_hit_rate: 0.375 });
});

test("T6.1 an empty tape has no anchor", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]) });
  const { text } = await runtime.send(",tape.info");
  expect(text).toContain("entries: 0\nanchors: 0\nlast_anchor: None\nentries_since_last_anchor: 0");
});

test("T6.5 T0.10 tape.anchors lists all names in recording order, or (no anchors)", async () => {
  const model = scriptedModel([callTool("tape_anchors"), say("ok")]);
  await using runtime = await testRuntime({ model });
  expect((await runtime.send(",tape.anchors")).text).toBe("(no anchors)");
  const { toolResults } = await runtime.send("go");
  expect(toolResults[0]).toMatchObject({ value: { anchors: ["session/start"] }, text: "- session/start" });
});
