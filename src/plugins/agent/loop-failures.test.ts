// How a run goes on or ends when its model fails, somebody cancels, or the process dies in the middle of it.
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { echo, kinds } from "../../../test/support/agent-runs.ts";
import { CancelledError } from "../../base/abort.ts";
import { BubError } from "../../base/errors.ts";
import { createMemoryEnvironment } from "../../environment/memory.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { TapeEntry } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { InboxPort, TapeStorage } from "../../tape/store.ts";
import { calls, callTool, cutOff, fail, say, scriptedModel, stall } from "../../testing/scripted-model.ts";
import { testRuntime } from "../../testing/test-runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";

test("R2.5 a failure before the first content goes to the fallback model, with a notice, for the rest of the run", async () => {
  const broken = scriptedModel([fail(400)], { provider: "first" });
  const other = scriptedModel([callTool("echo", { text: "x" }), say("from other")], { provider: "second" });
  const plugin = definePlugin({ name: "two", provideModels: () => [{ provider: "second", create: () => other }] });
  await using runtime = await testRuntime({
    model: broken,
    tools: [echo],
    plugins: [plugin],
    settings: { fallbackModels: ["second:test"] },
  });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ text: "from other", status: "ok", errors: [] });
  expect(turn.notices).toEqual([expect.stringMatching(/^first:test failed: .* Going on with second:test\.$/)]);
  expect(broken.requests).toHaveLength(1);
});

test.each([
  [
    "a model without a key",
    "openai:x",
    /^openai:x failed: There is no API key for openai: .* Going on with second:test\.$/,
  ],
  ["an unknown provider", "nobody:x", /^nobody:x failed: There is no provider nobody: .* Going on with second:test\.$/],
  [
    "an error of a plugin's model",
    "plugged:x",
    /^plugged:x failed: the cellar is flooded Going on with second:test\.$/,
  ],
  ["a plugin's model that throws at once", "hasty:x", /^hasty:x failed: .*flooded Going on with second:test\.$/],
])("R2.5 %s is a failure as any other", async (_what, model, notice) => {
  const second = scriptedModel([say("from second")], { provider: "second" });
  const flooded = () => {
    throw new BubError("temporary", "the cellar is flooded");
  };
  const plugin = definePlugin({
    name: "models-of-mine",
    provideModels: () => [
      { provider: "second", create: () => second },
      {
        provider: "plugged",
        create: () => ({
          provider: "plugged",
          modelId: "x",
          async *stream() {
            yield { type: "progress" as const };
            flooded();
          },
        }),
      },
      { provider: "hasty", create: () => ({ provider: "hasty", modelId: "x", stream: flooded }) },
    ],
  });
  await using runtime = await testRuntime({ plugins: [plugin], settings: { model, fallbackModels: ["second:test"] } });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ text: "from second", status: "ok", errors: [] });
  expect(turn.notices).toEqual([expect.stringMatching(notice)]);
});

test("R2.5 what names no model at all is told before anything is asked", async () => {
  await using runtime = await testRuntime({ settings: { model: "nonsense", fallbackModels: ["second:test"] } });
  expect((await runtime.send("go")).errors).toEqual([expect.stringContaining("nonsense")]);
});

test("R2.5 when all models fail the first one's error is told", async () => {
  const first = scriptedModel([fail(400, { message: "first is broken" })], { provider: "first" });
  const second = scriptedModel([fail(400, { message: "second is broken" })], { provider: "second" });
  const plugin = definePlugin({ name: "two", provideModels: () => [{ provider: "second", create: () => second }] });
  await using runtime = await testRuntime({
    model: first,
    plugins: [plugin],
    settings: { fallbackModels: ["second:test"] },
  });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  expect(turn.errors).toEqual([expect.stringContaining("first is broken")]);
});

