// Ends the processes of shells and nothing else: groups that a shell leads, and whoever carries a shell's mark.
import { delay } from "../base/abort.ts";
import { codeOf } from "../base/errors.ts";
import { groupOf, isAlive, membersOfGroup, processStartTime, valuesOfVariable } from "../base/processes.ts";

/** The variable that marks a shell's processes. */
export const shellMark = "BUB_SHELL_ID";

/** A process that is told from a later one with its pid. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** What is known of one shell's processes. */
export interface ShellTrace {
  readonly shellId: string;
  /** The process group that the shell was started in, as its leader. */
  readonly group?: number;
  /** Members of the group. While one lives and is in it, the number still means this group. */
  readonly witnesses: readonly KnownProcess[];
}

const shortestPauseMs = 1;
const longestPauseMs = 20;
/** A killed process may still be seen for a moment, and may have started another just before. */
const mostKills = 100;

/**
 * TERM to everything that the shells have running, up to `graceMs`, then KILL until nothing is left.
 * @returns false when something could not be ended
 */
export async function endShellProcesses(traces: readonly ShellTrace[], graceMs: number): Promise<boolean> {
  const shellIds = new Set(traces.map(({ shellId }) => shellId));
  // Proven now; from here on they are watched without a gap in which a number could come to mean something else.
  let groups = provenGroups(traces);
  for (const group of groups) send(-group, "SIGTERM");
  const others = knownProcesses(markedProcesses(shellIds).filter((pid) => !groups.includes(groupOf(pid) ?? pid)));
  for (const { pid } of others) send(pid, "SIGTERM");
  const found = groups.length > 0 || others.length > 0;

  const end = performance.now() + graceMs;
  for (let pause = shortestPauseMs; performance.now() < end; pause = Math.min(pause * 2, longestPauseMs)) {
    groups = groups.filter((group) => isGroupRunning(group, pause === longestPauseMs));
    if (groups.length === 0 && !others.some(isRunning)) break;
    await delay(Math.min(pause, Math.max(0, end - performance.now())));
  }
  // A process that is just becoming another program shows no mark for a moment, so what had some is looked at twice.
  let looks = found ? 2 : 1;
  for (let kills = 0; kills < mostKills && looks > 0; kills++) {
    groups = groups.filter((group) => isGroupRunning(group, kills > 0));
    for (const group of groups) send(-group, "SIGKILL");
    const marked = markedProcesses(shellIds);
    for (const pid of marked) send(pid, "SIGKILL");
    looks = groups.length === 0 && marked.length === 0 ? looks - 1 : 2;
    if (looks > 0) await delay(longestPauseMs / 2);
  }
  return looks === 0;
}

/** The shells that have no process left. */
export function deadShells(traces: readonly ShellTrace[]): string[] {
  const marked = new Set(valuesOfVariable(shellMark).values());
  return traces.filter((trace) => !marked.has(trace.shellId) && !isProven(trace)).map(({ shellId }) => shellId);
}

/** Members of a group that outlive its leader; empty, without a look at the process table, when there is no such group. */
export function survivorsOf(group: number): KnownProcess[] {
  return hasGroup(group) ? knownProcesses(membersOfGroup(group)) : [];
}

export function knownProcesses(pids: readonly number[]): KnownProcess[] {
  return pids.flatMap((pid) => {
    const startTime = processStartTime(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });
}

function markedProcesses(shellIds: ReadonlySet<string>): number[] {
  return [...valuesOfVariable(shellMark)]
    .filter(([pid, shellId]) => shellIds.has(shellId) && pid !== process.pid && isAlive(pid))
    .map(([pid]) => pid);
}

function provenGroups(traces: readonly ShellTrace[]): number[] {
  return [...new Set(traces.filter(isProven).map(({ group }) => group as number))];
}

/** A group is signalled only while it is proven to be the shell's, and never our own. */
function isProven({ group, witnesses }: ShellTrace): boolean {
  if (group === undefined || group <= 1 || group === groupOf(process.pid)) return false;
  return witnesses.some((witness) => isRunning(witness) && groupOf(witness.pid) === group);
}

function isRunning({ pid, startTime }: KnownProcess): boolean {
  return isAlive(pid, startTime);
}

/** Zombies that nobody collects keep a group there for ever; telling them apart takes a look at the process table. */
function isGroupRunning(group: number, thoroughly: boolean): boolean {
  return hasGroup(group) && !(thoroughly && membersOfGroup(group).length === 0);
}

function hasGroup(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It ended by itself in between.
  }
}
