import { expect, test } from "vitest";
import { silentLogger } from "../base/log.ts";
import { HookRunner } from "./hook-runner.ts";
import { HookTrace } from "./hook-trace.ts";
import type { Plugin } from "./plugin.ts";

/** A clock that hooks turn themselves. */
function handClock() {
  let at = 0;
  const pass = (milliseconds: number) => {
    at += milliseconds;
  };
  return { now: () => at, pass };
}

test("R1.4 a trace counts each plugin's calls of each hook, their time and the slowest, slowest first", async () => {
  const clock = handClock();
  const trace = new HookTrace(clock.now);
  const slow: Plugin = {
    name: "slow",
    systemPrompt: async () => {
      await Promise.resolve();
      clock.pass(30);
      return "1";
    },
  };
  let took = 5;
  const quick: Plugin = { name: "quick", systemPrompt: () => void clock.pass(took), resolveSession: () => "a" };
  const hooks = new HookRunner([slow, quick], silentLogger, trace);
  await hooks.collect("systemPrompt", {} as never);
  took = 2;
  await hooks.collect("systemPrompt", {} as never);
  expect(await hooks.first("resolveSession", {} as never, {} as never)).toBe("a");
  expect(trace.timings()).toEqual([
    { plugin: "slow", hook: "systemPrompt", count: 2, total_ms: 60, slowest_ms: 30 },
    { plugin: "quick", hook: "systemPrompt", count: 2, total_ms: 7, slowest_ms: 5 },
    { plugin: "quick", hook: "resolveSession", count: 1, total_ms: 0, slowest_ms: 0 },
  ]);
});

test("R1.4 a traced stream counts until its end, and a failing hook counts too", async () => {
  const clock = handClock();
  const trace = new HookTrace(clock.now);
  const plugin: Plugin = {
    name: "own",
    async *runModel() {
      clock.pass(10);
      yield { type: "text-delta", delta: "a" } as never;
      clock.pass(10);
    },
    resolveSession: () => {
      clock.pass(1);
      throw new Error("who?");
    },
    buildPrompt: () => Promise.reject(new Error("what?")),
  };
  const hooks = new HookRunner([plugin], silentLogger, trace);
  const stream = hooks.firstStream({} as never, {} as never) ?? [];
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  await expect(hooks.first("resolveSession", {} as never, {} as never)).rejects.toThrow("who?");
  await expect(hooks.first("buildPrompt", {} as never, {} as never)).rejects.toThrow("what?");
  expect(events).toHaveLength(1);
  expect(trace.timings()).toMatchObject([
    { hook: "runModel", count: 1, total_ms: 20 },
    { hook: "resolveSession", count: 1, total_ms: 1 },
    { hook: "buildPrompt", count: 1, total_ms: 0 },
  ]);
});
