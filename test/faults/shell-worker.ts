// The other process of the shells' fault tests: `node <bundle> <job> <home> <workspace> [argument]`, answers in lines.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isBubError } from "../../src/base/errors.ts";
import { newShellId } from "../../src/base/ids.ts";
import { processStartTime } from "../../src/base/processes.ts";
import type { ShellProcess } from "../../src/environment/environment.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { OutputBuffer } from "../../src/environment/output-buffer.ts";

const [job = "", home = "", workspace = "", argument = ""] = process.argv.slice(2);
const environment = createLocalEnvironment({ home, workspace });
const say = (value: unknown) => console.log(JSON.stringify(value));
const problems: string[] = [];

async function start(command: string): Promise<{ id: string; shell: ShellProcess; output: OutputBuffer }> {
  const id = newShellId();
  const shell = await environment.spawn(command, { shellId: id, sessionId: "cli:test" });
  const onProblem = (error: unknown) => void problems.push(String(error));
  const output = new OutputBuffer({ directory: join(home, "shells"), maxBytes: 2 ** 30, onProblem });
  shell.onOutput((chunk) => output.push(chunk));
  return { id, shell, output };
}

const jobs: Record<string, () => Promise<void>> = {
  /** Starts one shell, tells its id, and waits to be killed. */
  async hold() {
    const { id } = await start(argument);
    say({ id, record: `${process.pid}-${processStartTime(process.pid)}` });
    setInterval(() => undefined, 60_000);
  },
  /** Leaves without closing anything. */
  async leave() {
    const { id } = await start(argument);
    say({ id });
    setTimeout(() => process.exit(0), 200);
  },
  /** Starts shells without end. */
  async churn() {
    say("ready");
    for (;;) {
      const { shell } = await start("sleep 300 & setsid sleep 300 >/dev/null 2>&1 & true");
      await shell.exited;
    }
  },
  /** Compares long output with the same command writing to a file, the best of three each. */
  async flood() {
    const file = join(home, "flood");
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    const answers: { bare: number; ours: number; length: number; middle: string }[] = [];
    for (let round = 0; round < 3; round++) {
      const bare = await timed(async () => {
        const child = spawn("bash", ["-c", `(${argument}) > '${file}'`], { stdio: "ignore" });
        await once(child, "exit");
      });
      rmSync(file);
      const begin = performance.now();
      const { shell, output } = await start(argument);
      await shell.exited;
      const ours = performance.now() - begin;
      output.end();
      const { text: middle } = await output.read({ offset: Math.floor(output.length / 2), limit: 36 });
      answers.push({ bare, ours, length: output.length, middle });
      await output.close();
    }
    clearInterval(watch);
    const [{ length, middle }] = answers as [(typeof answers)[number]];
    const best = (key: "bare" | "ours") => Math.min(...answers.map((answer) => answer[key]));
    say({ bare: best("bare"), ours: best("ours"), growth: peak - before, length, middle });
    await environment[Symbol.asyncDispose]();
  },
  /** Runs a command to its end and tells all it printed. */
  async run() {
    const { shell, output } = await start(argument);
    const exit = await shell.exited;
    output.end();
    const { text } = await output.read();
    say({
      ...exit,
      text: text.length > 1_000 ? `${text.slice(0, 20)}…${text.slice(-20)}` : text,
      gap: noteIn(text),
      problems,
    });
    await environment[Symbol.asyncDispose]();
  },
  /** Starts as many shells as the limit of open files lets it, then one more when they are gone. */
  async crowd() {
    const failures: unknown[] = [];
    for (let count = 0; count < 60 && failures.length === 0; count++)
      await start("sleep 300").catch((error) => failures.push(error));
    const [failure] = failures;
    say(isBubError(failure) ? { kind: failure.kind, message: failure.message } : String(failure));
    await environment.endShells("cli:test", 500);
    const { shell } = await start("exit 7");
    say(await shell.exited);
    await environment[Symbol.asyncDispose]();
  },
  async write() {
    const text = "n".repeat(Number(argument));
    await environment.writeText("file", text).then(
      () => say("written"),
      (error: unknown) => say(isBubError(error) ? { kind: error.kind, message: error.message } : String(error)),
    );
  },
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function noteIn(text: string): string | undefined {
  return /\[\d+ characters dropped\](\n\[output could not be stored: [^\]]*\])?/.exec(text)?.[0];
}

await jobs[job]?.();
