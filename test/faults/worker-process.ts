// Workers of fault tests: a source file, bundled, as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, onTestFinished } from "vitest";

export type Worker = ChildProcess & { pid: number; stdin: Writable; stdout: Readable; stderr: Readable };

/** Bundles a worker for the tests of one file; answers the path. */
export function bundleWorker(source: URL): string {
  const folder = mkdtempSync(join(tmpdir(), "bub-worker-"));
  const bundle = join(folder, "worker.mjs");
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return bundle;
}

/** A process with pipes that ends with the test. */
export function startCommand([command = "", ...args]: readonly string[]): Worker {
  const child = spawn(command, args, { stdio: "pipe" }) as Worker;
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Everything the worker said until it ended well, a value a line. */
export async function answersOf<Answer>(worker: Worker): Promise<Answer[]> {
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  worker.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  worker.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(worker, "close");
  if (code !== 0) throw new Error(`the worker ended with ${code}\n${Buffer.concat(errors)}`);
  const lines = Buffer.concat(output).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Answer);
}
