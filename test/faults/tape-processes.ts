// Starts the tape's fault worker as a process of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bundleWorker, startCommand, type Worker } from "./worker-process.ts";

const bundle = bundleWorker(new URL("./tape-worker.ts", import.meta.url));

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
