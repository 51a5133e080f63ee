// Starts the tape's fault worker as a process of its own.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, onTestFinished } from "vitest";

export type Worker = ChildProcessByStdio<Writable, Readable, Readable> & { pid: number };

const folder = mkdtempSync(join(tmpdir(), "bub-tape-worker-"));
const bundle = join(folder, "worker.mjs");
buildSync({
  entryPoints: [fileURLToPath(new URL("./tape-worker.ts", import.meta.url))],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "bub-tape-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The command line of a worker, for shells that set something up first. */
export function workerCommand(job: string, home: string, count = 0): string[] {
  return [process.execPath, bundle, job, home, String(count)];
}

export function startWorker(job: string, home: string, count = 0): Worker {
  return startCommand(workerCommand(job, home, count));
}

export function startCommand([command = "", ...args]: readonly string[]): Worker {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] }) as Worker;
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Everything the worker said until it ended well, a value a line. */
export async function answersOf(worker: Worker): Promise<unknown[]> {
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  worker.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  worker.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(worker, "close");
  if (code !== 0) throw new Error(`the worker ended with ${code}\n${Buffer.concat(errors)}`);
  return Buffer.concat(output)
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
