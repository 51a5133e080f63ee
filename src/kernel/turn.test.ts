import { expect, test } from "vitest";
import { CancelledError } from "../base/abort.ts";
import { BubError } from "../base/errors.ts";
import type { StreamEvent } from "../base/events.ts";
import { newRunId } from "../base/ids.ts";
import type { ModelRequest } from "../model/model.ts";
import { calls, callTool, say, scriptedModel } from "../testing/scripted-model.ts";
import { testRuntime } from "../testing/test-runtime.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { Outbound } from "./envelope.ts";
import { definePlugin } from "./plugin.ts";
import { runChild } from "./turn.ts";

test("R1.2 the pipeline runs its stages in order, each a hook that a later plugin can take over", async () => {
  const stages: string[] = [];
  const sent: Outbound[] = [];
  const plugin = definePlugin({
    name: "watching",
    resolveSession(inbound) {
      stages.push("resolveSession");
      return `my-${inbound.chatId}`;
    },
    loadState() {
      stages.push("loadState");
      return {};
    },
    buildPrompt(inbound) {
      stages.push("buildPrompt");
      return { kind: "message", content: `${inbound.content}?` };
    },
    runModel() {
      stages.push("runModel");
      return undefined;
    },
    saveState(_turn, outcome) {
      stages.push(`saveState ${outcome.status}`);
    },
    renderOutbound(outcome, turn) {
      stages.push("renderOutbound");
      const { channel, chatId } = turn.inbound;
      return [{ channel, chatId, sessionId: turn.sessionId, kind: "answer", text: outcome.text }];
    },
    dispatchOutbound(outbound) {
      stages.push("dispatchOutbound");
      sent.push(outbound);
      return true;
    },
  });
  const model = scriptedModel([say("hello")]);
  await using runtime = await testRuntime({ model, plugins: [plugin] });
  const turn = await runtime.send("hi");
  expect(stages).toEqual([
    "resolveSession",
    "loadState",
    "buildPrompt",
    "runModel",
    "saveState ok",
    "renderOutbound",
    "dispatchOutbound",
  ]);
  expect(turn.events[0]?.session_id).toBe("my-test");
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "hi?" }]);
  expect(sent).toEqual([{ channel: "cli", chatId: "test", sessionId: "my-test", kind: "answer", text: "hello" }]);
});

const failing = [
  "resolveSession",
  "loadState",
  "buildPrompt",
  "runModel",
  "renderOutbound",
  "dispatchOutbound",
] as const;

test.each(failing)(
  "R1.5 a failure in %s is one plain sentence, told to onError, and the next turn works",
  async (hook) => {
    let broken = true;
    const told: unknown[] = [];
    const saved: string[] = [];
    const plugin = definePlugin({
      name: "breaking",
      [hook]: () => {
        if (broken) throw new BubError("config", "the cellar is flooded");
        return hook === "renderOutbound" ? [] : undefined;
      },
      ...(hook === "dispatchOutbound" && {
        renderOutbound: () => [{ channel: "cli", chatId: "test", sessionId: "s", kind: "answer" as const, text: "x" }],
      }),
      saveState: (_turn, outcome) => void saved.push(outcome.status),
      onError: (stage, _error, inbound) => void told.push([stage, inbound.content]),
    });
    await using runtime = await testRuntime({ model: scriptedModel([say("a"), say("b")]), plugins: [plugin] });
    const turn = await runtime.send("hi");
    expect(turn.status).toBe("error");
    expect(turn.errors).toEqual([expect.stringMatching(/the cellar is flooded/)]);
    expect(turn.errors[0]).not.toContain("    at ");
    expect(told).toEqual([[hook, "hi"]]);
    if (hook !== "resolveSession") expect(saved).toHaveLength(1);
    broken = false;
    expect((await runtime.send("again")).status).toBe("ok");
  },
);

test("R1.5 secrets do not appear in error messages", async () => {
  const plugin = definePlugin({
    name: "leaking",
    buildPrompt() {
      throw new Error("cannot log in with sk-very-secret");
    },
  });
  await using runtime = await testRuntime({
    model: scriptedModel([]),
    plugins: [plugin],
    env: { MY_API_KEY: "sk-very-secret" },
    settings: { logLevel: "debug" },
  });
  const turn = await runtime.send("hi");
  expect(turn.errors[0]).toContain("cannot log in with ***");
  expect(runtime.log.join("\n")).not.toContain("sk-very-secret");
});

