// One runtime: its plugins, tools, storage and environments, and the turns that run on them.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { CancelledError, settlesWithin } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { Disposer } from "../base/disposer.ts";
import { Emitter } from "../base/emitter.ts";
import { BubError, codeOf, messageOf } from "../base/errors.ts";
import type { BusEvents, StreamEvent } from "../base/events.ts";
import { isTemporarySession, type TapeId, type TurnId, tapeIdOf, temporaryTapeIdOf } from "../base/ids.ts";
import { createLogger, type Logger, SecretMask } from "../base/log.ts";
import type { Environment } from "../environment/environment.ts";
import type { LeaseHolder } from "../tape/store.ts";
import { type TemporaryStorage, withTemporary } from "../tape/temporary-storage.ts";
import type { OwnedTool } from "../tools/toolset.ts";
import type { Inbound } from "./envelope.ts";
import { HookRunner } from "./hook-runner.ts";
import type { HookTrace } from "./hook-trace.ts";
import type { Plugin, PluginSource } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import { type LoadedPackage, type LoadedPlugins, loadPlugins } from "./plugin-loader.ts";
import { readPluginPackages } from "./plugin-project.ts";
import type { PluginSetting } from "./plugin-settings.ts";
import { SessionQueue } from "./session-queue.ts";
import { secretsOf } from "./setting-secrets.ts";
import { type LoadedSettings, loadSettings, type Settings } from "./settings.ts";
import { type ChildRequest, runBeside, runChild, runTurn } from "./turn.ts";
import type { Turn } from "./turn-state.ts";

export type { OwnedTool };

export interface RuntimeOptions {
  /** In order of registration; later ones win. Installed ones come after them, then those named in settings. */
  plugins: readonly PluginSource[];
  /** Files of further plugins, after all others; relative to the current folder. */
  pluginPaths?: readonly string[];
  /** Folder that the tools work in; none by default. */
  workspace?: string;
  /** Above every other source of settings. */
  settings?: Partial<Settings>;
  /** Default: the process's own. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Takes finished log lines; default: stderr. */
  writeLog?: (line: string) => void;
  clock?: Clock;
  /** Times every hook; off by default. */
  hookTrace?: HookTrace;
}

export interface RunOptions {
  signal?: AbortSignal;
  /** False: fail at once when another process holds the session. */
  wait?: boolean;
  onWait?: (holder: LeaseHolder) => void;
}

export interface Runtime extends AsyncDisposable {
  readonly plugins: readonly Plugin[];
  /** What `bub install` has installed, also what brings no plugin or cannot be used. */
  readonly packages: readonly LoadedPackage[];
  readonly hooks: HookRunner;
  /** In order of registration, also tools that a later plugin replaced. */
  readonly tools: readonly OwnedTool[];
  readonly settings: LoadedSettings["values"];
  readonly loadedSettings: LoadedSettings;
  /** What plugins declare and config.yml says, secrets masked. */
  readonly pluginSettings: readonly PluginSetting[];
  readonly workspace: string | undefined;
  /** What `provideTapeStore` gave; sessions whose name begins with `temp/` are in memory. */
  readonly storage: TemporaryStorage;
  readonly events: Emitter<BusEvents>;
  readonly sessions: SessionQueue;
  readonly log: Logger;
  readonly clock: Clock;
  readonly mask: SecretMask;
  /** One sentence for each plugin that could not be loaded, and each setting that was passed over. */
  readonly warnings: readonly string[];
  /** Those of the warnings that are about plugins which were skipped. */
  readonly problems: readonly string[];
  /** Aborts when the runtime ends, before anything is closed. */
  readonly ending: AbortSignal;
  tapeIdOf(sessionId: string): TapeId;
  /** The place where a session's tools act. @param signal when it aborts, a plugin that has not answered by then is asked again */
  environmentOf(sessionId: string, signal?: AbortSignal): Promise<Environment>;
  /** Runs one message as a turn, after the session's earlier ones. Events end with `final`; failures are events. */
  run(inbound: Inbound, options?: RunOptions): AsyncGenerator<StreamEvent, void>;
  /** Runs a child's turn. */
  runChild(request: ChildRequest): AsyncGenerator<StreamEvent, void>;
  /** Runs a message beside the session's live turn. */
  runBeside(inbound: Inbound, live: Turn, signal: AbortSignal): AsyncGenerator<StreamEvent, void>;
  /**
   * Ends what the session has running: its turn, waiting messages and whatever plugins keep for it.
   * @param asking the turn that asks for it: that one is not cancelled
   */
  quit(sessionId: string, asking?: TurnId): Promise<void>;
  /** Why turns end that the quit command ends. */
  quitReason(): Error;
}

