// The hook prepareMessage: which messages it sees, and that what it makes is what the tape keeps.
import { expect, test } from "vitest";
import type { Content } from "../base/content.ts";
import { callTool, say, scriptedModel } from "../testing/scripted-model.ts";
import { testRuntime } from "../testing/test-runtime.ts";
import { defineTool } from "../tools/define-tool.ts";
import { definePlugin } from "./plugin.ts";
import { runChild } from "./turn.ts";
import type { Turn } from "./turn-state.ts";

function marking() {
  const seen: Content[] = [];
  const plugin = definePlugin({
    name: "marking",
    prepareMessage(content) {
      seen.push(content);
      return `${content} [marked]`;
    },
  });
  return { seen, plugin };
}

const leave = defineTool({
  name: "leave",
  description: "Leave a steering message and a notification.",
  async run(_args, context) {
    const { inbox } = context.turn as Turn;
    await inbox.leave({ kind: "steer", payload: { content: "also this" }, meta: {} });
    await inbox.leave({ kind: "notification", payload: { content: "news" }, meta: { note: 1 } });
    return "left";
  },
});

test("R1.3 prepareMessage is a chain over prompts and steering messages, not over notifications, results or commands", async () => {
  const { seen, plugin } = marking();
  const model = scriptedModel([callTool("leave"), say("done")]);
  await using runtime = await testRuntime({ model, tools: [leave], plugins: [plugin] });
  await runtime.send("go");
  await runtime.send(",help");
  expect(seen).toEqual([expect.stringMatching(/go$/), "also this"]);
  const messages = (await runtime.entries())
    .filter(({ kind }) => kind === "message")
    .map(({ payload }) => payload.content);
  expect(messages).toEqual([expect.stringMatching(/go \[marked\]$/), "also this [marked]", "news", "done"]);
  expect(model.requests[1]?.messages.slice(-2)).toMatchObject([{ content: "also this [marked]" }, { content: "news" }]);
});

test("R1.3 a child's prompt is prepared too", async () => {
  const { plugin } = marking();
  const model = scriptedModel([say("child's answer")]);
  await using runtime = await testRuntime({ model, plugins: [plugin] });
  const request = {
    sessionId: "child",
    prompt: { kind: "message", content: "your task" } as const,
    toolScope: { allowedTools: [], allowedSkills: undefined },
    inbound: { channel: "cli", chatId: "test", content: "go" },
    signal: new AbortController().signal,
  };
  for await (const _event of runChild(request, runtime.runtime));
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "your task [marked]" }]);
});

test("R1.8 what a turn leaves for its session is durable and read before the next step", async () => {
  const model = scriptedModel([callTool("leave"), say("done")]);
  await using runtime = await testRuntime({ model, tools: [leave] });
  await runtime.send("go");
  const note = (await runtime.entries()).find(({ meta }) => meta.note === 1);
  expect(note?.meta.inbox).toMatch(/./);
  expect(await runtime.storage.inboxes.list(runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
});