test("R1.5 what a model fails with is told to onError, without secrets, and the tape holds none either", async () => {
  const told: unknown[] = [];
  const plugin = definePlugin({
    name: "listening",
    onError: (stage, error, inbound) =>
      void told.push([stage, (error as BubError).kind, String(error), inbound.content]),
  });
  const refuse = () => {
    throw new Error("the key sk-very-secret is not good");
  };
  const model = scriptedModel([refuse, say("ok")]);
  await using runtime = await testRuntime({ model, plugins: [plugin], env: { MY_API_KEY: "sk-very-secret" } });
  const turn = await runtime.send("hi");
  expect(turn.errors).toEqual([expect.stringContaining("the key *** is not good")]);
  expect(told).toEqual([["runModel", expect.any(String), expect.stringContaining("the key *** is not good"), "hi"]]);
  expect(JSON.stringify(await runtime.entries())).not.toContain("sk-very-secret");
  await runtime.send("again");
  expect(told).toHaveLength(1);
});

test("R1.5 a run that never says how it ended is an error", async () => {
  const plugin = definePlugin({ name: "silent", async *runModel() {} });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  const turn = await runtime.send("hi");
  expect(turn).toMatchObject({ status: "error", errors: ["the run ended without a final event"] });
});

test("R1.5 an error is delivered to the channel that the message came from", async () => {
  const sent: Outbound[] = [];
  const plugin = definePlugin({
    name: "sending",
    loadState() {
      throw new Error("no state");
    },
    dispatchOutbound(outbound) {
      sent.push(outbound);
      return true;
    },
  });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  await runtime.send("hi", { channel: "telegram", chatId: "7" });
  expect(sent).toMatchObject([
    { channel: "telegram", chatId: "7", kind: "error", text: expect.stringContaining("no state") },
  ]);
});

test("R1.6 turns of one session never overlap, those of two sessions may", async () => {
  const running = new Set<string>();
  const overlaps: string[] = [];
  let meet: (() => void) | undefined;
  const bothRun = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const busy = defineTool({
    name: "busy",
    description: "Be busy.",
    async run(_args, { turn }) {
      if (running.has(turn.sessionId)) overlaps.push(turn.sessionId);
      running.add(turn.sessionId);
      if (running.size === 2) meet?.();
      await bothRun;
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(turn.sessionId);
      return "done";
    },
  });
  const model = scriptedModel(
    Array.from(
      { length: 12 },
      () => (request) => (request.messages.at(-1)?.role === "tool" ? say("ok") : callTool("busy")),
    ),
  );
  await using runtime = await testRuntime({ model, tools: [busy] });
  await Promise.all(["a", "a", "a", "b", "b", "b"].map((chatId) => runtime.send("go", { chatId })));
  expect(overlaps).toEqual([]);
});

const answerAfterTool = ({ messages }: ModelRequest) =>
  messages.at(-1)?.role === "tool" ? say("done") : callTool("tape_info");

const deafHooks = [
  "resolveSession",
  "provideEnvironment",
  "loadState",
  "buildPrompt",
  "prepareMessage",
  "systemPrompt",
  "prepareTools",
  "beforeModelCall",
  "afterModelCall",
  "beforeToolCall",
  "afterToolCall",
  "continueRun",
  "saveState",
  "renderOutbound",
  "dispatchOutbound",
] as const;

test.concurrent.each(deafHooks)(
  "R1.7 %s that never returns after a cancel is abandoned and logged, and the next turn works",
  async (hook) => {
    let deaf = true;
    let cancelledAt = 0;
    const cancel = new AbortController();
    const plugin = definePlugin({
      name: "deaf",
      [hook]() {
        if (!deaf) return undefined;
        cancelledAt = performance.now();
        queueMicrotask(() => cancel.abort(new CancelledError()));
        return new Promise(() => undefined);
      },
    });
    const model = scriptedModel(Array.from({ length: 4 }, () => answerAfterTool));
    await using runtime = await testRuntime({ model, plugins: [plugin], settings: { logLevel: "warn" } });
    const { status } = await runtime.send("hi", { signal: cancel.signal });
    // A turn that had its answer already is as good as it was.
    expect(status).toBe(hook === "saveState" ? "ok" : "cancelled");
    expect(performance.now() - cancelledAt).toBeLessThan(1500);
    expect(runtime.log.join("\n")).toMatch(/abandoned|left behind/);
    deaf = false;
    expect((await runtime.send("hi")).status).toBe("ok");
  },
);

