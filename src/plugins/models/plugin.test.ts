import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createRuntime, type Runtime } from "../../kernel/runtime.ts";
import type { Settings } from "../../kernel/settings.ts";
import type { Model, ModelEvent, ModelMessage } from "../../model/model.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { events, startFaultServer } from "../../testing/fault-server.ts";
import { modelsPlugin } from "./plugin.ts";

const home = mkdtempSync(join(tmpdir(), "bub-models-"));
afterAll(() => rmSync(home, { recursive: true }));

function runtimeWith(settings: Partial<Settings>, env: Record<string, string> = {}): Promise<Runtime> {
  const storage = { name: "memory", provideTapeStore: () => createMemoryStorage() };
  return createRuntime({
    plugins: [modelsPlugin, storage],
    settings: { home, ...settings },
    env,
    workspace: home,
    writeLog: () => undefined,
  });
}

async function create(runtime: Runtime, provider: string, modelId: string): Promise<Model | undefined> {
  const [models] = await runtime.hooks.collect("provideModels", runtime);
  return models?.answer[0]?.create(modelId, runtime, provider);
}

describe("R4.1 the models plugin", () => {
  test("makes any provider's models, once each, with their key masked and its variable known", async () => {
    await using runtime = await runtimeWith({}, { OPENROUTER_API_KEY: "sk-or-abcdef" });
    const model = await create(runtime, "openrouter", "a/b");
    expect(model).toMatchObject({ provider: "openrouter", modelId: "a/b" });
    expect(await create(runtime, "openrouter", "a/b")).toBe(model);
    expect(runtime.mask.mask("sk-or-abcdef")).toBe("***");
  });

  test("says what is missing, and asks again after it was set", async () => {
    await using runtime = await runtimeWith({});
    for (let time = 0; time < 2; time++)
      await expect(create(runtime, "openrouter", "a/b")).rejects.toMatchObject({ kind: "config" });
  });

  test("R4.2 reads scripts from the workspace", async () => {
    writeFileSync(join(home, "script.yaml"), "- hello\n");
    await using runtime = await runtimeWith({});
    expect(await create(runtime, "scripted", "script.yaml")).toMatchObject({ provider: "scripted" });
  });

  test("R4.2 the script of the page works", async () => {
    const page = readFileSync(new URL("../../../docs/plugins/models.md", import.meta.url), "utf8");
    writeFileSync(join(home, "demo.yaml"), /```yaml\n(# demo\.yaml[\s\S]*?)```/.exec(page)?.[1] ?? "");
    await using runtime = await runtimeWith({});
    const model = await create(runtime, "scripted", "demo.yaml");
    const called: ModelMessage[] = [
      { role: "user", content: "what is here?" },
      { role: "assistant", content: "Let me look.", calls: [{ id: "a", name: "bash", arguments: { command: "ls" } }] },
      { role: "tool", callId: "a", name: "bash", content: "a.txt", isError: false },
    ];
    const signal = new AbortController().signal;
    const ask = (messages: readonly ModelMessage[]) =>
      model?.stream({ system: "", messages, tools: [], maxTokens: 1, loadMedia: async () => "", signal }) ?? [];
    const events: ModelEvent[] = [];
    for await (const event of ask(called.slice(0, 1))) events.push(event);
    for await (const event of ask(called)) events.push(event);
    expect(events).toMatchObject([
      { delta: "Let me look." },
      { name: "bash", arguments: '{"command":"ls"}' },
      { reason: "tool-calls" },
      { delta: "There is:\na.txt" },
      { reason: "stop" },
    ]);
  });

  test("its connections end with the runtime", async () => {
    await using server = await startFaultServer([
      events('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'),
    ]);
    await using runtime = await runtimeWith({ apiBase: server.url });
    const model = await create(runtime, "openai", "m");
    const request = {
      system: "",
      messages: [],
      tools: [],
      maxTokens: 1,
      loadMedia: async () => "",
      signal: new AbortController().signal,
    };
    for await (const _ of model?.stream(request) ?? []);
    expect(server.connections).toBe(1);
    await runtime[Symbol.asyncDispose]();
    await server.idle();
  });
});
