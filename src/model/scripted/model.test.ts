import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { guardModel } from "../guard.ts";
import type { Model, ModelEvent, ModelMessage } from "../model.ts";
import { streamWithRetry } from "../retry.ts";
import { createScriptModel, loadScriptedModel } from "./model.ts";
import { parseScript } from "./script-parser.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const said = (content: string): ModelMessage => ({ role: "assistant", content });
const called: ModelMessage = { role: "assistant", calls: [{ id: "a", name: "bash", arguments: {} }] };
const result = (content: string, name = "bash"): ModelMessage => ({
  role: "tool",
  callId: "a",
  name,
  content,
  isError: false,
});

async function model(text: string): Promise<Model> {
  return createScriptModel(await parseScript(text, "s.yaml"), "s.yaml");
}

function requestOf(messages: readonly ModelMessage[], signal = new AbortController().signal) {
  return { system: "", messages, tools: [], maxTokens: 1, loadMedia: async () => "", signal };
}

async function eventsOf(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function textOf(from: Model, ...messages: ModelMessage[]): Promise<string> {
  const events = await eventsOf(from.stream(requestOf(messages)));
  return events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");
}

describe("R4.2 the place in the script", () => {
  test("is read from the conversation, so that another process goes on where it was", async () => {
    const text = "[one, two, three]";
    const conversation = [user("a"), said("one"), user("b"), said("two"), user("c")];
    expect(await textOf(await model(text), user("a"))).toBe("one");
    expect(await textOf(await model(text), ...conversation)).toBe("three");
    const same = await model(text);
    expect([await textOf(same, user("a")), await textOf(same, user("a")), await textOf(same, ...conversation)]).toEqual(
      ["one", "one", "three"],
    );
  });

  test("its end is an error that says so, or a repetition, or the start", async () => {
    const past = [user("a"), said("one"), user("b")];
    await expect(textOf(await model("[one]"), ...past)).rejects.toMatchObject({
      message:
        "The script s.yaml has no answer number 2 for this conversation: add one, or say what comes after its end (after: repeat).",
      facts: { failure: "rejected", retryable: false },
    });
    expect(await textOf(await model("{after: repeat, answers: [one]}"), ...past)).toBe("one");
    expect(await textOf(await model("{after: restart, answers: [one, two]}"), ...past, said("two"), user("c"))).toBe(
      "one",
    );
  });

  test("by patterns: the newest user message, tool results, tool, step; all must hold; they come before the order", async () => {
    const script = await model(`
- when: { result: exit code 1 }
  text: It failed.
- when: { tool: fs.read, step: 2 }
  text: Read.
- when: { user: "^weather" }
  text: Sunny.
- first
- second
`);
    expect(await textOf(script, user("WEATHER?"))).toBe("Sunny.");
    expect(await textOf(script, user("weather?"), called, result("exit code 1"))).toBe("It failed.");
    expect(await textOf(script, user("go"), called, result("ok", "fs_read"))).toBe("Read.");
    expect(await textOf(script, user("go"), called, result("ok"))).toBe("second");
    expect(await textOf(script, user("go"))).toBe("first");
  });

  test("by conversation: its first user message chooses the list", async () => {
    const script = await model(
      "{answers: [parent], conversations: [{first: count files, answers: [child, child again]}]}",
    );
    expect(await textOf(script, user("hello"))).toBe("parent");
    expect(await textOf(script, user("Count files in src"))).toBe("child");
    expect(await textOf(script, user("Count files in src"), said("child"), user("more"))).toBe("child again");
  });

  test("by requests of the process, for conversations that start anew", async () => {
    const script = await model("{order: requests, answers: [one, two]}");
    expect([await textOf(script, user("a")), await textOf(script, user("a"))]).toEqual(["one", "two"]);
  });

  test("a fault without text keeps its place: a retry gets what follows", async () => {
    const script = guardModel(await model("[{error: 500}, {cut: true}, one, two]"));
    const failures: string[] = [];
    const options = {
      delay: async () => undefined,
      onRetry: ({ error }: { error: { facts: { failure: string } } }) => failures.push(error.facts.failure),
    };
    const first = await eventsOf(streamWithRetry(script, requestOf([user("a")]), options));
    expect(first[0]).toEqual({ type: "text-delta", delta: "one" });
    expect(failures).toEqual(["server", "cut"]);
    expect(await textOf(script, user("a"), said("one"), user("b"))).toBe("two");
  });

  test("a fault after text is an answer of its own", async () => {
    const script = await model("[{text: half, cut: true}, next]");
    await expect(textOf(script, user("a"))).rejects.toMatchObject({ facts: { failure: "cut" } });
    expect(await textOf(script, user("a"), said("half"), user("b"))).toBe("next");
  });
});

describe("R4.2 an answer", () => {
  test("reasoning, text, calls, usage, in the order of any model", async () => {
    const script = await model(`
- reasoning: hm
  text: [a, b]
  calls: [{ name: fs.read, arguments: { path: "{{user}}.txt", deep: [{ x: "{{result}}" }] } }]
  usage: { input_tokens: 1 }
`);
    expect(await eventsOf(script.stream(requestOf([user("q")])))).toEqual([
      { type: "reasoning-delta", delta: "hm" },
      { type: "text-delta", delta: "a" },
      { type: "text-delta", delta: "b" },
      {
        type: "tool-call",
        id: expect.stringMatching(/^call_[0-9a-f]{12}$/),
        name: "fs_read",
        arguments: '{"path":"q.txt","deep":[{"x":""}]}',
      },
      { type: "finish", reason: "tool-calls", usage: { input_tokens: 1 } },
    ]);
  });

  test("{{user}} and {{result}} are what was said last", async () => {
    const script = await model('["You said {{user}}.", "It gave {{result}}, {{other}}."]');
    expect(await textOf(script, user("$& hi"))).toBe("You said $& hi.");
    expect(await textOf(script, user("x"), called, result("A"), result("B"))).toBe("It gave A\nB, {{other}}.");
  });

  test("a call cut by length is marked", async () => {
    const script = await model(`[{ finish: length, calls: [{ name: bash, arguments: '{"comm' }] }]`);
    expect(await eventsOf(script.stream(requestOf([user("q")])))).toMatchObject([
      { type: "tool-call", arguments: '{"comm', incomplete: true },
      { reason: "length" },
    ]);
  });

  test("errors are those of a provider", async () => {
    const script = await model("[{error: {status: 429, retry_after: 2, message: slow}}]");
    await expect(textOf(script, user("a"))).rejects.toMatchObject({
      message: "scripted is asked too often (429): slow.",
      facts: { failure: "rate-limited", retryable: true, retryAfterMs: 2000 },
    });
  });

  test("R1.7 delays and stalls end with the signal", async () => {
    for (const text of [
      "[{delay_ms: 100000, text: a}]",
      "[{stall: true}]",
      '[{text: "a b", chunk_delay_ms: 100000}]',
    ]) {
      const controller = new AbortController();
      const reason = new Error("stop");
      const events = eventsOf((await model(text)).stream(requestOf([user("a")], controller.signal)));
      setImmediate(() => controller.abort(reason));
      await expect(events, text).rejects.toBe(reason);
    }
  });
});

describe("R4.2 the file", () => {
  test("is found from the folder, or by its whole path", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bub-script-"));
    writeFileSync(join(folder, "s.yaml"), "- hello\n");
    expect(await textOf(await loadScriptedModel("s.yaml", { folder }), user("a"))).toBe("hello");
    expect(await textOf(await loadScriptedModel(join(folder, "s.yaml")), user("a"))).toBe("hello");
    rmSync(folder, { recursive: true });
  });

  test("missing or wrong, it is named", async () => {
    await expect(loadScriptedModel("nowhere.yaml")).rejects.toMatchObject({
      kind: "config",
      message: "The script nowhere.yaml cannot be read: it does not exist.",
    });
  });
});