test("R1.7 a deaf onError does not keep a turn either; all stages of one cancel share one grace", async () => {
  const cancel = new AbortController();
  let cancelledAt = 0;
  const never = () => new Promise<undefined>(() => undefined);
  const plugin = definePlugin({
    name: "deaf",
    loadState: () => {
      throw new Error("no state");
    },
    onError() {
      cancelledAt = performance.now();
      queueMicrotask(() => cancel.abort(new CancelledError()));
      return never() as Promise<never>;
    },
    saveState: never as () => Promise<never>,
    renderOutbound: never,
    dispatchOutbound: never,
  });
  await using runtime = await testRuntime({ model: scriptedModel([]), plugins: [plugin] });
  await runtime.send("hi", { signal: cancel.signal });
  expect(performance.now() - cancelledAt).toBeLessThan(1500);
});

test("R1.5 a key in an error of a plugin's own run is shown to nobody", async () => {
  const own = definePlugin({
    name: "own",
    async *runModel(_prompt, turn) {
      const place = { turn_id: turn.turnId, run_id: newRunId(), session_id: turn.sessionId, step: 1, date: "now" };
      yield { type: "error", kind: "tool", message: "not with sk-very-secret", ...place };
      yield { type: "final", ok: false, status: "error", text: "", ...place };
    },
  });
  await using runtime = await testRuntime({ plugins: [own], env: { OPENAI_API_KEY: "sk-very-secret" } });
  const { errors, events } = await runtime.send("go");
  expect(errors).toEqual(["not with ***"]);
  expect(JSON.stringify(events)).not.toContain("sk-very-secret");
});

test("leaving a turn's events early cancels it and frees the session", async () => {
  let aborted = false;
  let begin: (value: string) => void = () => undefined;
  const begun = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const first = defineTool({ name: "first", description: "Wait for the other to begin.", run: () => begun });
  const hang = defineTool({
    name: "hang",
    description: "Wait.",
    run: (_args, { signal }) =>
      new Promise((_, reject) => {
        begin("it did");
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
  });
  await using runtime = await testRuntime({
    model: scriptedModel([calls(callTool("first"), callTool("hang")), say("next")]),
    tools: [first, hang],
  });
  for await (const event of runtime.runtime.run({ channel: "cli", chatId: "test", content: "go" })) {
    if (event.type === "tool-result") break;
  }
  expect((await runtime.send("again")).text).toBe("next");
  expect(aborted).toBe(true);
});

test("a child's turn has its own tape and tools, no decoration, no commands and no outbounds", async () => {
  const sent: Outbound[] = [];
  const plugin = definePlugin({
    name: "parent",
    buildPrompt: () => ({ kind: "message", content: "decorated" }),
    renderOutbound: () => {
      throw new Error("a child has no outbounds");
    },
    dispatchOutbound: (outbound) => {
      sent.push(outbound);
      return true;
    },
  });
  const model = scriptedModel([say("child's answer")]);
  await using runtime = await testRuntime({ model, plugins: [plugin] });
  const events: StreamEvent[] = [];
  const request = {
    sessionId: "child",
    prompt: { kind: "message", content: ",quit" },
    toolScope: { allowedTools: ["fs.read"], allowedSkills: [] },
    inbound: { channel: "cli", chatId: "test", content: "the parent's" },
    signal: new AbortController().signal,
  } as const;
  for await (const event of runChild(request, runtime.runtime)) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: "final", ok: true, text: "child's answer", session_id: "child" });
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: ",quit" }]);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["fs_read"]);
  expect(sent).toEqual([]);
  expect((await runtime.entries("child")).some(({ payload }) => payload.content === ",quit")).toBe(true);
  expect(await runtime.entries()).toEqual([]);
});
