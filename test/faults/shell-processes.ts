// Starts the shells' fault worker as a process of its own.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { bundleWorker, startCommand, type Worker } from "./worker-process.ts";

const bundle = bundleWorker(new URL("./shell-worker.ts", import.meta.url));

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

/** The worker's next answer. */
export async function answerOf<Answer>(worker: Worker): Promise<Answer> {
  const [line] = await once(createInterface(worker.stdout), "line");
  return JSON.parse(line as string) as Answer;
}

export async function killAndWait(worker: Worker, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  const exited = once(worker, "exit");
  worker.kill(signal);
  await exited;
}
