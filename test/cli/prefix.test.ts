import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type SeenRequest, startFaultServer } from "../../src/testing/fault-server.ts";
import { answering } from "../support/chat-server.ts";
import { createCliWorld } from "../support/run-cli.ts";

/** What is compared: the elements of `messages` and of `tools` as the bytes that came over the wire, without closing brackets. */
function elementsOf({ body }: SeenRequest, name: string): string {
  const text = body.toString("utf8");
  const parsed = (JSON.parse(text) as Record<string, unknown[]>)[name] ?? [];
  const start = text.indexOf(`"${name}":[`) + name.length + 4;
  const elements = text.slice(start, start + JSON.stringify(parsed).length - 2);
  // The slice is the wire's own text only if nothing in it was written differently.
  expect(JSON.parse(`[${elements}]`)).toEqual(parsed);
  return elements;
}

/** Calls a tool four times after each message, then says that it is done. */
const server = answering((messages) => {
  const step = (messages.length - 1 - messages.map(({ role }) => role).lastIndexOf("user")) / 2;
  if (step >= 4) return { text: `done after ${step}` };
  return { text: "On it. ", calls: [{ name: "bash", arguments: { command: `echo ${step} é` } }] };
});

test("R2.4 over steps, turns, restarts and a text command in between, each request's bytes are a prefix of the next one's", async () => {
  await using wire = await startFaultServer([server]);
  using world = createCliWorld();
  writeFileSync(join(world.workspace, "AGENTS.md"), "Answer briefly.\n");
  const env = { BUB_MODEL: "local:test", BUB_LOCAL_API_BASE: wire.url };
  for (const words of [["first"], [",tape.info"], ["second"], [",echo hi"], ["third"]]) {
    const { code, stderr } = await world.run(["run", ...words], { env });
    expect(stderr).toBe("");
    expect(code).toBe(0);
  }
  const chat = await world.run(["chat"], { env, input: "fourth\n,tape.anchors\nfifth\n" });
  expect(chat.code).toBe(0);
  expect(wire.requests.length).toBe(25);
  let before = { messages: "", tools: "" };
  for (const request of wire.requests) {
    const now = { messages: elementsOf(request, "messages"), tools: elementsOf(request, "tools") };
    expect(now.messages.startsWith(before.messages)).toBe(true);
    expect(now.messages.length).toBeGreaterThan(before.messages.length);
    if (before.tools !== "") expect(now.tools).toBe(before.tools);
    before = now;
  }
});
