// The records of shells in `<home>/shells`: what they say, and what is left of owners that are gone.
import { readFileSync, rmSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bootId, isAlive, pidNamespace, processStartTime } from "../base/processes.ts";
import { endShellProcesses, type ShellTrace } from "./shell-processes.ts";

const sweepGraceMs = 500;
const oldFolderMs = 60_000;

/** Where a home keeps its records and the output of shells. */
export const shellsDirectory = (home: string): string => join(home, "shells");

/** The file of this process's record in a home. */
export function ownRecordPath(home: string): string {
  return join(shellsDirectory(home), `${process.pid}-${slugOf(processStartTime(process.pid) ?? "")}`);
}

/** How the paths of an owner's folders for pipes begin; they last for a moment, unless their owner dies in it. */
export const pipesPrefix = (recordPath: string): string => `${recordPath}.pipes-`;

/** The first line of a record: in which boot and namespace its pids count. */
export function recordHeader(): string {
  return `# ${bootId() || "-"} ${pidNamespace() || "-"}\n`;
}

/** The lines of one shell in a record. */
export function renderTrace({ shellId, group, witnesses }: ShellTrace): string {
  if (group === undefined || witnesses.length === 0) return `${shellId}\n`;
  return witnesses.map(({ pid, startTime }) => `${shellId} ${group} ${pid} ${startTime}\n`).join("");
}

/**
 * Ends what processes of this home that are gone left running, by their records. Costs one look at a folder when there
 * is none. Call it when a process starts to use the home.
 */
export async function sweepDeadOwners(home: string): Promise<void> {
  const directory = shellsDirectory(home);
  const names = await readdir(directory).catch(() => []);
  await Promise.all(names.filter(isOfDeadOwner).map((name) => sweepRecord(join(directory, name))));
}

/** The shells that a record tells of. */
export function parseShellRecord(text: string): ShellTrace[] {
  return text.split("\n").flatMap((line): ShellTrace[] => {
    const [, shellId, group, pid, startTime] = /^(bsh-[0-9a-f]{8})(?: (\d+) (\d+) (.+))?$/.exec(line) ?? [];
    if (shellId === undefined) return [];
    if (startTime === undefined) return [{ shellId, witnesses: [] }];
    return [{ shellId, group: Number(group), witnesses: [{ pid: Number(pid), startTime }] }];
  });
}

async function sweepRecord(path: string): Promise<void> {
  if (path.includes(pipesPrefix(""))) return removeOldFolder(path);
  const text = readOrEmpty(path);
  const [header = ""] = text.split("\n", 1);
  const [, boot, namespace] = header.split(" ");
  // Pids of another namespace say nothing here; those of another boot are gone.
  if (boot === (bootId() || "-") && namespace !== (pidNamespace() || "-")) return;
  if (await endShellProcesses(parseShellRecord(text), sweepGraceMs)) rmSync(path, { force: true });
}

/** One that is young may be in use by an owner that is not seen from here. */
function removeOldFolder(path: string): void {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > oldFolderMs) rmSync(path, { recursive: true, force: true });
}

function isOfDeadOwner(name: string): boolean {
  const [, pid, startTime] = /^(\d+)-([^.]+)(?:\.new|\.pipes-.*)?$/.exec(name) ?? [];
  if (pid === undefined) return false;
  return !isAlive(Number(pid)) || slugOf(processStartTime(Number(pid)) ?? "") !== startTime;
}

function slugOf(startTime: string): string {
  return startTime.replace(/[^0-9A-Za-z]+/g, "-");
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
