import { getEventListeners, setMaxListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { CallGate } from "./call-gate.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolOutcome } from "./outcome.ts";
import { runCalls } from "./schedule.ts";
import { createToolset } from "./toolset.ts";

const toolset = createToolset(
  [
    defineTool({ name: "shared", description: "", run: () => 0 }),
    defineTool({ name: "alone", description: "", exclusive: true, run: () => 0 }),
  ].map((tool) => ({ tool, plugin: "demo" })),
);

/** Calls that run until they are told to end. */
class Stage {
  readonly running: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly run = ({ id, name }: { id: string; name: string }): Promise<ToolOutcome> => {
    this.running.push(id);
    return new Promise((resolve, reject) => {
      this.#ends.set(id, (error) => {
        this.running.splice(this.running.indexOf(id), 1);
        if (error !== undefined) return reject(error);
        resolve({ id, name, value: id, content: id, text: id, isError: false, status: "ok", elapsedMs: 1 });
      });
    });
  };

  end(id: string, error?: Error): void {
    this.#ends.get(id)?.(error);
    this.#ends.delete(id);
  }
}

const named = (...ids: string[]) => ids.map((id) => ({ id, name: id.startsWith("x") ? "alone" : "shared" }));
const quiet = { toolset, signal: new AbortController().signal, log: silentLogger };

/** Reads in the background what is yielded. */
function collect(outcomes: AsyncIterable<ToolOutcome>): { seen: ToolOutcome[]; done: Promise<void> } {
  const seen: ToolOutcome[] = [];
  const read = async () => {
    for await (const outcome of outcomes) seen.push(outcome);
  };
  return { seen, done: read() };
}

test("T0.8 all calls of a step start together, and each outcome comes when it is there", async () => {
  const stage = new Stage();
  const { seen, done } = collect(runCalls(named("a", "b", "c"), stage.run, quiet));
  await vi.waitFor(() => expect(stage.running).toEqual(["a", "b", "c"]));
  stage.end("c");
  await vi.waitFor(() => expect(seen.map(({ id }) => id)).toEqual(["c"]));
  stage.end("a");
  stage.end("b");
  await done;
  expect(seen.map(({ id }) => id)).toEqual(["c", "a", "b"]);
});

test("T0.8 at most 16 run at once by default, the next one starts when one ends", async () => {
  const stage = new Stage();
  const ids = Array.from({ length: 18 }, (_, index) => `c${index}`);
  const { done } = collect(runCalls(named(...ids), stage.run, quiet));
  await vi.waitFor(() => expect(stage.running).toHaveLength(16));
  stage.end("c3");
  await vi.waitFor(() => expect(stage.running).toContain("c16"));
  expect(stage.running).toHaveLength(16);
  for (const id of ids) {
    await vi.waitFor(() => expect(id === "c3" || stage.running.includes(id)).toBe(true));
    stage.end(id);
  }
  await done;
});

test("T0.8 maxConcurrency limits how many run at once", async () => {
  const stage = new Stage();
  const { done } = collect(runCalls(named("a", "b"), stage.run, { ...quiet, maxConcurrency: 1 }));
  await vi.waitFor(() => expect(stage.running).toEqual(["a"]));
  stage.end("a");
  await vi.waitFor(() => expect(stage.running).toEqual(["b"]));
  stage.end("b");
  await done;
});

test("T0.8 an exclusive tool waits for the earlier calls of its step and holds the later ones", async () => {
  const stage = new Stage();
  const { done } = collect(runCalls(named("a", "b", "x1", "c", "x2"), stage.run, quiet));
  await vi.waitFor(() => expect(stage.running).toEqual(["a", "b"]));
  stage.end("b");
  await Promise.resolve();
  expect(stage.running).toEqual(["a"]);
  stage.end("a");
  await vi.waitFor(() => expect(stage.running).toEqual(["x1"]));
  stage.end("x1");
  await vi.waitFor(() => expect(stage.running).toEqual(["c"]));
  stage.end("c");
  await vi.waitFor(() => expect(stage.running).toEqual(["x2"]));
  stage.end("x2");
  await done;
});

