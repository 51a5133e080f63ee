// Contexts that a plugin selects: from the last anchor, from another one, or all of the tape.
import { expect, test } from "vitest";
import { echo, shape } from "../../../test/support/agent-runs.ts";
import type { ContextSelection } from "../../kernel/hooks.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

const selecting = (anchor: ContextSelection["anchor"]) =>
  definePlugin({ name: "selecting", selectContext: () => ({ anchor }) });

const start = 'assistant: [Anchor created: session/start]: {"owner":"human"}';

test("R3.7 T6.6 with anchor null the whole tape is read, and anchors are assistant messages", async () => {
  const model = scriptedModel([say("one"), say("two")]);
  await using runtime = await testRuntime({ model, plugins: [selecting(null)] });
  await runtime.send("first");
  await runtime.send(",tape.handoff name=phase summary=half");
  await runtime.send("second");
  expect(shape(model.requests[0]?.messages)).toEqual([start, "user: first"]);
  expect(shape(model.requests[1]?.messages)).toEqual([
    start,
    "user: first",
    "assistant: one",
    'assistant: [Anchor created: phase]: {"summary":"half"}',
    "user: second",
  ]);
});

test("R3.7 T6.8 with the whole tape, a hand-off inside a step stands behind its results, and copies are left out", async () => {
  const step = calls(
    callTool("echo", { text: "before" }),
    callTool("tape_handoff"),
    callTool("echo", { text: "after" }),
  );
  const model = scriptedModel([callTool("echo", { text: "early" }), step, say("done")]);
  await using runtime = await testRuntime({ model, tools: [echo], plugins: [selecting(null)] });
  await runtime.send("question");
  const [, second, third] = model.requests.map(({ messages }) => shape(messages));
  expect(third).toEqual([
    ...(second ?? []),
    "calls echo,tape_handoff,echo",
    "tool: before",
    "tool: anchor added: handoff",
    "tool: after",
    'assistant: [Anchor created: handoff]: {"summary":""}',
  ]);
});

test("R3.7 with a named anchor the context begins after the newest of that name, whatever anchors follow", async () => {
  const model = scriptedModel([say("one"), say("two"), say("three")]);
  await using runtime = await testRuntime({ model, plugins: [selecting({ name: "here" })] });
  for (const name of ["here", "other"]) {
    await runtime.send(`,tape.handoff name=${name}`);
    await runtime.send(`after ${name}`);
  }
  expect(shape(model.requests[1]?.messages)).toEqual(["user: after here", "assistant: one", "user: after other"]);
  await runtime.send(",tape.handoff name=here");
  await runtime.send("again");
  expect(shape(model.requests[2]?.messages)).toEqual(["user: again"]);
});

test("R3.7 an anchor that is not there is named in the error", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [selecting({ name: "nowhere" })] });
  expect((await runtime.send("hello")).errors[0]).toContain("Anchor 'nowhere' was not found.");
});

test("R3.7 a reset begins the selected context anew, within its turn too", async () => {
  const model = scriptedModel([say("old"), callTool("tape_reset"), say("done"), say("next")]);
  await using runtime = await testRuntime({ model, plugins: [selecting(null)] });
  await runtime.send("first");
  await runtime.send("question");
  const afterReset = [start, "user: question", "calls tape_reset", "tool: ok"];
  expect(shape(model.requests[2]?.messages)).toEqual(afterReset);
  await runtime.send("more");
  expect(shape(model.requests[3]?.messages)).toEqual([...afterReset, "assistant: done", "user: more"]);
});

test("R3.7 a plugin that builds the context gets the selected entries", async () => {
  const seen: unknown[] = [];
  const building = definePlugin({
    name: "building",
    selectContext: () => ({ anchor: null }),
    buildTapeContext(entries, selection) {
      seen.push([entries.length, entries[0]?.id, selection]);
      return [{ role: "user", content: "only this" }];
    },
  });
  const model = scriptedModel([say("ok")]);
  await using runtime = await testRuntime({ model, plugins: [building] });
  await runtime.send("hi");
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "only this" }]);
  expect(seen).toEqual([[4, 1, { anchor: null }]]);
});
