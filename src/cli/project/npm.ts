// Runs the user's npm on the plugin project: no shell, a group of its own that can be stopped, its last words kept.
import { type ChildProcess, spawn } from "node:child_process";
import { BubError, codeOf, messageOf } from "../../base/errors.ts";
import { StatusLine } from "../../base/status-line.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { TextOutput } from "../../base/text-output.ts";

export interface NpmOptions {
  /** The npm project; absolute. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets npm's last lines when it fails. */
  readonly stderr: TextOutput;
  /** Makes the end of a sentence of what npm said; those words are then not shown. */
  readonly explain?: (said: string) => string | undefined;
  /** Stops npm, which then puts back what it has begun. */
  readonly signal: AbortSignal;
  /** How long it may take to do so, in milliseconds. */
  readonly graceMs?: number;
  /** Told when it took longer, and was killed in the middle of its work. */
  readonly onKill?: () => void;
}

/** The user's own settings of these would lead elsewhere, ask the network for more, or show what nobody asked for. */
const flags = [
  "--global=false",
  "--save",
  "--save-exact",
  "--install-links=false",
  "--legacy-peer-deps=false",
  "--dry-run=false",
  "--audit=false",
  "--fund=false",
  "--progress=false",
  "--umask=077",
];

const mostLines = 12;

/**
 * Runs `npm <command> … -- <words>` on the project. Files that it writes are for their owner only.
 * @throws BubError `config` when npm is missing or fails, or the signal's reason once npm has ended
 */
export async function runNpm(
  [command, ...options]: readonly string[],
  words: readonly string[],
  { folder, env, stderr, explain, signal, graceMs = 5_000, onKill }: NpmOptions,
): Promise<void> {
  signal.throwIfAborted();
  process.umask(0o077);
  const line = [`--prefix=${folder}`, ...flags, ...options, ...(words.length > 0 ? ["--", ...words] : [])];
  const child = spawn("npm", [command ?? "", ...line], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tail = new Tail();
  child.stdout?.on("data", (chunk: Buffer) => tail.add(chunk));
  child.stderr?.on("data", (chunk: Buffer) => tail.add(chunk));
  using status = new StatusLine(stderr);
  status.show(`npm ${command} is at work`);
  const onStop = () => {
    status.clear();
    stderr.write("Stopping npm …\n");
  };
  signal.addEventListener("abort", onStop, { once: true });
  const code = await ended(child, { signal, graceMs, onKill }).finally(() => {
    signal.removeEventListener("abort", onStop);
    status.clear();
  });
  signal.throwIfAborted();
  if (code === 0) return;
  const reason = explain?.(tail.text);
  if (reason !== undefined) throw new BubError("invalid_input", `npm cannot use ${words.join(" ")}: ${reason}.`);
  for (const text of tail.lines()) stderr.write(`  ${neutralise(text)}\n`);
  const how = typeof code === "number" ? `exit code ${code}` : `the signal ${code}`;
  throw new BubError("config", `npm ${command} failed with ${how}; its last words stand above.`);
}

/** The exit code, or the signal that ended it. */
function ended(
  child: ChildProcess,
  { signal, graceMs, onKill }: { signal: AbortSignal; graceMs: number; onKill?: (() => void) | undefined },
): Promise<number | string> {
  return new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    const kill = (name: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch {
        // It is gone already.
      }
    };
    const stop = () => {
      kill("SIGINT");
      late = setTimeout(() => {
        onKill?.();
        kill("SIGKILL");
      }, graceMs);
    };
    // Whoever does not wait for an orderly end leaves no npm behind.
    const leave = () => kill("SIGKILL");
    process.once("exit", leave);
    signal.addEventListener("abort", stop, { once: true });
    const settle = () => {
      clearTimeout(late);
      process.off("exit", leave);
      signal.removeEventListener("abort", stop);
    };
    child.once("error", (error) => {
      settle();
      reject(cannotStart(error));
    });
    child.once("close", (code, name) => {
      settle();
      resolve(code ?? name ?? "unknown");
    });
  });
}

function cannotStart(error: unknown): BubError {
  const isMissing = codeOf(error) === "ENOENT";
  const message = isMissing ? "There is no npm on the PATH." : `npm cannot be started: ${messageOf(error)}.`;
  return new BubError("config", message, {
    hint: "Plugins are installed by npm, which comes with Node.js.",
    cause: error,
  });
}

/** The end of what a process said. */
class Tail {
  #text = "";

  get text(): string {
    return this.#text;
  }

  add(chunk: Buffer): void {
    this.#text = (this.#text + chunk.toString("utf8")).slice(-16 * 1024);
  }

  lines(): string[] {
    const lines = this.#text.split(/\r?\n/).filter((line) => !/^\s*(npm \w+)?\s*$/.test(line));
    return lines.slice(-mostLines);
  }
}
