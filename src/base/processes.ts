// The process table: who runs, since when, below whom. The only file that reads /proc; elsewhere `ps` answers.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessTable {
  /** When the process started, as an opaque text that tells it from a later one with the same pid; undefined when it is gone. */
  processStartTime(pid: number): string | undefined;
  /** Whether the process runs (a zombie does not) and, with `startTime`, is still the same one. */
  isAlive(pid: number, startTime?: string): boolean;
  /** The parent's pid; undefined when the process is gone. */
  parentOf(pid: number): number | undefined;
  /** Names this boot of the machine; pids mean nothing across boots. Empty when the system has no such name. */
  bootId(): string;
  /** Names the space in which pids count; empty where there is only one. */
  pidNamespace(): string;
  /** Pids whose environment at their start holds the text (for example `BUB_SHELL_ID=bsh-01234567`); others' processes are left out. */
  processesWithEnvironment(text: string): number[];
}

interface ProcessRow {
  state: string;
  parent: number;
  startTime: string;
}

/** Reads Linux's /proc. */
export function createProcTable(root = "/proc"): ProcessTable {
  return withRows((pid) => readStat(root, pid), {
    bootId: () => firstLine(() => readFileSync(`${root}/sys/kernel/random/boot_id`, "utf8")),
    pidNamespace: () => firstLine(() => readlinkSync(`${root}/self/ns/pid`)),
    processesWithEnvironment: (text) =>
      readdirSync(root)
        .filter((name) => /^\d+$/.test(name) && readOrEmpty(`${root}/${name}/environ`).includes(text))
        .map(Number),
  });
}

/** Asks `ps`, for systems without /proc; each answer costs a short process. */
export function createPsTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  const darwin = platform === "darwin";
  return withRows(askForRow, {
    bootId: () => (darwin ? firstLine(() => ask("sysctl", ["-n", "kern.bootsessionuuid"])) : ""),
    pidNamespace: () => "",
    processesWithEnvironment: (text) =>
      ask("ps", [...(darwin ? ["-axEww"] : ["axeww"]), "-o", "pid=,command="])
        .split("\n")
        .filter((line) => line.includes(text))
        .map((line) => Number.parseInt(line, 10)),
  });
}

export const systemProcesses: ProcessTable = process.platform === "linux" ? createProcTable() : createPsTable();

export const { processStartTime, isAlive, parentOf, bootId, pidNamespace, processesWithEnvironment } = systemProcesses;

function withRows(
  rowOf: (pid: number) => ProcessRow | undefined,
  rest: Pick<ProcessTable, "bootId" | "pidNamespace" | "processesWithEnvironment">,
): ProcessTable {
  return {
    processStartTime: (pid) => rowOf(pid)?.startTime,
    parentOf: (pid) => rowOf(pid)?.parent,
    isAlive(pid, startTime) {
      const row = rowOf(pid);
      // A process of another user may be hidden from the table and yet be there.
      if (row === undefined) return canBeSignalled(pid);
      return !/^[ZX]/.test(row.state) && (startTime === undefined || startTime === row.startTime);
    },
    ...rest,
  };
}

function readStat(root: string, pid: number): ProcessRow | undefined {
  const stat = readOrEmpty(`${root}/${pid}/stat`).toString("latin1");
  // The second field is the command's name in parentheses and may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parent: Number(parent), startTime };
}

function askForRow(pid: number): ProcessRow | undefined {
  const [state, parent, ...started] = ask("ps", ["-o", "stat=,ppid=,lstart=", "-p", String(pid)])
    .trim()
    .split(/\s+/);
  if (state === undefined || started.length === 0) return undefined;
  return { state, parent: Number(parent), startTime: started.join(" ") };
}

function ask(command: string, args: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return stdout ?? "";
}

function canBeSignalled(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function firstLine(read: () => string): string {
  try {
    return read().split("\n")[0] ?? "";
  } catch {
    return "";
  }
}
