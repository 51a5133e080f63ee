// An agent for programs: a runtime with the builtin plugins and what the program brings of its own.
import type { Content } from "./base/content.ts";
import type { Emitter } from "./base/emitter.ts";
import type { BusEvents, StreamEvent } from "./base/events.ts";
import type { Environment } from "./environment/environment.ts";
import type { Ask } from "./kernel/envelope.ts";
import { Gateway } from "./kernel/gateway.ts";
import { definePlugin, type PluginSource } from "./kernel/plugin.ts";
import { createRuntime, type Runtime, type RuntimeOptions } from "./kernel/runtime.ts";
import { forkSession, type SessionFork } from "./kernel/session-fork.ts";
import type { Model } from "./model/model.ts";
import { defaults } from "./plugins/defaults.ts";
import type { TapeStorage } from "./tape/store.ts";
import type { Tool } from "./tools/tool.ts";

export interface AgentOptions extends Omit<RuntimeOptions, "plugins"> {
  /** `provider:model`, or a model of your own; above what a session's `,model` chose. Default: the session's, then the settings'. */
  model?: string | Model;
  /** Added to the builtin tools; one of the same name replaces it. */
  tools?: readonly Tool[];
  /** Asked before the builtin plugins. */
  plugins?: readonly PluginSource[];
  /** Where tapes are kept; files below the home directory by default. */
  storage?: TapeStorage;
  /** Where tools act; this machine by default, without a sandbox. */
  environment?: Environment;
}

export interface AgentRequest {
  /** The conversation; kept under this name. */
  sessionId: string;
  prompt: Content;
  /** Cancels the turn; it ends within a second, with `final` as its last event. */
  signal?: AbortSignal;
  /** True: a prompt that starts with the prefix is a text command. */
  commands?: boolean;
  model?: string;
  reasoningEffort?: string;
  /** Names or aliases of the tools that exist in this run; all by default. */
  allowedTools?: readonly string[];
  allowedSkills?: readonly string[];
  /** Answers the questions of approvals; without it they are refused. */
  ask?: Ask;
}

export interface Agent extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly events: Emitter<BusEvents>;
  /** Runs one turn. Events end with `final`; failures are events, too. Leaving the loop early cancels the turn. */
  run(request: AgentRequest): AsyncGenerator<StreamEvent, void>;
  /**
   * Copies a session as it is now, to try something on: run turns of the copy's `sessionId`, then `merge()` them into the
   * session, or only dispose the copy.
   */
  fork(sessionId: string): Promise<SessionFork>;
  /** Puts a message into the session's run; without one it starts a turn. */
  steer(sessionId: string, message: Content): Promise<void>;
}

const channel = "sdk";

/**
 * Opens an agent. Dispose it: `await using agent = await createAgent(…)`.
 * @throws BubError `config` for settings, a workspace or storage that cannot be used
 */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  const { model, settings, plugins = [], ...rest } = options;
  const modelId = typeof model === "object" ? `${model.provider}:${model.modelId}` : model;
  const runtime = await createRuntime({
    ...rest,
    plugins: [...defaults, ownPlugin(options), ...plugins],
    settings: { ...settings, ...(modelId !== undefined && { model: modelId }) },
  });
  // What the program gives is above a session's settings, as a flag is.
  const given = { model: modelId ?? settings?.model, reasoningEffort: settings?.reasoningEffort };
  const stop = new AbortController();
  const gateway = new Gateway(runtime, { signal: stop.signal, show: () => undefined });
  return {
    runtime,
    events: runtime.events,
    async *run({ sessionId, prompt, signal, model = given.model, reasoningEffort = given.reasoningEffort, ...turn }) {
      const left = new AbortController();
      const ended = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
      const choice = { model, reasoningEffort };
      const inbound = { channel, chatId: sessionId, sessionId, content: prompt, ...turn, ...choice };
      try {
        yield* runtime.run(inbound, { signal: ended });
      } finally {
        left.abort();
      }
    },
    fork: (sessionId) => forkSession(sessionId, runtime),
    steer: (sessionId, message) =>
      gateway.receive({ channel, chatId: sessionId, sessionId, content: message, ...given }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

/** What the program brings, as a plugin like any other. */
function ownPlugin({ model, tools, storage, environment }: AgentOptions): PluginSource {
  return definePlugin({
    name: "sdk",
    ...(tools !== undefined && { provideTools: () => tools }),
    ...(storage !== undefined && { provideTapeStore: () => storage }),
    ...(environment !== undefined && { provideEnvironment: () => environment }),
    ...(typeof model === "object" && { provideModels: () => [{ provider: model.provider, create: () => model }] }),
    // What a command does during a run is not for the program to say.
    admitMessage: (inbound) => (inbound.channel === channel && inbound.commands !== true ? "steer" : undefined),
  });
}
