import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { definePlugin } from "../../kernel/plugin.ts";
import { createRuntime } from "../../kernel/runtime.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { say, scriptedModel } from "../../testing/scripted-model.ts";
import { defaults } from "../defaults.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-home-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const model = () => {
  const scripted = scriptedModel([say("hello")]);
  return definePlugin({ name: "scripted", provideModels: () => [{ provider: "scripted", create: () => scripted }] });
};
const inbound = { channel: "cli", chatId: "local", content: "hi" };

test("R3.1 a turn's tape is a file below the home directory, readable by its owner alone, and in the index", async () => {
  await using runtime = await createRuntime({
    plugins: [...defaults, model()],
    settings: { home, model: "scripted:test" },
    env: {},
    workspace: home,
  });
  for await (const _event of runtime.run(inbound));
  const files = readdirSync(join(home, "tapes")).filter((name) => name.endsWith(".jsonl"));
  expect(files.sort()).toEqual([`${runtime.tapeIdOf("cli:local")}.jsonl`, "index.jsonl"].sort());
  for (const file of files) expect(statSync(join(home, "tapes", file)).mode & 0o777).toBe(0o600);
  expect(await runtime.storage.tapes.sessions()).toMatchObject([
    { session: "cli:local", workspace: runtime.workspace },
  ]);
});

test("R3.6 provideTapeStore replaces tapes, leases, inboxes and media at once", async () => {
  const storage = createMemoryStorage();
  const memory = definePlugin({ name: "memory", provideTapeStore: () => storage });
  await using runtime = await createRuntime({
    plugins: [...defaults, model(), memory],
    settings: { home, model: "scripted:test" },
    env: {},
  });
  for await (const _event of runtime.run(inbound));
  const tape = runtime.tapeIdOf("cli:local");
  expect(await storage.tapes.sessions()).toMatchObject([{ tape, session: "cli:local" }]);
  await runtime.storage.inboxes.put(tape, { kind: "steer", payload: {}, meta: {} });
  expect(await storage.inboxes.list(tape)).toHaveLength(1);
  expect(runtime.storage.media).toBe(storage.media);
  expect(readdirSync(home)).toEqual([]);
});
