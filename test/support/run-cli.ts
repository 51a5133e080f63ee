// Starts the real `bub` for tests: a process of dist/cli.js with a home, a workspace and scripts of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { StreamEvent } from "../../src/base/events.ts";
import { tapeIdOf } from "../../src/base/ids.ts";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { root } from "./source-files.ts";

export const cliFile = join(root, "dist", "cli.js");

export interface CliResult {
  /** 128 and more would be a signal that the process did not handle: then it is null. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Piped in and ended; `"open"` leaves the pipe open, by default there is no input at all. */
  input?: string | Uint8Array;
  /** Above the world's own variables; undefined takes one away. */
  env?: Record<string, string | undefined>;
  cwd?: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  /** What came so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves as soon as the text has been written to either stream. */
  saw(text: string): Promise<void>;
  /** Writes to its stdin; needs `input: "open"`. */
  type(text: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<CliResult>;
}

export interface CliWorld extends Disposable {
  readonly home: string;
  readonly workspace: string;
  /** Writes a file below the world's folder; answers its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Writes a script; answers the model that plays it. */
  script(...answers: unknown[]): string;
  run(words: readonly string[], options?: CliOptions): Promise<CliResult>;
  start(words: readonly string[], options?: CliOptions): RunningCli;
  /** Resolves with the text of a file of the workspace, or at an absolute path, as soon as it is there and has `least` characters. */
  until(path: string, least?: number): Promise<string>;
  tapeFile(session?: string): string;
  entries(session?: string): TapeEntry[];
}

/** Dispose it: `using world = createCliWorld()`. */
export function createCliWorld(): CliWorld {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bub-cli-")));
  const home = join(folder, "home");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  let scripts = 0;
  const started: RunningCli[] = [];
  const own = { PATH: process.env.PATH, HOME: join(folder, "user"), TMPDIR: process.env.TMPDIR, BUB_HOME: home };
  const world: CliWorld = {
    home,
    workspace,
    file(name, content) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    script: (...answers) => `scripted:${world.file(`script-${++scripts}.json`, JSON.stringify({ answers }))}`,
    start(words, { env, ...options } = {}) {
      const running = startCli(words, { cwd: workspace, ...options, env: { ...own, ...env } });
      started.push(running);
      return running;
    },
    run: (words, options) => world.start(words, options).ended,
    until: (path, least = 0) => untilFile(resolve(workspace, path), least),
    tapeFile: (session = "cli:local") => join(home, "tapes", `${tapeIdOf(workspace, session)}.jsonl`),
    entries: (session) => readEntries(world.tapeFile(session)),
    [Symbol.dispose]() {
      // Only a test that failed leaves one.
      for (const { kill } of started) kill("SIGKILL");
      // A pane that is being closed may still write its history.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
  return world;
}

function startCli(words: readonly string[], { input, env, cwd }: CliOptions): RunningCli {
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(process.execPath, [cliFile, ...words], { cwd, env, stdio: [stdin, "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const waiting = new Set<() => void>();
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    into.push(chunk);
    for (const look of waiting) look();
  };
  child.stdout?.on("data", collect(out));
  child.stderr?.on("data", collect(err));
  // A process that ends without reading its input is no fault of the test.
  child.stdin?.on("error", () => undefined);
  if (input !== undefined && input !== "open") child.stdin?.end(input);
  const stdout = () => Buffer.concat(out).toString("utf8");
  const stderr = () => Buffer.concat(err).toString("utf8");
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout: stdout(),
    stderr: stderr(),
  }));
  return {
    process: child,
    stdout,
    stderr,
    ended,
    type: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    kill: (signal) => void child.kill(signal),
    saw: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!stdout().includes(text) && !stderr().includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        ended.then(() => reject(new Error(`it ended without "${text}":\n${stdout()}${stderr()}`)));
        look();
      }),
  };
}

async function untilFile(path: string, least: number): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (text !== undefined && text.length >= least) return text;
    await new Promise((again) => setTimeout(again, 10));
  }
}

function readEntries(file: string): TapeEntry[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as TapeEntry);
}

/** The events of `--json` output; throws for a line that is no JSON. */
export function eventsOf(stdout: string): StreamEvent[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StreamEvent);
}

/** The texts of a tape's user messages. */
export function messagesOf(entries: readonly TapeEntry[]): string[] {
  return entries
    .filter(({ kind, payload }) => kind === "message" && payload.role === "user")
    .map(({ payload }) => (typeof payload.content === "string" ? payload.content : JSON.stringify(payload.content)));
}

/** Names of the tapes in a home. */
export function tapeFiles(home: string): string[] {
  return readdirSync(join(home, "tapes")).filter((name) => /^[0-9a-f]{16}__[0-9a-f]{16}\.jsonl$/.test(name));
}
