// What outlives this process about its shells: a file per process in `<home>/shells` that says what to end.
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bootId, isAlive, pidNamespace, processStartTime } from "../base/processes.ts";
import { endShellProcesses, type ShellTrace } from "./shell-processes.ts";
import { Watchdog } from "./watchdog.ts";

const sweepGraceMs = 500;
/** The file is written anew when it has this many lines more than it needs. */
const mostStaleLines = 512;

/** Where a home keeps its records and the output of shells. */
export const shellsDirectory = (home: string): string => join(home, "shells");

/** The record of this process in one home; every environment of the process there shares it. */
export class ShellRecord {
  readonly #home: string;
  readonly #path: string;
  readonly #lines = new Map<string, string>();
  #users = 0;
  #file: number | undefined;
  #stale = 0;
  #watchdog: Watchdog | undefined;

  constructor(home: string) {
    this.#home = home;
    this.#path = join(shellsDirectory(home), `${process.pid}-${slugOf(processStartTime(process.pid) ?? "")}`);
  }

  /** The record of `home`, the same for everyone who asks; close it as often as it was opened. */
  static open(home: string): ShellRecord {
    const record = records.get(home) ?? new ShellRecord(home);
    records.set(home, record);
    record.#users++;
    return record;
  }

  /**
   * Writes down what is known of a shell: before its start, and whenever more is known.
   * @throws the system's error when the record cannot be written
   */
  put(trace: ShellTrace): void {
    const lines = renderTrace(trace);
    if (this.#lines.has(trace.shellId)) this.#stale++;
    this.#lines.set(trace.shellId, lines);
    const file = this.#openFile();
    if (this.#stale > mostStaleLines) this.#rewrite();
    else writeSync(file, lines);
    if (this.#watchdog?.isRunning !== true) this.#watchdog = new Watchdog(this.#path);
  }

  /** Forgets shells of which nothing is left. Lines that stay in the file until later do no harm. */
  remove(shellIds: Iterable<string>): void {
    for (const shellId of shellIds) if (this.#lines.delete(shellId)) this.#stale++;
  }

  /** The last of its users removes the record and lets the watchdog go. */
  async close(): Promise<void> {
    if (--this.#users > 0) return;
    records.delete(this.#home);
    if (this.#file !== undefined) {
      closeSync(this.#file);
      this.#file = undefined;
      rmSync(this.#path, { force: true });
    }
    await this.#watchdog?.close();
  }

  #openFile(): number {
    if (this.#file !== undefined) return this.#file;
    mkdirSync(shellsDirectory(this.#home), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, "a", 0o600);
    writeSync(this.#file, headerLine());
    return this.#file;
  }

  #rewrite(): void {
    const next = `${this.#path}.new`;
    writeFileSync(next, [headerLine(), ...this.#lines.values()].join(""), { mode: 0o600 });
    renameSync(next, this.#path);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#stale = 0;
  }
}

const records = new Map<string, ShellRecord>();

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

function renderTrace({ shellId, group, witnesses }: ShellTrace): string {
  if (group === undefined || witnesses.length === 0) return `${shellId}\n`;
  return witnesses.map(({ pid, startTime }) => `${shellId} ${group} ${pid} ${startTime}\n`).join("");
}

async function sweepRecord(path: string): Promise<void> {
  const text = readOrEmpty(path);
  const [header = ""] = text.split("\n", 1);
  const [, boot, namespace] = header.split(" ");
  // Pids of another namespace say nothing here; those of another boot are gone.
  if (boot === (bootId() || "-") && namespace !== (pidNamespace() || "-")) return;
  if (await endShellProcesses(parseShellRecord(text), sweepGraceMs)) rmSync(path, { force: true });
}

function isOfDeadOwner(name: string): boolean {
  const [, pid, startTime] = /^(\d+)-(.+?)(?:\.new)?$/.exec(name) ?? [];
  if (pid === undefined) return false;
  return !isAlive(Number(pid)) || slugOf(processStartTime(Number(pid)) ?? "") !== startTime;
}

function headerLine(): string {
  return `# ${bootId() || "-"} ${pidNamespace() || "-"}\n`;
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
