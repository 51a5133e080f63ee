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

/** How long after the last signal a killed process may still be seen. */
const killPauseMs = 10;
const mostKills = 100;

/**
 * TERM to everything that the shells have running, up to `graceMs`, then KILL until nothing is left.
 * @returns false when something could not be ended
 */
export async function endShellProcesses(traces: readonly ShellTrace[], graceMs: number): Promise<boolean> {
  let current = traces.map(withAllMembers);
  const asked = signalShells(current, "SIGTERM");
  if (asked.length === 0) return true;
  const end = performance.now() + graceMs;
  for (let pause = 1; asked.some(isRunning) && performance.now() < end; pause = Math.min(pause * 2, 25)) {
    await delay(Math.min(pause, Math.max(0, end - performance.now())));
  }
  for (let kills = 0; kills < mostKills; kills++) {
    current = current.map(withAllMembers);
    if (signalShells(current, "SIGKILL").length === 0) return true;
    await delay(killPauseMs);
  }
  return false;
}

/** The leader may end before the others: then they prove the group. */
function withAllMembers(trace: ShellTrace): ShellTrace {
  return isOurs(trace) ? { ...trace, witnesses: knownProcesses(membersOfGroup(trace.group as number)) } : trace;
}

/** The shells that have no process left. */
export function deadShells(traces: readonly ShellTrace[]): string[] {
  const marked = new Set(valuesOfVariable(shellMark).values());
  return traces.filter((trace) => !marked.has(trace.shellId) && !isOurs(trace)).map(({ shellId }) => shellId);
}

/** Members of a group that may outlive its leader; empty, without a look at the process table, when there is no such group. */
export function survivorsOf(group: number): KnownProcess[] {
  return hasGroup(group) ? knownProcesses(membersOfGroup(group)) : [];
}

export function knownProcesses(pids: readonly number[]): KnownProcess[] {
  return pids.flatMap((pid) => {
    const startTime = processStartTime(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });
}

/** Signals each group once, then marked processes outside of those groups. Answers whom. */
function signalShells(traces: readonly ShellTrace[], signal: NodeJS.Signals): KnownProcess[] {
  const led = traces.filter(isOurs);
  const groups = new Set(led.map(({ group }) => group as number));
  const shellIds = new Set(traces.map(({ shellId }) => shellId));
  const marked = [...valuesOfVariable(shellMark)]
    .filter(([pid, shellId]) => shellIds.has(shellId) && pid !== process.pid && !groups.has(groupOf(pid) ?? pid))
    .map(([pid]) => pid);
  const others = knownProcesses(marked);
  for (const group of groups) send(-group, signal);
  for (const { pid } of others) send(pid, signal);
  return [...led.flatMap(({ witnesses }) => witnesses), ...others];
}

/** A group is signalled only while it is proven to be the shell's, and never our own. */
function isOurs({ group, witnesses }: ShellTrace): boolean {
  if (group === undefined || group <= 1 || group === groupOf(process.pid)) return false;
  return witnesses.some((witness) => isRunning(witness) && groupOf(witness.pid) === group);
}

function isRunning({ pid, startTime }: KnownProcess): boolean {
  return isAlive(pid, startTime);
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
