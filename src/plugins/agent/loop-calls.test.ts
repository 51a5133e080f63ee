// Calls that plugins judge, and calls that make no sense: what the model gets, and that the turn goes on.
import { expect, test } from "vitest";
import { echo } from "../../../test/support/agent-runs.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

test("T0.9 an unknown tool is guidance for the model, and the turn goes on", async () => {
  const model = scriptedModel([callTool("ecco", { text: "x" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("ok");
  expect(turn.toolResults[0]?.text).toBe("Unknown tool 'ecco'. Did you mean echo?");
});

test("T0.6 arguments that are no JSON object never run; the tape keeps {} and the model can retry", async () => {
  const model = scriptedModel([callTool("echo", '{"text": "a'), callTool("echo", { text: "b" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo] });
  const turn = await runtime.send("go");
  expect(turn.toolResults.map(({ is_error }) => is_error)).toEqual([true, false]);
  expect(turn.toolResults[0]?.text).toContain("[invalid_input] Tool 'echo' argument validation failed.");
  expect(turn.toolResults[0]?.text).toContain('{\\"text\\": \\"a');
  const call = (await runtime.entries()).find(({ kind }) => kind === "tool_call");
  expect(call?.payload.calls).toMatchObject([{ arguments: {} }]);
});

test("T0.11 beforeToolCall: newest plugin first; changed arguments go on, another verdict ends the chain", async () => {
  const asked: string[] = [];
  const changing = definePlugin({
    name: "changing",
    beforeToolCall({ args }) {
      asked.push(`changing ${args.text}`);
      return { action: "proceed", args: { text: `${args.text}!` } };
    },
  });
  const denying = definePlugin({
    name: "denying",
    beforeToolCall({ args }) {
      asked.push(`denying ${args.text}`);
      return args.text === "no!" ? { action: "deny", reason: "not today" } : undefined;
    },
  });
  const model = scriptedModel([calls(callTool("echo", { text: "yes" }), callTool("echo", { text: "no" })), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo], plugins: [denying, changing] });
  const { toolResults } = await runtime.send("go");
  expect(toolResults.map(({ text }) => text).sort()).toEqual(["[tool] not today", "yes!"]);
  expect(asked.sort()).toEqual(["changing no", "changing yes", "denying no!", "denying yes!"]);
});

test("T0.11 a plugin that throws in beforeToolCall denies the call and is named; one in afterToolCall is skipped", async () => {
  const broken = definePlugin({
    name: "broken",
    beforeToolCall({ name }) {
      if (name === "echo") throw new Error("I fell over");
      return undefined;
    },
    afterToolCall() {
      throw new Error("again");
    },
  });
  const other = defineTool({ name: "other", description: "Works.", run: () => "fine" });
  const model = scriptedModel([calls(callTool("echo", { text: "x" }), callTool("other")), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo, other], plugins: [broken] });
  const { toolResults, status } = await runtime.send("go");
  expect(status).toBe("ok");
  expect(toolResults.map(({ text }) => text).sort()).toEqual([
    '[tool] plugin "broken" failed in beforeToolCall: I fell over',
    "fine",
  ]);
  expect(runtime.log.join("\n")).toContain('"hook":"afterToolCall"');
});

test("T0.11 ask is put to the channel; where nobody can answer it means deny", async () => {
  const asking = definePlugin({
    name: "asking",
    beforeToolCall: () => ({ action: "ask", question: "Really?", choices: ["yes", "no"] }),
  });
  const model = scriptedModel([callTool("echo", { text: "1" }), say("ok"), callTool("echo", { text: "2" }), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [echo], plugins: [asking] });
  const alone = await runtime.send("go");
  expect(alone.toolResults[0]).toMatchObject({ is_error: true, text: expect.stringContaining("Really?") });
  const questions: unknown[] = [];
  const answered = await runtime.send("go", {
    ask: async (question, choices) => {
      questions.push([question, choices]);
      return "yes";
    },
  });
  expect(questions).toEqual([["Really?", ["yes", "no"]]]);
  expect(answered.toolResults[0]?.text).toBe("2");
});

test("T0.8 as many calls as run at once may listen to the turn's signal: Node takes it for no leak", async () => {
  const warnings: string[] = [];
  const hear = ({ message }: Error) => void warnings.push(message);
  process.on("warning", hear);
  const listening = defineTool({
    name: "listen",
    description: "Listen.",
    run: (_args, { signal, callId }) => {
      signal.addEventListener("abort", () => undefined);
      return callId;
    },
  });
  const model = scriptedModel([calls(...Array.from({ length: 16 }, () => callTool("listen"))), say("ok")]);
  await using runtime = await testRuntime({ model, tools: [listening] });
  expect((await runtime.send("go")).status).toBe("ok");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});
