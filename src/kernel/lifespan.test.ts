import { expect, test } from "vitest";
import { createMemoryStorage } from "../tape/memory-store.ts";
import type { Hooks } from "./hooks.ts";
import { definePlugin, type PluginSource } from "./plugin.ts";
import { createRuntime } from "./runtime.ts";

const storage = definePlugin({ name: "storage", provideTapeStore: () => createMemoryStorage() });

const open = (plugins: PluginSource[], lines: string[] = []) =>
  createRuntime({
    plugins: [storage, ...plugins],
    settings: { home: "/nowhere" },
    env: {},
    writeLog: (line) => void lines.push(line),
  });

const living = (name: string, lifespan: Hooks["lifespan"]) => definePlugin({ name, lifespan });

/** Notes that it was stopped. */
const stopping = (name: string, stopped: string[]) =>
  living(name, () => ({
    async [Symbol.asyncDispose]() {
      stopped.push(name);
    },
  }));

test("R1.4 what plugins start lives as long as the runtime, and is stopped newest first", async () => {
  const stopped: string[] = [];
  const runtime = await open([stopping("one", stopped), stopping("two", stopped)]);
  expect(stopped).toEqual([]);
  await runtime[Symbol.asyncDispose]();
  expect(stopped).toEqual(["two", "one"]);
});

test("R1.4 when the runtime ends, plugins still have its storage, and its signal has said so", async () => {
  let isEnding: boolean | undefined;
  const runtime = await open([
    living("last", (given) => ({
      async [Symbol.asyncDispose]() {
        isEnding = given.ending.aborted;
        await given.storage.inboxes.list(given.tapeIdOf("cli:local"));
      },
    })),
  ]);
  await runtime[Symbol.asyncDispose]();
  expect(isEnding).toBe(true);
});

test("R1.4 a plugin that fails to stop does not keep the others from stopping", async () => {
  const stopped: string[] = [];
  const broken = living("broken", () => ({
    async [Symbol.asyncDispose]() {
      throw new Error("stuck");
    },
  }));
  const runtime = await open([stopping("one", stopped), broken, stopping("two", stopped)]);
  await expect(runtime[Symbol.asyncDispose]()).rejects.toThrow("stuck");
  expect(stopped).toEqual(["two", "one"]);
});

test("R1.7 a plugin that never stops is left behind with a line in the log, and the others stop", async () => {
  const stopped: string[] = [];
  const lines: string[] = [];
  const sticky = living("sticky", () => ({ [Symbol.asyncDispose]: () => new Promise<void>(() => undefined) }));
  const runtime = await open([stopping("one", stopped), sticky, stopping("two", stopped)], lines);
  await runtime[Symbol.asyncDispose]();
  expect(stopped).toEqual(["two", "one"]);
  expect(lines).toEqual([
    expect.stringContaining("what the plugin sticky started did not end in time and is left behind"),
  ]);
});

test("R1.5 a plugin that fails to start is logged, the others start and stop", async () => {
  const stopped: string[] = [];
  const lines: string[] = [];
  const broken = living("broken", () => {
    throw new Error("no socket");
  });
  const runtime = await open([broken, stopping("two", stopped)], lines);
  expect(lines).toEqual([expect.stringMatching(/"plugin":"broken".*"hook":"lifespan".*no socket/)]);
  await runtime[Symbol.asyncDispose]();
  expect(stopped).toEqual(["two"]);
});
