// The process table: who runs, since when, below whom. The only file that reads /proc; elsewhere `ps` answers.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";

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
  /** The values that a variable had in the environments of running processes at their start, by pid; others' processes are left out. */
  valuesOfVariable(name: string): Map<number, string>;
  /** The group the process is in; undefined when it is gone. */
  groupOf(pid: number): number | undefined;
  /** Pids in a process group; zombies are left out. */
  membersOfGroup(group: number): number[];
}

interface ProcessRow {
  state: string;
  parent: number;
  group: number;
  startTime: string;
}

/** Reads Linux's /proc. */
export function createProcTable(root = "/proc"): ProcessTable {
  return withRows((pid) => readStat(root, pid), {
    bootId: () => firstLine(() => readFileSync(`${root}/sys/kernel/random/boot_id`, "utf8")),
    pidNamespace: () => firstLine(() => readlinkSync(`${root}/self/ns/pid`)),
    processesWithEnvironment: (text) =>
      pidsIn(root).filter((pid) => readOrEmpty(`${root}/${pid}/environ`).includes(text)),
    valuesOfVariable: (name) =>
      new Map(
        pidsIn(root).flatMap((pid): [number, string][] => {
          const environment = readOrEmpty(`${root}/${pid}/environ`);
          if (!environment.includes(`${name}=`)) return [];
          const entry = environment
            .toString("utf8")
            .split("\0")
            .find((line) => line.startsWith(`${name}=`));
          return entry === undefined ? [] : [[pid, entry.slice(name.length + 1)]];
        }),
      ),
    membersOfGroup: (group) =>
      pidsIn(root).filter((pid) => {
        const row = readStat(root, pid);
        return row?.group === group && !isZombie(row);
      }),
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
    valuesOfVariable: (name) =>
      new Map(
        ask("ps", [...(darwin ? ["-axEww"] : ["axeww"]), "-o", "pid=,command="])
          .split("\n")
          .flatMap((line): [number, string][] => {
            const value = line.split(" ").find((word) => word.startsWith(`${name}=`));
            return value === undefined ? [] : [[Number.parseInt(line, 10), value.slice(name.length + 1)]];
          }),
      ),
    membersOfGroup: (group) =>
      ask("ps", ["-ax", "-o", "pid=,pgid=,stat="])
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([, own, state = "Z"]) => Number(own) === group && !state.startsWith("Z"))
        .map(([pid]) => Number(pid)),
  });
}

export const systemProcesses: ProcessTable = process.platform === "linux" ? createProcTable() : createPsTable();

export const {
  processStartTime,
  isAlive,
  parentOf,
  bootId,
  pidNamespace,
  processesWithEnvironment,
  valuesOfVariable,
  groupOf,
  membersOfGroup,
} = systemProcesses;

function withRows(
  rowOf: (pid: number) => ProcessRow | undefined,
  rest: Omit<ProcessTable, "processStartTime" | "parentOf" | "groupOf" | "isAlive">,
): ProcessTable {
  return {
    processStartTime: (pid) => rowOf(pid)?.startTime,
    parentOf: (pid) => rowOf(pid)?.parent,
    groupOf: (pid) => rowOf(pid)?.group,
    isAlive(pid, startTime) {
      const row = rowOf(pid);
      // A process of another user may be hidden from the table and yet be there.
      if (row === undefined) return canBeSignalled(pid);
      return !isZombie(row) && (startTime === undefined || startTime === row.startTime);
    },
    ...rest,
  };
}

function isZombie(row: ProcessRow): boolean {
  return /^[ZX]/.test(row.state);
}

function pidsIn(root: string): number[] {
  return readdirSync(root)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readStat(root: string, pid: number): ProcessRow | undefined {
  const stat = readOrEmpty(`${root}/${pid}/stat`).toString("latin1");
  // The second field is the command's name in parentheses and may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return undefined;
  return { state, parent: Number(parent), group: Number(group), startTime };
}

function askForRow(pid: number): ProcessRow | undefined {
  const [state, parent, group, ...started] = ask("ps", ["-o", "stat=,ppid=,pgid=,lstart=", "-p", String(pid)])
    .trim()
    .split(/\s+/);
  if (state === undefined || started.length === 0) return undefined;
  return { state, parent: Number(parent), group: Number(group), startTime: started.join(" ") };
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

/**
 * What a file of /proc holds, until the next one is read. By hand: such a file says that it is empty, and `readFileSync`
 * would take 64 KB for each.
 */
function readOrEmpty(path: string): Buffer {
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let taken = -1; taken !== 0; length += taken) {
        if (length === content.length) content = Buffer.concat([content], content.length * 2);
        taken = readSync(file, content, length, content.length - length, null);
      }
    } finally {
      closeSync(file);
    }
  } catch {
    return content.subarray(0, 0);
  }
  return content.subarray(0, length);
}

let content = Buffer.allocUnsafeSlow(16_384);

function firstLine(read: () => string): string {
  try {
    return read().split("\n")[0] ?? "";
  } catch {
    return "";
  }
}