/**
 * Loads settings and plugins and opens storage. Dispose it: that cancels its turns and stops what it started.
 * @throws BubError `config` for settings, a workspace or storage that cannot be used
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const workspace = options.workspace === undefined ? undefined : realWorkspace(options.workspace);
  const env = options.env ?? process.env;
  const loadedSettings = await loadSettings({ flags: options.settings, env, workspace });
  const mask = new SecretMask();
  for (const secret of secretsOf(env, loadedSettings.values)) mask.add(secret);
  const log = createLogger({
    write: options.writeLog ?? ((line) => process.stderr.write(`${line}\n`)),
    level: loadedSettings.values.logLevel,
    mask: mask.mask,
  });
  const clock = options.clock ?? systemClock;
  const events = new Emitter<BusEvents>(log);
  const { values: settings, lookup, config } = loadedSettings;
  const host: PluginHost = {
    own: {},
    settings,
    lookup,
    config,
    workspace,
    env,
    events,
    log,
    clock,
    mask,
  };
  // A path in config.yml is meant from where that file lies.
  const base = loadedSettings.sources.plugins === "config.yml" ? settings.home : process.cwd();
  const paths = [...settings.plugins.map((path) => resolve(base, path)), ...(options.pluginPaths ?? [])];
  const packages = await readPluginPackages(settings.home);
  const loaded = await loadPlugins([...options.plugins, ...packages, ...paths], host);
  const runtime = new PluginRuntime(loaded, host, loadedSettings, options.hookTrace);
  await runtime.open();
  return runtime;
}

/** How long anything may take to end with the runtime (milliseconds). */
const longestEndMs = 3_000;

class PluginRuntime implements Runtime {
  readonly plugins: readonly Plugin[];
  readonly packages: readonly LoadedPackage[];
  readonly pluginSettings: readonly PluginSetting[];
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
  readonly hooks: HookRunner;
  readonly sessions = new SessionQueue();
  readonly settings: LoadedSettings["values"];
  readonly workspace: string | undefined;
  readonly events: Emitter<BusEvents>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly mask: SecretMask;
  readonly #open = new Disposer();
  readonly #environments = new Map<string, Promise<Environment>>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #storage: TemporaryStorage | undefined;
  #tools: readonly OwnedTool[] = [];

  constructor(
    loaded: LoadedPlugins,
    host: PluginHost,
    readonly loadedSettings: LoadedSettings,
    hookTrace: HookTrace | undefined,
  ) {
    this.plugins = loaded.plugins;
    this.packages = loaded.packages;
    this.pluginSettings = loaded.settings;
    this.warnings = [...loadedSettings.warnings, ...loaded.warnings, ...loaded.problems];
    this.problems = loaded.problems;
    this.settings = host.settings;
    this.workspace = host.workspace;
    this.events = host.events;
    this.log = host.log;
    this.clock = host.clock;
    this.mask = host.mask;
    this.hooks = new HookRunner(loaded.plugins, host.log, hookTrace);
  }