test("R2.5 pitfalls: where every second model call fails with 500, each tool still runs once", async () => {
  const ran: unknown[] = [];
  const once = defineTool({
    name: "once",
    description: "Count.",
    input: { type: "object", properties: { n: { type: "number" } } },
    run: ({ n }) => {
      ran.push(n);
      return "counted";
    },
  });
  const failing = () => fail(500, { retryAfterMs: 1 });
  const answers = [1, 2, 3].flatMap((n) => [failing(), callTool("once", { n })]);
  const model = scriptedModel([...answers, failing(), say("done")]);
  await using runtime = await testRuntime({ model, tools: [once] });
  const turn = await runtime.send("go");
  expect(turn).toMatchObject({ text: "done", status: "ok", errors: [] });
  expect(ran).toEqual([1, 2, 3]);
  expect(turn.notices).toHaveLength(4);
  const results = model.requests.map(({ messages }) => messages.filter(({ role }) => role === "tool").length);
  expect(results).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test("R3.2 pitfalls: an edit of one line in 20 MB grows the tape by the call, not by the file", async () => {
  const line = `${"0123456789".repeat(10)}\n`;
  const environment = createMemoryEnvironment({
    workspace: "/work",
    files: { "/work/big.txt": `${line.repeat(200_000)}last` },
  });
  const model = scriptedModel([callTool("fs_edit", { path: "big.txt", old: "last", new: "end" }), say("done")]);
  await using runtime = await testRuntime({ model, environment });
  expect((await runtime.send("go")).toolResults).toMatchObject([{ is_error: false }]);
  expect(JSON.stringify(await runtime.entries()).length).toBeLessThan(64 * 1024);
});

test("R1.5 a key that a provider's error quotes is shown to nobody", async () => {
  const model = scriptedModel([fail(400, { message: "not with sk-very-secret" })]);
  await using runtime = await testRuntime({ model, env: { OPENAI_API_KEY: "sk-very-secret" } });
  const { errors, events } = await runtime.send("go");
  expect(errors).toEqual([expect.stringContaining("not with ***")]);
  expect(JSON.stringify(events)).not.toContain("sk-very-secret");
  expect(JSON.stringify(await runtime.entries())).not.toContain("sk-very-secret");
});

test("R2.8 a stream cut after text keeps the text, runs nothing, and ends as an error", async () => {
  await using runtime = await testRuntime({
    model: scriptedModel([cutOff("half an ans"), say("whole")]),
    tools: [echo],
  });
  const turn = await runtime.send("go");
  expect(turn.status).toBe("error");
  const entries = await runtime.entries();
  expect(kinds(entries).slice(3)).toEqual(["user", "assistant", "error", "event run"]);
  expect(entries[4]?.payload.content).toBe("half an ans");
  expect(entries.at(-1)?.payload).toMatchObject({ data: { status: "error" } });
  expect((await runtime.send("again")).text).toBe("whole");
});

test("R1.7 cancel during a model call: text so far is kept, reasoning is not, the next turn works", async () => {
  const cancel = new AbortController();
  const model = scriptedModel([{ ...stall("partial"), reasoning: [{ text: "Hm." }] }, say("next")]);
  await using runtime = await testRuntime({ model });
  const turn = await runtime.send("go", {
    signal: cancel.signal,
    onEvent: (event) => event.type === "text-delta" && cancel.abort(new CancelledError()),
  });
  expect(turn).toMatchObject({ status: "cancelled", errors: [] });
  const entries = await runtime.entries();
  expect(kinds(entries).slice(3)).toEqual(["user", "assistant", "event run"]);
  expect(entries[4]?.payload).toEqual({ role: "assistant", content: "partial" });
  expect((await runtime.send("again")).text).toBe("next");
});

test("R1.7 cancel during tools: finished calls keep results, the others are recorded as cancelled", async () => {
  const cancel = new AbortController();
  const hang = defineTool({
    name: "hang",
    description: "Wait for the signal.",
    run: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  });
  const model = scriptedModel([calls(callTool("echo", { text: "kept" }), callTool("hang")), say("next")]);
  await using runtime = await testRuntime({ model, tools: [echo, hang] });
  const turn = await runtime.send("go", {
    signal: cancel.signal,
    onEvent: (event) => event.type === "tool-result" && cancel.abort(new CancelledError()),
  });
  expect(turn.status).toBe("cancelled");
  await runtime.send("again");
  expect(model.requests[1]?.messages.slice(2, 4)).toMatchObject([
    { content: "kept" },
    { content: "[tool] cancelled", isError: true },
  ]);
});

test("R1.7 a tool that ignores the signal is abandoned, and cancelling returns within a second", async () => {
  const cancel = new AbortController();
  const deaf = defineTool({
    name: "deaf",
    description: "Never end.",
    run: () => {
      queueMicrotask(() => cancel.abort(new CancelledError()));
      return new Promise(() => undefined);
    },
  });
  await using runtime = await testRuntime({ model: scriptedModel([callTool("deaf"), say("next")]), tools: [deaf] });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const running = runtime.send("go", { signal: cancel.signal });
  await once(cancel.signal, "abort");
  await vi.advanceTimersByTimeAsync(999);
  const turn = await running;
  expect(turn.status).toBe("cancelled");
  expect(kinds(await runtime.entries()).slice(3)).toEqual(["user", "tool_call", "tool_result", "event run"]);
  expect((await runtime.send("again")).text).toBe("next");
});

test("R3.3 after a crash open calls are recorded as interrupted before anything else, and are not run again", async () => {
  const storage = createMemoryStorage();
  let ran = 0;
  const counted = defineTool({ name: "counted", description: "Count.", run: () => `ran ${++ran}` });
  const crashed = scriptedModel([calls(callTool("counted"), callTool("counted"))]);
  await using before = await testRuntime({
    model: crashed,
    tools: [counted],
    storage: failingAfterFirstResult(storage),
  });
  expect((await before.send("go")).status).toBe("error");
  const model = scriptedModel([say("I see")]);
  await using after = await testRuntime({ model, tools: [counted], storage });
  await after.send("what happened?");
  expect(ran).toBe(2);
  const texts = model.requests[0]?.messages.map(({ content }) => content);
  expect(texts).toEqual([
    expect.stringContaining("go"),
    undefined,
    "ran 1",
    "[tool] interrupted: it may or may not have taken effect",
    "what happened?",
  ]);
  const recorded = (await after.entries()).filter(({ meta }) => JSON.stringify(meta).includes("interrupted"));
  expect(recorded).toHaveLength(1);
});

/** The disk is full from the second tool result on. */
function failingAfterFirstResult(storage: TapeStorage): TapeStorage {
  let results = 0;
  return failingWhen(storage, ({ kind }) => {
    if (kind === "tool_result") results++;
    return results > 1;
  });
}

/** A disk that is full for batches that hold such an entry. */
function failingWhen(storage: TapeStorage, isTooMuch: (entry: TapeEntry) => boolean): TapeStorage {
  const open: typeof storage.tapes.open = async (id) => {
    const log = await storage.tapes.open(id);
    const append: typeof log.append = async (entries) => {
      if (entries.some(isTooMuch)) throw new BubError("config", "no space left");
      return log.append(entries);
    };
    return { ...methodsOf(log), append };
  };
  return { ...portsOf(storage), tapes: { ...methodsOf(storage.tapes), open } };
}

test("R3.3 a step is brought onto the disk once: before its tools run, or at its end where it has none", async () => {
  const seen: string[] = [];
  const storage = createMemoryStorage();
  const open: typeof storage.tapes.open = async (id) => {
    const log = await storage.tapes.open(id);
    const append: typeof log.append = async (entries) => {
      seen.push(...entries.map(({ kind, payload }) => (kind === "event" ? String(payload.name) : kind)));
      return log.append(entries);
    };
    return { ...methodsOf(log), append, sync: async () => void seen.push("sync") };
  };
  const tool = defineTool({ name: "run", description: "Run.", run: () => void seen.push("tool runs") });
  const model = scriptedModel([callTool("run"), say("done")]);
  await using runtime = await testRuntime({
    model,
    tools: [tool],
    storage: { ...portsOf(storage), tapes: { ...methodsOf(storage.tapes), open } },
  });
  await runtime.send("go");
  expect(seen.slice(seen.indexOf("tool_call"))).toEqual([
    ...["tool_call", "sync", "tool runs", "tool_result", "run"],
    ...["message", "run", "sync"],
  ]);
});

test("R1.8 pitfalls: what cannot be written onto the tape stays in the inbox, and the next turn reads it", async () => {
  const storage = createMemoryStorage();
  const full = failingWhen(storage, ({ meta }) => meta.inbox !== undefined);
  await using before = await testRuntime({ model: scriptedModel([say("never")]), storage: full });
  const tape = before.runtime.tapeIdOf("cli:test");
  await storage.inboxes.put(tape, { kind: "steer", payload: { content: "and be quick" }, meta: {} });
  expect((await before.send("go")).status).toBe("error");
  expect(await storage.inboxes.list(tape)).toHaveLength(1);
  const model = scriptedModel([say("understood")]);
  await using after = await testRuntime({ model, storage });
  expect((await after.send("again")).text).toBe("understood");
  expect(model.requests[0]?.messages.map(({ content }) => content)).toContain("and be quick");
  expect(await storage.inboxes.list(tape)).toEqual([]);
});

test("R1.8 an item that already stands on the tape is only deleted", async () => {
  const storage = createMemoryStorage();
  await using runtime = await testRuntime({ model: scriptedModel([say("one"), say("two")]), storage });
  const tape = runtime.runtime.tapeIdOf("cli:test");
  const item = await storage.inboxes.put(tape, { kind: "notification", payload: { content: "news" }, meta: {} });
  await runtime.send("first");
  // As after a crash between the append and the delete.
  await storage.inboxes.put(tape, { kind: "notification", payload: { content: "other" }, meta: {} });
  let left = [item];
  const inboxes: InboxPort = {
    ...methodsOf(storage.inboxes),
    list: async () => [...left, ...(await storage.inboxes.list(tape))],
    async remove(id, itemId) {
      left = left.filter((one) => one.id !== itemId);
      await storage.inboxes.remove(id, itemId);
    },
  };
  await using later = await testRuntime({
    model: scriptedModel([say("two")]),
    storage: { ...portsOf(storage), inboxes },
  });
  expect((await later.send("second")).errors).toEqual([]);
  const messages = (await later.entries())
    .filter(({ kind }) => kind === "message")
    .map(({ payload }) => payload.content);
  expect(messages.filter((content) => content === "news")).toHaveLength(1);
  expect(messages).toContain("other");
});

function portsOf({ tapes, leases, inboxes, tasks, media }: TapeStorage): TapeStorage {
  return { tapes, leases, inboxes, tasks, media, [Symbol.asyncDispose]: async () => undefined };
}

/** A port's methods as an object of functions, to replace some. */
function methodsOf<Port extends object>(port: Port): Port {
  const names = new Set([...Reflect.ownKeys(port), ...Reflect.ownKeys(Object.getPrototypeOf(port) as object)]);
  const bound = [...names].map((name) => [name, Reflect.get(port, name) as unknown] as const);
  return Object.fromEntries(
    bound.map(([name, value]) => [name, typeof value === "function" ? value.bind(port) : value]),
  ) as Port;
}
