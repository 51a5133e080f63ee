// Starts the shells' fault worker as a process of its own.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, onTestFinished } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "bub-shell-worker-"));
const bundle = join(folder, "worker.mjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("./shell-worker.ts", import.meta.url))],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export type Worker = ChildProcessByStdio<null, Readable, Readable> & { pid: number };

export interface Place {
  readonly home: string;
  readonly workspace: string;
}

export function newPlace(): Place {
  const place = mkdtempSync(join(tmpdir(), "bub-shell-fault-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const workspace = join(place, "work");
  mkdirSync(workspace);
  return { home: join(place, "home"), workspace };
}

export function workerCommand(job: string, { home, workspace }: Place, argument = ""): string[] {
  return [process.execPath, bundle, job, home, workspace, argument];
}

export function startWorker(job: string, place: Place, argument = ""): Worker {
  return startCommand(workerCommand(job, place, argument));
}

export function startCommand([command = "", ...args]: readonly string[]): Worker {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] }) as Worker;
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The worker's next answer. */
export async function answerOf<Answer>(worker: Worker): Promise<Answer> {
  const [line] = await once(createInterface(worker.stdout), "line");
  return JSON.parse(line as string) as Answer;
}

/** Everything it said until it ended well. */
export async function answersOf<Answer>(worker: Worker): Promise<Answer[]> {
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  worker.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  worker.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(worker, "close");
  if (code !== 0) throw new Error(`the worker ended with ${code}\n${Buffer.concat(errors)}`);
  const lines = Buffer.concat(output).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Answer);
}

export async function killAndWait(worker: Worker, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  const exited = once(worker, "exit");
  worker.kill(signal);
  await exited;
}
