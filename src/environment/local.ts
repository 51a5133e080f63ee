// The default environment: the files and processes of this machine, without a sandbox.
import { realpathSync } from "node:fs";
import { BubError } from "../base/errors.ts";
import { newShellId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { homeOfUser } from "../base/user-home.ts";
import { childEnvironment } from "./child-environment.ts";
import type {
  CodeOutcome,
  CodeRequest,
  Environment,
  FileStat,
  LineRange,
  ReadOptions,
  ShellProcess,
  SpawnOptions,
} from "./environment.ts";
import { LocalFiles } from "./local-files.ts";
import type { LocalProcesses, LocalProcessesOptions } from "./local-processes.ts";
import type { PythonCommand } from "./python/interpreter.ts";

export interface LocalEnvironmentOptions {
  workspace?: string;
  /** Bub's own folder: running shells are recorded below it. */
  home: string;
  /** Default `python3`. */
  python?: string;
  /** What children see; asked for each shell. Default: the process's environment without Bub's keys. */
  environment?: () => Record<string, string>;
  /** Names of variables that code in code mode does not see, though shells do: the keys of providers. */
  hiddenFromCode?: readonly string[];
  /** The person's own folder, for `~`. */
  userHome?: string;
  log?: Logger;
}

/** An environment on this machine. Dispose it: that ends its shells. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly workspace: string | undefined;
  readonly python: string;
  readonly #files: LocalFiles;
  readonly #startFolder: string;
  readonly #options: Pick<LocalProcessesOptions, "home" | "environment" | "log">;
  readonly #hiddenFromCode: readonly string[];
  #processes: Promise<LocalProcesses> | undefined;
  #foundPython: Promise<PythonCommand> | undefined;
  #isClosed = false;

  constructor({
    workspace,
    home,
    python = "python3",
    environment,
    userHome = homeOfUser(),
    hiddenFromCode = [],
    log,
  }: LocalEnvironmentOptions) {
    this.#hiddenFromCode = hiddenFromCode;
    this.workspace = workspace === undefined ? undefined : realWorkspace(workspace);
    this.python = python;
    this.#startFolder = this.workspace ?? userHome;
    this.#files = new LocalFiles({ workspace: this.workspace, userHome });
    this.#options = { home, environment: environment ?? (() => childEnvironment({ env: process.env })), log };
  }

  async spawn(command: string, options: SpawnOptions): Promise<ShellProcess> {
    const cwd = options.cwd === undefined ? this.#startFolder : this.resolvePath(options.cwd);
    this.#processes ??= this.#loadProcesses();
    return (await this.#processes).spawn(command, { ...options, cwd });
  }

  async endShells(sessionId: string, graceMs: number): Promise<void> {
    await (await this.#processes)?.endShells(sessionId, graceMs);
  }

  readFile(path: string, options?: ReadOptions): Promise<Uint8Array> {
    return this.#files.readFile(path, options);
  }

  readText(path: string, options?: ReadOptions): Promise<string> {
    return this.#files.readText(path, options);
  }

  readLines(path: string, range: LineRange, options?: ReadOptions): Promise<string> {
    return this.#files.readLines(path, range, options);
  }

  async writeText(path: string, text: string, options?: ReadOptions): Promise<string> {
    return this.#files.writeText(path, text, options);
  }

  async editText(path: string, change: (text: string) => string, options?: ReadOptions): Promise<string> {
    return this.#files.editText(path, change, options);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.#files.stat(path);
  }

  resolvePath(path: string): string {
    return this.#files.resolvePath(path);
  }

  async runCode(request: CodeRequest): Promise<CodeOutcome> {
    this.#processes ??= this.#loadProcesses();
    const [processes, { runPython }] = await Promise.all([this.#processes, import("./python/python-runner.ts")]);
    const environment = this.#codeEnvironment();
    const { program, args } = await this.#findPython(environment);
    const options = { shellId: newShellId(), sessionId: request.sessionId, cwd: this.#startFolder };
    return runPython(await processes.spawnTalking({ file: program, args, environment }, options), request);
  }

  /** What code sees: as shells do, without the keys of any provider. */
  #codeEnvironment(): Record<string, string> {
    const hidden = new Set(this.#hiddenFromCode);
    return Object.fromEntries(Object.entries(this.#options.environment()).filter(([name]) => !hidden.has(name)));
  }

  /** Looked for once; again after a failure, which a person may have mended meanwhile. */
  async #findPython(environment: Record<string, string>): Promise<PythonCommand> {
    this.#foundPython ??= import("./python/interpreter.ts").then(({ findPython }) =>
      findPython(this.python, environment),
    );
    try {
      return await this.#foundPython;
    } catch (error) {
      this.#foundPython = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await (await this.#processes)?.[Symbol.asyncDispose]();
  }

  /** Node's parts for processes take milliseconds to load, and many runs start none. */
  async #loadProcesses(): Promise<LocalProcesses> {
    if (this.#isClosed) throw new BubError("tool", "no shell can be started: the environment is closed");
    const { LocalProcesses } = await import("./local-processes.ts");
    return new LocalProcesses(this.#options);
  }
}

function realWorkspace(workspace: string): string {
  try {
    return realpathSync.native(workspace);
  } catch (error) {
    throw new BubError("not_found", `there is no workspace '${workspace}'`, { cause: error });
  }
}