  get storage(): TemporaryStorage {
    if (this.#storage === undefined)
      throw new BubError("config", "No plugin gives a place for tapes (provideTapeStore).");
    return this.#storage;
  }

  get ending(): AbortSignal {
    return this.#stop.signal;
  }

  get tools(): readonly OwnedTool[] {
    return this.#tools;
  }

  async open(): Promise<void> {
    const kept = await this.hooks.first("provideTapeStore", this);
    if (kept !== undefined) this.#storage = this.#open.use(withTemporary(kept, { clock: this.clock }));
    const provided = await this.hooks.collect("provideTools", this);
    this.#tools = provided.flatMap(({ plugin, answer }) => answer.map((tool) => ({ tool, plugin })));
    for (const { plugin, answer } of await this.hooks.collect("lifespan", this))
      this.#open.defer(() => this.#closed(answer, `what the plugin ${plugin} started`));
  }

  tapeIdOf(sessionId: string): TapeId {
    return isTemporarySession(sessionId) ? temporaryTapeIdOf(sessionId) : tapeIdOf(this.workspace ?? "", sessionId);
  }

  environmentOf(sessionId: string, signal?: AbortSignal): Promise<Environment> {
    const known = this.#environments.get(sessionId);
    if (known !== undefined) return known;
    const made = this.#makeEnvironment(sessionId);
    this.#environments.set(sessionId, made);
    const forget = () => {
      if (this.#environments.get(sessionId) === made) this.#environments.delete(sessionId);
    };
    signal?.addEventListener("abort", forget, { once: true });
    made
      .then(async (environment) => {
        // Nobody waited for it: it is only closed.
        if (this.#environments.get(sessionId) !== made) await environment[Symbol.asyncDispose]();
      }, forget)
      .catch((error) => this.log.warn("an environment could not be closed", { session: sessionId, error }))
      .finally(() => signal?.removeEventListener("abort", forget));
    return made;
  }

  async *run(inbound: Inbound, options: RunOptions = {}): AsyncGenerator<StreamEvent, void> {
    const { signal = this.#stop.signal, wait } = options;
    const over = this.#track();
    const onWait = (holder: LeaseHolder, sessionId: string) => {
      options.onWait?.(holder);
      void this.#askToQuit(inbound, sessionId, holder);
    };
    try {
      yield* runTurn(inbound, this, { signal: AbortSignal.any([signal, this.#stop.signal]), wait, onWait });
    } finally {
      over();
    }
  }

  async *runChild(request: ChildRequest): AsyncGenerator<StreamEvent, void> {
    const over = this.#track();
    try {
      yield* runChild({ ...request, signal: AbortSignal.any([request.signal, this.#stop.signal]) }, this);
    } finally {
      over();
    }
  }

  runBeside(inbound: Inbound, live: Turn, signal: AbortSignal): AsyncGenerator<StreamEvent, void> {
    return runBeside(inbound, live, signal);
  }

  async quit(sessionId: string, asking?: TurnId): Promise<void> {
    const { inboxes } = this.storage;
    const tape = this.tapeIdOf(sessionId);
    for (const item of await inboxes.list(tape)) await inboxes.remove(tape, item.id);
    const live = this.sessions.live(sessionId);
    if (live?.turn.turnId !== asking) live?.cancel(this.quitReason());
    await this.hooks.notify("endSession", sessionId, this);
  }

  quitReason(): Error {
    return new CancelledError("the session was quit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new CancelledError("the runtime ended"));
    // A reader that holds a turn's events and asks for no more of them keeps its turn from ending.
    if (!(await settlesWithin(Promise.all(this.#running), longestEndMs)))
      this.log.error("turns did not end in time and are left behind", { turns: this.#running.size });
    for (const environment of this.#environments.values()) {
      const closable = await environment.catch(() => undefined);
      if (closable !== undefined) this.#open.defer(() => this.#closed(closable, "an environment"));
    }
    await this.#open[Symbol.asyncDispose]();
  }

  /** One that never answers keeps neither the others from closing nor the process from ending. */
  async #closed(resource: AsyncDisposable, what: string): Promise<void> {
    const closing = Promise.resolve(resource[Symbol.asyncDispose]());
    if (!(await settlesWithin(closing, longestEndMs))) this.log.error(`${what} did not end in time and is left behind`);
  }

  async #makeEnvironment(sessionId: string): Promise<Environment> {
    const environment = await this.hooks.first("provideEnvironment", { sessionId, workspace: this.workspace }, this);
    if (environment === undefined)
      throw new BubError("config", "No plugin gives a place for tools (provideEnvironment).");
    return environment;
  }

  #track(): () => void {
    let over: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      over = resolve;
    });
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
      over();
    };
  }

  /** `,quit` for a session that another process holds is left in the inbox for it. */
  async #askToQuit(inbound: Inbound, sessionId: string, holder: LeaseHolder): Promise<void> {
    try {
      if ((await this.hooks.first("admitMessage", inbound, this)) !== "quit") return;
      await this.storage.inboxes.put(this.tapeIdOf(sessionId), {
        kind: "quit",
        payload: { token: holder.token },
        meta: {},
      });
    } catch (error) {
      this.log.error("the session's holder could not be asked to quit", { session: sessionId, error });
    }
  }
}

function realWorkspace(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const why = codeOf(error) === "ENOENT" ? "it does not exist" : messageOf(error);
    throw new BubError("config", `The workspace ${path} cannot be used: ${why}.`, { cause: error });
  }
}
