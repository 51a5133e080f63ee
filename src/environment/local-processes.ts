// Starts shells on this machine and keeps track of every process that comes of them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, closeSync, constants, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { BubError, codeOf, type ErrorKind, messageOf } from "../base/errors.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { ownRecordPath, pipesPrefix, sweepDeadOwners } from "./dead-owners.ts";
import type { SpawnOptions } from "./environment.ts";
import { closeFifo, type Fifo, FifoStock } from "./fifo-stock.ts";
import { LocalShell } from "./local-shell.ts";
import { deadShells, endShellProcesses, knownProcesses, type ShellTrace, shellMark } from "./shell-processes.ts";
import { ShellRecord } from "./shell-record.ts";

export interface LocalProcessesOptions {
  home: string;
  /** What children see besides their own mark; asked for each shell. */
  environment: () => Record<string, string>;
  log?: Logger;
}

/** What is started, and what it sees besides its own mark. */
export interface Program {
  file: string;
  args: readonly string[];
  argv0?: string;
  environment: Record<string, string>;
  /** It gets pipes for errors (2), what it is told (3) and what it answers (4). */
  isTalking?: boolean;
}

export interface TalkingProcess {
  readonly shell: LocalShell;
  readonly errors: Readable;
  readonly requests: Writable;
  readonly answers: Readable;
}

interface Started {
  readonly sessionId: string;
  trace: ShellTrace;
  /** Undefined once it ended. */
  shell: LocalShell | undefined;
}

/** After so many shells ended, those of which nothing is left are forgotten. */
const endedBetweenLooks = 256;
const closeGraceMs = 500;

export class LocalProcesses implements AsyncDisposable {
  readonly #options: LocalProcessesOptions;
  readonly #log: Logger;
  /** By shell id: running ones, and ended ones of which something may be left. */
  readonly #started = new Map<string, Started>();
  #ended = 0;
  #fifos: FifoStock | undefined;
  #record: ShellRecord | undefined;
  #isClosed = false;

  constructor(options: LocalProcessesOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
  }

  /** @throws BubError when there is no such folder or the system starts no process */
  async spawn(command: string, options: SpawnOptions & { cwd: string }): Promise<LocalShell> {
    const environment = this.#options.environment();
    const shell = findShell(environment.PATH);
    const program = { file: shell, argv0: basename(shell), args: argumentsFor(command), environment };
    return (await this.#launch(program, options)).shell;
  }

  /** Starts a program as `spawn` starts a shell, with pipes of its own for errors (2), what it is told (3) and what it answers (4). */
  async spawnTalking(program: Program, options: SpawnOptions & { cwd: string }): Promise<TalkingProcess> {
    const { shell, child } = await this.#launch({ ...program, isTalking: true }, options);
    const [, , errors, requests, answers] = child.stdio;
    return { shell, errors: errors as Readable, requests: requests as Writable, answers: answers as Readable };
  }

  async #launch(
    program: Program,
    { shellId, sessionId, cwd }: SpawnOptions & { cwd: string },
  ): Promise<{ shell: LocalShell; child: ChildProcess }> {
    const fifos = this.#open();
    this.#writeDown({ shellId, witnesses: [] });
    const fifo = await fifos.take();
    if (this.#isClosed) {
      closeFifo(fifo);
      throw closedError();
    }
    const environment = { ...program.environment, [shellMark]: shellId };
    const child = await start({ ...program, environment }, { cwd, fifo }).catch((error: unknown) => {
      fifos.release();
      throw error;
    });
    fifos.refill();
    return { shell: this.#keep(child, fifo.read, { shellId, sessionId }), child };
  }

  /** Ends every process of the session's shells. */
  async endShells(sessionId: string, graceMs: number): Promise<void> {
    await this.#end(
      [...this.#started].filter(([, started]) => started.sessionId === sessionId),
      graceMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#end([...this.#started], closeGraceMs);
    this.#fifos?.close();
    await this.#record?.close();
  }

  #open(): FifoStock {
    if (this.#isClosed) throw closedError();
    const { home } = this.#options;
    if (this.#record === undefined) {
      this.#record = ShellRecord.open(home);
      sweepDeadOwners(home).catch((error) =>
        this.#log.warn("shells of an earlier process could not be ended", { error }),
      );
    }
    this.#fifos ??= FifoStock.open(pipesPrefix(ownRecordPath(home)));
    return this.#fifos;
  }

  #keep(
    child: StartedProcess,
    pipe: number,
    { shellId, sessionId }: Pick<SpawnOptions, "shellId" | "sessionId">,
  ): LocalShell {
    const trace: ShellTrace = { shellId, group: child.pid, witnesses: knownProcesses([child.pid]) };
    this.#writeDown(trace);
    const started: Started = { sessionId, trace, shell: undefined };
    const onTrace = (left: ShellTrace) => {
      started.trace = left;
      if (left.witnesses.length > 0) this.#writeDown(left);
    };
    const shell = new LocalShell({ child, pipe, trace, onTrace });
    started.shell = shell;
    this.#started.set(shellId, started);
    void shell.exited.then(() => {
      started.shell = undefined;
      if (++this.#ended % endedBetweenLooks === 0) this.#forgetDead();
    });
    return shell;
  }

  async #end(shells: readonly [string, Started][], graceMs: number): Promise<void> {
    if (shells.length === 0) return;
    const traces = shells.map(([, { trace }]) => trace);
    if (!(await endShellProcesses(traces, graceMs))) {
      return this.#log.error("processes of shells could not be ended", { shells: shells.map(([id]) => id) });
    }
    await Promise.all(shells.map(([, { shell }]) => shell?.exited));
    this.#forget(shells.map(([shellId]) => shellId));
  }

  #forgetDead(): void {
    const ended = [...this.#started.values()].filter(({ shell }) => shell === undefined);
    this.#forget(deadShells(ended.map(({ trace }) => trace)));
  }

  #forget(shellIds: readonly string[]): void {
    for (const shellId of shellIds) this.#started.delete(shellId);
    this.#record?.remove(shellIds);
  }

