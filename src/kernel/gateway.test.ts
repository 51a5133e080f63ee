import { expect, test } from "vitest";
import { type Gate, gate } from "../../test/support/conversations.ts";
import type { StreamEvent } from "../base/events.ts";
import { callTool, say, scriptedModel } from "../testing/scripted-model.ts";
import { type TestRuntime, testRuntime } from "../testing/test-runtime.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { Inbound } from "./envelope.ts";
import { Gateway } from "./gateway.ts";

const typed = (content: string, more: Partial<Inbound> = {}): Inbound => ({
  channel: "cli",
  chatId: "test",
  commands: true,
  content,
  ...more,
});

interface World extends AsyncDisposable {
  runtime: TestRuntime;
  gateway: Gateway;
  finals: string[];
  /** What the tool `hold` waits for. */
  held: Gate;
  requests: ReturnType<typeof scriptedModel>["requests"];
}

/** A runtime whose first answer calls `hold`, which waits for the gate `held`. */
async function world(
  answers: Parameters<typeof scriptedModel>[0] = [callTool("hold"), say("done"), say("next"), say("last")],
): Promise<World> {
  const held = gate();
  const hold = defineTool({
    name: "hold",
    description: "Wait.",
    async run(_args, { signal }) {
      await held.pass(signal);
      return "held";
    },
  });
  const model = scriptedModel(answers);
  const runtime = await testRuntime({ model, tools: [hold] });
  const finals: string[] = [];
  const show = (event: StreamEvent) => {
    if (event.type === "final") finals.push(event.text || event.status);
  };
  const gateway = new Gateway(runtime.runtime, { signal: new AbortController().signal, show });
  return {
    runtime,
    gateway,
    finals,
    held,
    requests: model.requests,
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

test("R1.6 admission: an idle session's message starts a turn", async () => {
  await using w = await world([say("hello")]);
  await w.gateway.receive(typed("hi"));
  expect(w.finals).toEqual(["hello"]);
});

test("R1.6 admission: in a terminal a message during a run steers it", async () => {
  await using w = await world();
  const run = w.gateway.receive(typed("go"));
  await w.held.reached;
  await w.gateway.receive(typed("and mind the gap"));
  w.held.open();
  await run;
  expect(w.finals).toEqual(["done"]);
  expect(w.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "and mind the gap" });
});

test("R1.8 a message that is still being written when the run ends gets a turn at once", async () => {
  await using w = await world();
  const { inboxes } = w.runtime.runtime.storage;
  const put = inboxes.put.bind(inboxes);
  const run = w.gateway.receive(typed("go"));
  await w.held.reached;
  inboxes.put = async (...item) => {
    w.held.open();
    await run;
    return put(...item);
  };
  await w.gateway.receive(typed("and then?"));
  expect(w.finals).toEqual(["done", "next"]);
});

test("R1.6 admission: from another channel it waits and gets a turn of its own", async () => {
  await using w = await world();
  const run = w.gateway.receive(typed("go", { channel: "chat", sessionId: "s" }));
  await w.held.reached;
  await w.gateway.receive(typed("later", { channel: "chat", sessionId: "s" }));
  await w.gateway.receive(typed("last", { channel: "chat", sessionId: "s" }));
  w.held.open();
  await run;
  expect(w.finals).toEqual(["done", "next", "last"]);
  expect(w.requests[2]?.messages.at(-1)?.content).toMatch(/later$/);
  expect(w.requests[3]?.messages.at(-1)?.content).toMatch(/last$/);
  expect(await w.runtime.storage.inboxes.list(w.runtime.runtime.tapeIdOf("s"))).toEqual([]);
});

test("R1.8 a steering message that no step took gets a turn at once, in the process that wrote it", async () => {
  await using w = await world([callTool("hold"), (request) => say(String(request.messages.length)), say("own turn")]);
  const run = w.gateway.receive(typed("go"));
  await w.held.reached;
  const tape = w.runtime.runtime.tapeIdOf("cli:test");
  // As if the item had come after the last step looked.
  const off = w.runtime.runtime.events.on("run-finished", () => {
    off();
    void w.gateway.receive(typed("too late"));
  });
  w.held.open();
  await run;
  while (w.finals.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(w.finals).toEqual(["3", "own turn"]);
  expect(w.requests.at(-1)?.messages.at(-1)).toEqual({ role: "user", content: "too late" });
  expect(await w.runtime.storage.inboxes.list(tape)).toEqual([]);
});

test("T10.6 tape.info acts at once during a run, other commands wait for its end", async () => {
  await using w = await world();
  const run = w.gateway.receive(typed("go"));
  await w.held.reached;
  await w.gateway.receive(typed(",tape.info"));
  expect(w.finals).toEqual([expect.stringMatching(/^name: /)]);
  await w.gateway.receive(typed(",fs.read path=/none"));
  expect(w.finals).toHaveLength(1);
  w.held.open();
  await run;
  expect(w.finals.slice(1)).toEqual(["done", "error"]);
});

test("T10.6 ,quit ends the run and clears waiting messages", async () => {
  await using w = await world();
  const run = w.gateway.receive(typed("go"));
  await w.held.reached;
  await w.gateway.receive(typed("steering"));
  await w.gateway.receive(typed(",quit"));
  await run;
  expect(w.finals).toEqual([expect.stringMatching(/^Quit:/), "cancelled"]);
  expect(await w.runtime.storage.inboxes.list(w.runtime.runtime.tapeIdOf("cli:test"))).toEqual([]);
  expect(w.requests).toHaveLength(1);
});

test("T7.3 what is said to a session whose turn is a child's waits, and gets a turn after it", async () => {
  await using w = await world([callTool("hold"), say("child's answer"), say("own turn")]);
  const inbound = typed("the task");
  const request = {
    sessionId: "cli:test",
    prompt: { kind: "message", content: "the task" },
    toolScope: { allowedTools: undefined, allowedSkills: undefined },
    inbound,
    signal: new AbortController().signal,
  } as const;
  const finals: string[] = [];
  const child = (async () => {
    for await (const event of w.runtime.runtime.runChild(request)) if (event.type === "final") finals.push(event.text);
  })();
  await w.held.reached;
  const said = w.gateway.receive(typed("hello"));
  await w.gateway.receive(typed(",tape.info"));
  expect(w.finals).toEqual([expect.stringMatching(/^name: /)]);
  w.held.open();
  await Promise.all([child, said]);
  expect(finals).toEqual(["child's answer"]);
  expect(w.finals.slice(1)).toEqual(["own turn"]);
  expect(JSON.stringify(w.requests[1]?.messages)).not.toContain("hello");
});
