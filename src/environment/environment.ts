// Where tools act: the files and processes of a session, behind one port.
import type { JsonObject } from "../base/json.ts";

export interface Environment extends AsyncDisposable {
  /** Absolute real path; undefined where the session has none. */
  readonly workspace: string | undefined;
  /** The Python 3 interpreter to run code with: a name on PATH or a path. */
  readonly python: string;
  /** Starts a shell command in its own process group; resolves once it runs. Both streams arrive merged, in order. */
  spawn(command: string, options: SpawnOptions): Promise<ShellProcess>;
  /** Ends every process of a session's shells, also descendants that outlived theirs: TERM, up to `graceMs`, then KILL. */
  endShells(sessionId: string, graceMs: number): Promise<void>;
  /** The file's bytes. @throws BubError naming the path */
  readFile(path: string, options?: ReadOptions): Promise<Uint8Array>;
  /** The file's text; a UTF-8 byte order mark is hidden. @throws BubError naming the path, and the byte offset when it is not UTF-8 */
  readText(path: string, options?: ReadOptions): Promise<string>;
  /** Lines `offset` to `offset + limit` with their line ends, read as a stream. Only `\n`, `\r\n` and `\r` end lines. */
  readLines(path: string, range: LineRange, options?: ReadOptions): Promise<string>;
  /** Replaces the whole file atomically, creating parents; answers the resolved path. Queued with all writes of that file. */
  writeText(path: string, text: string, options?: ReadOptions): Promise<string>;
  /** Reads, changes and writes one file with no other write of this process in between. `change` may throw: then nothing is written. */
  editText(path: string, change: (text: string) => string, options?: ReadOptions): Promise<string>;
  /** What stands at a path, links followed; undefined when nothing does. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Absolute form of a path: `~` expanded, relative ones below the workspace. @throws BubError without a workspace */
  resolvePath(path: string): string;
  /** Runs Python that may call back; see code mode. */
  runCode(request: CodeRequest): Promise<CodeOutcome>;
}

export interface ReadOptions {
  signal?: AbortSignal;
}

export interface LineRange {
  /** First line, from 0. */
  offset: number;
  /** How many lines; all that follow when absent. */
  limit?: number;
}

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  /** Bytes. */
  readonly size: number;
}

export interface SpawnOptions {
  /** Marks the shell and all its descendants (`BUB_SHELL_ID`). */
  shellId: string;
  /** Whose shell it is; ends up in the record that outlives this process. */
  sessionId: string;
  cwd?: string;
}

export type StopReason = "killed" | "cancelled" | "quit" | "ended";

export interface ShellProcess {
  /**
   * Called with each chunk of merged output, in order, until `exited` settles. Set it before the next tick: nothing is lost.
   * A chunk's bytes are only valid during the call. While a promise that `take` gave is open, the shell's pipe is not read.
   */
  onOutput(take: (chunk: Uint8Array) => void | Promise<void>): void;
  /** True once the shell itself is gone; `exited` follows within the drain. */
  readonly ending: boolean;
  /** Settles when the shell itself ended and the short fixed drain after it is over, whoever still holds the pipe. */
  readonly exited: Promise<ShellExit>;
  /** TERM to the whole group, up to `graceMs`, then KILL. Resolves when the shell and its descendants are gone. Idempotent. */
  stop(reason: StopReason, graceMs: number): Promise<void>;
}

export interface ShellExit {
  /** Negative for a signal (-9), as in `status`. */
  readonly exitCode: number;
  /** For example `SIGKILL`. */
  readonly signal?: NodeJS.Signals;
}

export interface CodeRequest {
  code: string;
  /** Whose code it is; its processes end with the session's shells. */
  sessionId: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Names that `tools` offers inside the code. */
  tools: readonly string[];
  /** Names of tools that the model calls itself: code that tries is told so. */
  direct?: readonly string[];
  call(name: string, args: JsonObject): Promise<unknown>;
}

export interface CodeOutcome {
  readonly output: string;
  readonly error?: { readonly message: string; readonly details: JsonObject };
}