  /** A shell runs also where nothing can be written; only a sudden end of this process would then leave it behind. */
  #writeDown(trace: ShellTrace): void {
    try {
      this.#record?.put(trace);
    } catch (error) {
      this.#log.warn("a shell could not be recorded", { shell: trace.shellId, error });
    }
  }
}

function closedError(): BubError {
  return new BubError("tool", "no shell can be started: the environment is closed");
}

type StartedProcess = ChildProcess & { readonly pid: number };

interface StartOptions {
  cwd: string;
  /** Both ends are closed when the start fails, the writing end in any case. */
  fifo: Fifo;
}

async function start(program: Program, { cwd, fifo }: StartOptions): Promise<StartedProcess> {
  const { file, args, argv0 = file, environment, isTalking = false } = program;
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      argv0,
      cwd,
      env: environment,
      detached: true,
      stdio: isTalking ? ["ignore", fifo.write, "pipe", "pipe", "pipe"] : ["ignore", fifo.write, fifo.write],
    });
  } catch (error) {
    closeFifo(fifo);
    throw startFailure(error, cwd);
  }
  closeSync(fifo.write);
  if (child.pid !== undefined) return child as StartedProcess;
  closeSync(fifo.read);
  const [error] = await once(child, "error");
  throw startFailure(error, cwd);
}

/** Only a command that looks like an option of the shell needs to be told from one. */
function argumentsFor(command: string): string[] {
  return /^[-+]/.test(command) ? ["-c", "--", command] : ["-c", command];
}

const foundShells = new Map<string, string>();

/** bash where it is on PATH, else sh. */
function findShell(path = ""): string {
  const known = foundShells.get(path);
  if (known !== undefined) return known;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const candidates = ["bash", "sh"].flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable) ?? "/bin/sh";
  foundShells.set(path, found);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function startFailure(error: unknown, cwd: string): BubError {
  const because = (kind: ErrorKind, why: string, hint?: string) =>
    new BubError(kind, `the shell could not be started: ${why}`, { cause: error, hint });
  if (!isDirectory(cwd)) return because("not_found", `there is no directory '${cwd}'`);
  if (codeOf(error) === "EACCES" && !mayEnter(cwd)) return because("tool", `'${cwd}' may not be entered`);
  switch (codeOf(error)) {
    case "E2BIG":
      return because("invalid_input", "the command is too long", "Write it to a file and run that.");
    case "ERR_INVALID_ARG_VALUE":
      return because("invalid_input", "the command holds a NUL character");
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return because("temporary", messageOf(error));
    default:
      return because("tool", messageOf(error));
  }
}

function mayEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
