// Who holds a lease, as its file says it, and whether that process is still there.
import { hostname } from "node:os";
import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import { type ProcessTable, systemProcesses } from "../base/processes.ts";
import type { LeaseHolder } from "./store.ts";

/** What the lease asks the world; tests give another one. */
export interface LeaseWorld {
  readonly processes: Pick<ProcessTable, "processStartTime" | "isAlive" | "parentOf" | "bootId" | "pidNamespace">;
  /** `BUB_OWNER` is the pid of the `bub` whose shell this process was started in. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly host: string;
  /** Compared with the lease file's time of change, which is its holder's heartbeat. */
  readonly clock: Clock;
}

export interface LeaseRecord extends LeaseHolder {
  readonly start_time: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
}

/** Milliseconds without a heartbeat after which a holder that cannot be looked up counts as gone. */
export const silenceMs = 30_000;

export function systemWorld(): LeaseWorld {
  return {
    processes: systemProcesses,
    environment: process.env,
    pid: process.pid,
    host: hostname(),
    clock: systemClock,
  };
}

/** This process's record; the token tells one lease from the next. */
export function recordOf({ processes, pid, host }: LeaseWorld, token: string): LeaseRecord {
  return {
    token,
    pid,
    host,
    start_time: processes.processStartTime(pid) ?? "",
    boot_id: processes.bootId(),
    pid_namespace: processes.pidNamespace(),
  };
}

/**
 * Reads a lease file's text. One that a power cut emptied still is a lease: its holder cannot be looked up.
 * @param fallbackToken stands for the token of such a one
 */
export function parseRecord(text: string, fallbackToken: string): LeaseRecord {
  const value = parseJson(text);
  const fields = isJsonObject(value) ? value : {};
  const word = (field: unknown) => (typeof field === "string" ? field : "");
  return {
    token: /^[\w-]+$/.test(word(fields.token)) ? word(fields.token) : fallbackToken,
    pid: typeof fields.pid === "number" ? fields.pid : 0,
    host: word(fields.host),
    start_time: word(fields.start_time),
    boot_id: word(fields.boot_id),
    pid_namespace: word(fields.pid_namespace),
  };
}

/** @param beatAt when the holder last showed itself, in milliseconds since 1970 */
export function isGone(record: LeaseRecord, beatAt: number, { processes, host, clock }: LeaseWorld): boolean {
  const near =
    record.pid > 0 &&
    record.boot_id === processes.bootId() &&
    record.pid_namespace === processes.pidNamespace() &&
    // Where boots have no names, the host's has to do.
    (record.boot_id !== "" || record.host === host);
  if (near) return !processes.isAlive(record.pid, record.start_time || undefined);
  return clock.now().getTime() - beatAt > silenceMs;
}

/** True when this process was started in a shell of the holder, or of one that the holder started. */
export function isBelow(record: LeaseRecord, { environment, processes, pid }: LeaseWorld): boolean {
  if (record.pid === pid || record.boot_id !== processes.bootId()) return false;
  const seen = new Set<number>();
  for (let above = Number(environment.BUB_OWNER); above > 1 && !seen.has(above); ) {
    if (above === record.pid) return true;
    seen.add(above);
    above = processes.parentOf(above) ?? 0;
  }
  return false;
}
