import { expect, test } from "vitest";
import type { Outbound } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { fail, say, scriptedModel } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";

test("R5.0 a message's session is its channel and chat, unless it names one", async () => {
  await using runtime = await testRuntime({ model: scriptedModel([say("1"), say("2"), say("3")]) });
  const sessions = [{}, { channel: "mail", chatId: "7" }, { sessionId: "own" }].map(
    async (place) => (await runtime.send("hi", place)).events[0]?.session_id,
  );
  expect(await Promise.all(sessions)).toEqual(["cli:test", "mail:7", "own"]);
});

test("R1.2 a turn is answered by one message to where it came from: its text, or its error", async () => {
  const sent: Outbound[] = [];
  const plugin = definePlugin({
    name: "post",
    dispatchOutbound(outbound) {
      sent.push(outbound);
      return true;
    },
  });
  await using runtime = await testRuntime({
    model: scriptedModel([say("hello"), fail(400, { message: "no" })]),
    plugins: [plugin],
  });
  await runtime.send("hi", { channel: "mail", chatId: "7" });
  await runtime.send("hi", { channel: "mail", chatId: "7" });
  expect(sent).toMatchObject([
    { channel: "mail", chatId: "7", sessionId: "mail:7", kind: "answer", text: "hello" },
    { channel: "mail", chatId: "7", kind: "error", text: expect.stringContaining("no") },
  ]);
});