test("T0.8 one failure does not cancel the others", async () => {
  const stage = new Stage();
  const { seen, done } = collect(runCalls(named("a", "b"), stage.run, quiet));
  await vi.waitFor(() => expect(stage.running).toHaveLength(2));
  stage.end("a", new Error("disk gone"));
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  stage.end("b");
  await done;
  expect(seen).toMatchObject([
    { id: "a", status: "error", text: "[tool] Tool 'shared' execution failed.\nerror: Error: disk gone" },
    { id: "b", status: "ok" },
  ]);
});

test("T0.8 when cancelled, calls that did not start are cancelled without running", async () => {
  const stage = new Stage();
  const controller = new AbortController();
  const { seen, done } = collect(runCalls(named("x1", "a", "b"), stage.run, { ...quiet, signal: controller.signal }));
  await vi.waitFor(() => expect(stage.running).toEqual(["x1"]));
  controller.abort();
  stage.end("x1");
  await done;
  expect(seen.map(({ id, status }) => [id, status])).toEqual([
    ["x1", "ok"],
    ["a", "cancelled"],
    ["b", "cancelled"],
  ]);
  expect(seen[1]).toMatchObject({ text: "[tool] cancelled", isError: true });
  expect(stage.running).toEqual([]);
});

test("R1.7 a call still silent 800 ms after the cancel is abandoned and logged", async () => {
  vi.useFakeTimers();
  try {
    const stage = new Stage();
    const controller = new AbortController();
    const warn = vi.fn();
    const log = { ...silentLogger, warn };
    const { seen, done } = collect(runCalls(named("a", "b"), stage.run, { ...quiet, log, signal: controller.signal }));
    await vi.waitFor(() => expect(stage.running).toHaveLength(2));
    controller.abort();
    await vi.advanceTimersByTimeAsync(799);
    expect(seen).toEqual([]);
    stage.end("b");
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(seen.map(({ id, status }) => [id, status])).toEqual([
      ["b", "ok"],
      ["a", "cancelled"],
    ]);
    expect(warn).toHaveBeenCalledOnce();
    stage.end("a", new Error("too late"));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a step whose turn is already cancelled runs nothing", async () => {
  const stage = new Stage();
  const { seen, done } = collect(runCalls(named("a"), stage.run, { ...quiet, signal: AbortSignal.abort() }));
  await done;
  expect(seen).toMatchObject([{ id: "a", status: "cancelled" }]);
});

test("a finished step leaves no listener and no timer behind", async () => {
  vi.useFakeTimers();
  try {
    const { signal } = new AbortController();
    setMaxListeners(1, signal);
    const added = vi.spyOn(signal, "addEventListener");
    const run = async ({ id, name }: { id: string; name: string }) =>
      ({ id, name, value: 1, content: "", text: "", isError: false, status: "ok", elapsedMs: 0 }) as const;
    await collect(runCalls(named("a", "b", "c"), run, { ...quiet, signal })).done;
    expect(added).toHaveBeenCalledOnce();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("T0.8 a gate of its own makes nested exclusive calls wait only for the other calls of the same code", async () => {
  const gate = new CallGate();
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const pass = (name: string, exclusive: boolean) =>
    gate.pass(exclusive, async () => {
      order.push(`${name} in`);
      await new Promise<void>((end) => ends.push(end));
      order.push(`${name} out`);
    });
  const all = [pass("a", false), pass("x", true), pass("b", false)];
  const other = new CallGate().pass(true, async () => void order.push("elsewhere"));
  await other;
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  expect(order).toEqual(["a in", "elsewhere", "a out", "x in", "x out", "b in", "b out"]);
});

test("a gate lets the next in also after a failure", async () => {
  const gate = new CallGate(1);
  await expect(gate.pass(true, () => Promise.reject(new Error("x")))).rejects.toThrow("x");
  expect(await gate.pass(false, async () => 5)).toBe(5);
});
