// Keeps the shells of each session readable, and stops them with it.
import { BubError } from "../../base/errors.ts";
import { newShellId, type ShellId } from "../../base/ids.ts";
import { type Logger, silentLogger } from "../../base/log.ts";
import { shellsDirectory } from "../../environment/dead-owners.ts";
import type { Environment, ShellExit, ShellProcess } from "../../environment/environment.ts";
import { OutputBuffer } from "../../environment/output-buffer.ts";

/** Ended shells that stay readable, for each session. */
const mostEnded = 64;

export interface ShellRegistryOptions {
  /** Long output goes to disk below it. */
  home: string;
  /** How many bytes of a shell's output are kept. */
  maxBytes: number;
  /** The session whose shells a session may read and end besides its own: the parent's, for a temp or fork child. */
  parentOf?: (sessionId: string) => string | undefined;
  /** Told when a shell ends that somebody knows by its id. */
  onFinished?: (shell: Shell, exit: ShellExit) => void;
  log?: Logger;
}

export interface StartOptions {
  /** Who starts it, and with whose end it ends. */
  sessionId: string;
  cwd?: string;
}

/** One started command. */
export interface Shell {
  readonly id: ShellId;
  readonly sessionId: string;
  readonly process: ShellProcess;
  readonly output: OutputBuffer;
  /** Undefined while it runs. */
  readonly exit: ShellExit | undefined;
  /** Settles once it has ended and its output is complete. */
  readonly ended: Promise<ShellExit>;
}

interface OwnShell extends Shell {
  exit: ShellExit | undefined;
  /** Somebody knows its id. */
  isAnnounced: boolean;
}

interface Session {
  readonly shells: Map<ShellId, OwnShell>;
  /** Where they run; subagents share their parent's. */
  readonly environments: Set<Environment>;
}

export class ShellRegistry implements AsyncDisposable {
  readonly #options: ShellRegistryOptions;
  readonly #log: Logger;
  readonly #sessions = new Map<string, Session>();

  constructor(options: ShellRegistryOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
  }

  /** Starts a command and takes its output. @throws BubError when it cannot be started */
  async start(environment: Environment, command: string, { sessionId, cwd }: StartOptions): Promise<Shell> {
    const id = newShellId();
    const session = this.#sessionOf(sessionId);
    session.environments.add(environment);
    const process = await environment.spawn(command, { shellId: id, sessionId, cwd });
    const output = this.#newOutput(id);
    process.onOutput((chunk) => output.push(chunk));
    const ended = process.exited.then((exit) => this.#finish(shell, exit));
    const shell: OwnShell = { id, sessionId, process, output, ended, exit: undefined, isAnnounced: false };
    session.shells.set(id, shell);
    return shell;
  }

  /** Makes a shell one that can be found by its id, also after its end. */
  announce({ sessionId, id }: Shell): void {
    const shell = this.#sessions.get(sessionId)?.shells.get(id);
    if (shell === undefined) return;
    shell.isAnnounced = true;
    if (shell.exit !== undefined) this.#dropOldest(shell);
  }

  /** Frees the output of a shell that nobody can ask for any more. */
  forget({ sessionId, id }: Shell): void {
    const shells = this.#sessions.get(sessionId)?.shells;
    const shell = shells?.get(id);
    if (shell === undefined) return;
    shells?.delete(id);
    shell.output.close().catch((error) => this.#log.warn("a shell's output could not be freed", { shell: id, error }));
  }

  /** @throws BubError `not_found` for an id that was never told to this session or its parents */
  find(sessionId: string, shellId: string): Shell {
    for (let owner: string | undefined = sessionId; owner !== undefined; owner = this.#options.parentOf?.(owner)) {
      const shell = this.#sessions.get(owner)?.shells.get(shellId as ShellId);
      if (shell?.isAnnounced === true) return shell;
    }
    throw new BubError("not_found", `unknown shell id: ${shellId}`);
  }

  /** Ends all that the session's shells have running and forgets them: TERM, up to `graceMs`, then KILL. */
  async stopAll(sessionId: string, graceMs: number): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    await Promise.all([...session.environments].map((environment) => environment.endShells(sessionId, graceMs)));
    for (const shell of [...session.shells.values()]) this.forget(shell);
    this.#sessions.delete(sessionId);
  }

  /** Ends everything, with half a second of grace. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((sessionId) => this.stopAll(sessionId, 500)));
  }

  #sessionOf(sessionId: string): Session {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    const session: Session = { shells: new Map(), environments: new Set() };
    this.#sessions.set(sessionId, session);
    return session;
  }

  #newOutput(id: ShellId): OutputBuffer {
    const { home, maxBytes } = this.#options;
    const onProblem = (error: unknown) => this.#log.warn("a shell's output could not be stored", { shell: id, error });
    return new OutputBuffer({ directory: shellsDirectory(home), maxBytes, onProblem });
  }

  #finish(shell: OwnShell, exit: ShellExit): ShellExit {
    shell.output.end();
    shell.exit = exit;
    if (shell.isAnnounced) {
      this.#dropOldest(shell);
      this.#options.onFinished?.(shell, exit);
    }
    return exit;
  }

  /** Ended shells stand behind the others, the last one to end last. */
  #dropOldest(last: OwnShell): void {
    const shells = this.#sessions.get(last.sessionId)?.shells;
    if (shells?.delete(last.id) !== true) return;
    shells.set(last.id, last);
    const ended = [...shells.values()].filter(({ exit, isAnnounced }) => exit !== undefined && isAnnounced);
    for (const shell of ended.slice(0, Math.max(0, ended.length - mostEnded))) this.forget(shell);
  }
}
