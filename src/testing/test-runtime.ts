// A whole runtime in memory for tests: scripted answers in, what happened out.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Content } from "../base/content.ts";
import type { StepStatus, StreamEvent } from "../base/events.ts";
import type { Environment } from "../environment/environment.ts";
import { createMemoryEnvironment } from "../environment/memory.ts";
import type { Inbound } from "../kernel/envelope.ts";
import { definePlugin, type PluginSource } from "../kernel/plugin.ts";
import { createRuntime, type Runtime } from "../kernel/runtime.ts";
import type { Settings } from "../kernel/settings.ts";
import type { Model } from "../model/model.ts";
import { defaults } from "../plugins/defaults.ts";
import type { TapeEntry } from "../tape/entry.ts";
import { createMemoryStorage } from "../tape/memory-store.ts";
import type { TapeStorage } from "../tape/store.ts";
import type { Tool } from "../tools/tool.ts";

export interface TestRuntimeOptions {
  model?: Model;
  tools?: readonly Tool[];
  /** Asked before the builtin plugins. */
  plugins?: readonly PluginSource[];
  settings?: Partial<Settings>;
  /** Default: in memory. Pass one to a second runtime for a restart. */
  storage?: TapeStorage;
  /** Default: files in memory, no processes. `null`: this machine. */
  environment?: Environment | null;
  workspace?: string;
  clock?: Clock;
  env?: Readonly<Record<string, string | undefined>>;
}

/** One finished turn. */
export interface TestTurn {
  readonly events: readonly StreamEvent[];
  readonly text: string;
  readonly status: StepStatus;
  /** The messages of its error events. */
  readonly errors: readonly string[];
  readonly notices: readonly string[];
  readonly toolResults: readonly Extract<StreamEvent, { type: "tool-result" }>[];
}

export interface TestRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly storage: TapeStorage;
  /** Log lines so far. */
  readonly log: readonly string[];
  /** Runs one turn to its end. */
  send(content: Content, options?: SendOptions): Promise<TestTurn>;
  /** Every entry of a session's tape. */
  entries(sessionId?: string): Promise<readonly TapeEntry[]>;
}

export interface SendOptions extends Partial<Omit<Inbound, "content">> {
  signal?: AbortSignal;
  onEvent?: (event: StreamEvent) => void;
}

const session = "cli:test";

/** Dispose it: `await using runtime = await testRuntime({ model: scriptedModel([say("hi")]) })`. */
export async function testRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const { model, tools = [], plugins = [], settings, workspace, clock, env = {} } = options;
  const storage = options.storage ?? createMemoryStorage({ clock });
  const environment =
    options.environment === undefined ? createMemoryEnvironment({ workspace: "/work" }) : options.environment;
  const log: string[] = [];
  const own = definePlugin({
    name: "test",
    provideTapeStore: () => keptOpen(storage),
    provideTools: () => tools,
    ...(environment !== null && { provideEnvironment: () => environment }),
    ...(model !== undefined && { provideModels: () => [{ provider: model.provider, create: () => model }] }),
  });
  const runtime = await createRuntime({
    plugins: [...defaults, own, ...plugins],
    // A place where nothing is: no settings are read, and what wants to write there has to make it.
    settings: {
      home: join(tmpdir(), `bub-test-${process.pid}`),
      ...settings,
      ...(model !== undefined && { model: nameOf(model) }),
    },
    workspace,
    env,
    clock,
    writeLog: (line) => void log.push(line),
  });
  return {
    runtime,
    storage,
    log,
    send: (content, send) => sendAll(runtime, content, send),
    entries: (sessionId = session) => entriesOf(storage, runtime, sessionId),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

async function sendAll(runtime: Runtime, content: Content, options: SendOptions = {}): Promise<TestTurn> {
  const { signal, onEvent, ...rest } = options;
  const inbound: Inbound = { channel: "cli", chatId: "test", commands: true, ...rest, content };
  const events: StreamEvent[] = [];
  for await (const event of runtime.run(inbound, { signal })) {
    events.push(event);
    onEvent?.(event);
  }
  return turnOf(events);
}

function turnOf(events: readonly StreamEvent[]): TestTurn {
  const final = events.find((event) => event.type === "final");
  if (final === undefined) throw new Error("the turn ended without a final event");
  return {
    events,
    text: final.text,
    status: final.status,
    errors: events.flatMap((event) => (event.type === "error" ? [event.message] : [])),
    notices: events.flatMap((event) => (event.type === "notice" ? [event.message] : [])),
    toolResults: events.filter((event) => event.type === "tool-result"),
  };
}

async function entriesOf(storage: TapeStorage, runtime: Runtime, sessionId: string): Promise<readonly TapeEntry[]> {
  await using log = await storage.tapes.open(runtime.tapeIdOf(sessionId));
  const entries: TapeEntry[] = [];
  for await (const entry of log.forward()) entries.push(entry);
  return entries;
}

/** Whoever made the storage looks into it after the runtime has ended. */
function keptOpen(storage: TapeStorage): TapeStorage {
  const { tapes, leases, inboxes, tasks, media, shelf } = storage;
  return { tapes, leases, inboxes, tasks, media, shelf, [Symbol.asyncDispose]: async () => undefined };
}

function nameOf({ provider, modelId }: Model): string {
  return `${provider}:${modelId}`;
}
