import { expect, test } from "vitest";
import { gate } from "../../../test/support/conversations.ts";
import type { ModelMessage, ModelRequest } from "../../model/model.ts";
import { calls, callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

const textOf = (message: ModelMessage | undefined) =>
  String(message?.content ?? "")
    .split("\n")
    .at(-1) ?? "";
const shape = ({ messages }: Pick<ModelRequest, "messages">) =>
  messages.map((message) =>
    message.role === "assistant" && message.calls !== undefined
      ? `calls ${message.calls.map(({ name }) => name)}`
      : `${message.role}: ${textOf(message)}`,
  );

/** Answers the child by its prompt, and the parent by its steps. */
function forking(start: ReturnType<typeof callTool>, childAnswer: (request: ModelRequest) => ReturnType<typeof say>) {
  const children: ModelRequest[] = [];
  let parentSteps = 0;
  const answer = (request: ModelRequest) => {
    if (request.messages.some((message) => message.role === "user" && textOf(message) === "your task")) {
      children.push({ ...request, messages: [...request.messages] });
      return childAnswer(request);
    }
    parentSteps++;
    return parentSteps === 1 ? say("I know the word orchid") : parentSteps === 2 ? start : say("the parent is done");
  };
  return { model: scriptedModel(Array(12).fill(answer)), children };
}

test("T7.3 a fork starts from the conversation with the turn so far, ends before the running calls, and keeps what was said with them", async () => {
  const start = callTool("subagent", { prompt: "your task", session: "fork" }, { text: "I ask a copy of me." });
  const { model, children } = forking(start, () => say("the child is done"));
  await using runtime = await testRuntime({ model });
  await runtime.send("remember orchid");
  const turn = await runtime.send("now fork");
  expect(turn).toMatchObject({ status: "ok", text: "the parent is done" });
  expect(shape(children[0] as ModelRequest)).toEqual([
    "user: remember orchid",
    "assistant: I know the word orchid",
    "user: now fork",
    "assistant: I ask a copy of me.",
    "user: your task",
  ]);
  const session = turn.toolResults[0]?.value as { session_id: string };
  expect(session.session_id).toMatch(/^temp\/sub-/);
  expect(await runtime.entries(session.session_id)).toEqual([]);
  const parentTexts = (await runtime.entries()).map(({ payload }) => String(payload.content));
  expect(parentTexts).not.toContain("your task");
  expect(parentTexts.some((text) => text.includes("the child is done"))).toBe(true);
});

test("T7.3 inherit is the same, and what the parent records or resets later is not seen", async () => {
  const held = gate();
  const hold = defineTool({ name: "hold", description: "Wait.", run: () => held.pass().then(() => "held") });
  const start = calls(callTool("subagent", { prompt: "your task", session: "inherit" }));
  const { model, children } = forking(start, ({ messages }) =>
    messages.at(-1)?.role === "tool" ? say("late") : callTool("hold"),
  );
  await using runtime = await testRuntime({ model, tools: [hold] });
  await runtime.send("remember orchid");
  const turn = runtime.send("now fork", {
    onEvent: (event) => {
      if (event.type === "tool-result" && event.name === "subagent") setImmediate(held.open);
    },
  });
  expect((await turn).status).toBe("ok");
  expect(children).toHaveLength(2);
  expect(shape(children[1] as ModelRequest)).toEqual([
    "user: remember orchid",
    "assistant: I know the word orchid",
    "user: now fork",
    "user: your task",
    "calls hold",
    "tool: held",
  ]);
});

test("T7.3 T9.4 a fork reads what its parent had spilled", async () => {
  const large = defineTool({ name: "large", description: "A lot.", run: () => "x".repeat(20_000) });
  let handle = "";
  let parentSteps = 0;
  const reads: string[] = [];
  const answer = (request: ModelRequest) => {
    const isChild = request.messages.some((message) => message.role === "user" && textOf(message) === "your task");
    if (isChild) {
      const last = request.messages.at(-1);
      if (last?.role === "tool") {
        reads.push(String(last.content).slice(0, 40));
        return say("read");
      }
      return callTool("spill_read", { handle });
    }
    parentSteps++;
    if (parentSteps === 1) return callTool("large");
    if (parentSteps === 2) {
      handle = /handle: ([0-9a-f]{32})/.exec(String(request.messages.at(-1)?.content))?.[1] ?? "";
      return callTool("subagent", { prompt: "your task", session: "fork" });
    }
    return say("done");
  };
  await using runtime = await testRuntime({ model: scriptedModel(Array(12).fill(answer)), tools: [large] });
  expect((await runtime.send("go")).status).toBe("ok");
  expect(reads).toEqual(["[spilled tool result: 20000 bytes, 2 chu"]);
});
