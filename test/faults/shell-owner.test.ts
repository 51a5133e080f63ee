// What is left when the process that started shells is gone, however it went: nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  isAlive,
  parentOf,
  processesWithEnvironment,
  processStartTime,
  valuesOfVariable,
} from "../../src/base/processes.ts";
import { recordHeader, sweepDeadOwners } from "../../src/environment/dead-owners.ts";
import { Watchdog } from "../../src/environment/watchdog.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { long } from "../support/requirements.ts";
import { eventually, markedProcesses } from "../support/shell-world.ts";
import { answerOf, killAndWait, newPlace, type Place, startWorker } from "./shell-processes.ts";
import type { Worker } from "./worker-process.ts";

/** Three processes in the shell's group, one in a session of its own whose parents are gone. */
const family = "(setsid sh -c 'sleep 300 & exec sleep 300' >/dev/null 2>&1 &); sleep 300 & sleep 300 | sleep 300";
const familySize = 6;

async function holdFamily(place: Place): Promise<{ worker: Worker; id: string }> {
  const worker = startWorker("hold", place, family);
  const { id } = await answerOf<{ id: string }>(worker);
  await eventually(() => markedProcesses(id).length === familySize, `${familySize} processes of ${id}`);
  return { worker, id };
}

const shellsOf = (place: Place) => join(place.home, "shells");

function watchdogOf(worker: Worker): number {
  const pid = readdirSync("/proc")
    .map(Number)
    .find((candidate) => Number.isInteger(candidate) && parentOf(candidate) === worker.pid && isWatchdog(candidate));
  if (pid === undefined) throw new Error("there is no watchdog");
  return pid;
}

function isWatchdog(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bub-watchdog");
}

function startStranger(environment: NodeJS.ProcessEnv = {}): { pid: number; ended: Promise<unknown> } {
  const child = spawn("sleep", ["300"], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env.PATH, ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pid: child.pid as number, ended: once(child, "exit") };
}

describe("T2.9 the owner dies", () => {
  test.each(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "T2.9 by %s: its shells and all their descendants end, the record goes",
    async (signal) => {
      const place = newPlace();
      const { worker, id } = await holdFamily(place);
      const watchdog = watchdogOf(worker);
      await killAndWait(worker, signal);
      await eventually(() => markedProcesses(id).length === 0, "nothing left");
      await eventually(() => !isAlive(watchdog), "the watchdog is gone");
      expect(readdirSync(shellsOf(place))).toEqual([]);
    },
  );

  test("T2.9 by leaving without a word", async () => {
    const place = newPlace();
    const worker = startWorker("leave", place, family);
    const { id } = await answerOf<{ id: string }>(worker);
    await once(worker, "exit");
    await eventually(() => markedProcesses(id).length === 0, "nothing left");
    await eventually(() => readdirSync(shellsOf(place)).length === 0, "no record");
  });

  test("T2.9 a shell that ignores TERM is killed", async () => {
    const place = newPlace();
    const worker = startWorker("hold", place, "trap '' TERM; while :; do sleep 0.05; done");
    const { id } = await answerOf<{ id: string }>(worker);
    await eventually(() => markedProcesses(id).length > 0);
    await killAndWait(worker);
    await eventually(() => markedProcesses(id).length === 0, "nothing left");
  });

  test("T2.9 what dropped its environment goes with the group, what dropped the mark and the group stays", async () => {
    const place = newPlace();
    const command = "env -i sleep 300 & echo $! >inner; env -u BUB_SHELL_ID setsid sleep 300 & echo $! >daemon; wait";
    const worker = startWorker("hold", place, command);
    await answerOf(worker);
    const pidIn = (name: string) => Number(readFileSync(join(place.workspace, name), "utf8"));
    await eventually(() => existsSync(join(place.workspace, "daemon")) && pidIn("daemon") > 0);
    const [inner, daemon] = [pidIn("inner"), pidIn("daemon")];
    onTestFinished(() => void process.kill(daemon, "SIGKILL"));
    await eventually(() => !processesWithEnvironment("BUB_SHELL_ID=").includes(daemon), "the daemon is on its own");
    await killAndWait(worker);
    await eventually(() => !isAlive(inner), "the inner process is gone");
    expect(isAlive(daemon)).toBe(true);
  });

  test("T2.9 together with its watchdog: the next start ends what is left, and only that", async () => {
    const place = newPlace();
    const { worker, id } = await holdFamily(place);
    process.kill(watchdogOf(worker), "SIGKILL");
    await killAndWait(worker);
    expect(markedProcesses(id)).toHaveLength(familySize);
    const stranger = startStranger({ BUB_SHELL_ID: "bsh-0badcafe" });
    const [record = ""] = readdirSync(shellsOf(place));
    expect(record.startsWith(`${worker.pid}-`)).toBe(true);
    expect(statSync(join(shellsOf(place), record)).mode & 0o777).toBe(0o600);
    expect(statSync(shellsOf(place)).mode & 0o777).toBe(0o700);

    const next = startWorker("hold", place, "sleep 300");
    const { id: nextId } = await answerOf<{ id: string }>(next);
    await eventually(() => markedProcesses(id).length === 0, "nothing of the dead owner left");
    await eventually(() => !existsSync(join(shellsOf(place), record)), "its record is gone");
    expect(isAlive(stranger.pid)).toBe(true);
    await eventually(() => markedProcesses(nextId).length === 1);
    await killAndWait(next);
    await eventually(() => markedProcesses(nextId).length === 0);
  });

  test(
    `T2.9 at any instant (${long ? 100 : 10} random ones)`,
    async () => {
      const random = randomNumbers(20_261_130);
      for (let round = 0; round < (long ? 100 : 10); round++) {
        const place = newPlace();
        const worker = startWorker("churn", place);
        await answerOf(worker);
        await new Promise((resolve) => setTimeout(resolve, random() * 150));
        const own = () =>
          [...valuesOfVariable("BUB_OWNER")].filter(([, owner]) => owner === String(worker.pid)).map(([pid]) => pid);
        await killAndWait(worker);
        await eventually(() => own().length === 0, `round ${round}: nothing left`);
        const records = () => readdirSync(shellsOf(place)).filter((name) => !name.includes(".pipes-"));
        // Killed before it had a watchdog, it leaves its record to the next start.
        await sweepDeadOwners(place.home);
        await eventually(() => !existsSync(shellsOf(place)) || records().length === 0, "no record");
      }
    },
    long ? 600_000 : 60_000,
  );
});

describe("T2.9 records", () => {
  test("T2.9 a start without a dead owner's record looks for no marks", async () => {
    const place = newPlace();
    const stranger = startStranger({ BUB_SHELL_ID: "bsh-12345678" });
    await sweepDeadOwners(place.home);
    mkdirSync(shellsOf(place), { recursive: true });
    const own = `${process.pid}-${processStartTime(process.pid)}`;
    writeFileSync(join(shellsOf(place), own), "# - -\nbsh-12345678\n");
    await sweepDeadOwners(place.home);
    expect(isAlive(stranger.pid)).toBe(true);
    expect(readdirSync(shellsOf(place))).toEqual([own]);
  });

  test("T2.9 a dead owner's record ends the marked of its ids only", async () => {
    const place = newPlace();
    const named = startStranger({ BUB_SHELL_ID: "bsh-aaaaaaaa" });
    const other = startStranger({ BUB_SHELL_ID: "bsh-bbbbbbbb" });
    mkdirSync(shellsOf(place), { recursive: true });
    // The pid is ours, the start time is not: whoever wrote this is gone.
    writeFileSync(join(shellsOf(place), `${process.pid}-1`), `${recordHeader()}bsh-aaaaaaaa\n`);
    await sweepDeadOwners(place.home);
    await named.ended;
    expect(isAlive(other.pid)).toBe(true);
    expect(readdirSync(shellsOf(place))).toEqual([]);
  });

  test("T2.9 a group whose number means another group by now is not signalled, by start or watchdog", async () => {
    const place = newPlace();
    const stranger = startStranger();
    mkdirSync(shellsOf(place), { recursive: true });
    const path = join(shellsOf(place), `${process.pid}-1`);
    const record = `${recordHeader()}bsh-aaaaaaaa ${stranger.pid} ${stranger.pid} 1\nbsh-aaaaaaaa ${process.pid} ${process.pid} 1\n`;
    writeFileSync(path, record);
    const watchdog = new Watchdog(path);
    await watchdog.close();
    expect(existsSync(path)).toBe(false);
    expect(isAlive(stranger.pid)).toBe(true);

    writeFileSync(path, record);
    await sweepDeadOwners(place.home);
    expect(existsSync(path)).toBe(false);
    expect(isAlive(stranger.pid)).toBe(true);
  });

  test("T2.9 a proven group is ended, by start and by watchdog", async () => {
    for (const end of [
      (path: string) => new Watchdog(path).close(),
      (_path: string, place: Place) => sweepDeadOwners(place.home),
    ]) {
      const place = newPlace();
      const stranger = startStranger();
      mkdirSync(shellsOf(place), { recursive: true });
      const path = join(shellsOf(place), `${process.pid}-1`);
      writeFileSync(
        path,
        `${recordHeader()}bsh-aaaaaaaa ${stranger.pid} ${stranger.pid} ${processStartTime(stranger.pid)}\n`,
      );
      await end(path, place);
      await stranger.ended;
      expect(readdirSync(shellsOf(place))).toEqual([]);
    }
  });

  test("T2.9 folders that a dead owner left while it made pipes go, young ones later", async () => {
    const place = newPlace();
    const [old, young] = ["1-2.pipes-abcdef", "1-2.pipes-ghijkl"].map((name) => join(shellsOf(place), name)) as [
      string,
      string,
    ];
    for (const folder of [old, young]) mkdirSync(folder, { recursive: true });
    utimesSync(old, new Date(0), new Date(0));
    await sweepDeadOwners(place.home);
    expect(existsSync(old)).toBe(false);
    expect(existsSync(young)).toBe(true);
  });

  test("T2.9 a record of another pid namespace is left alone", async () => {
    const place = newPlace();
    const stranger = startStranger({ BUB_SHELL_ID: "bsh-aaaaaaaa" });
    mkdirSync(shellsOf(place), { recursive: true });
    const [, boot] = recordHeader().split(" ");
    writeFileSync(join(shellsOf(place), "999999-1"), `# ${boot} pid:[1]\nbsh-aaaaaaaa\n`);
    await sweepDeadOwners(place.home);
    expect(isAlive(stranger.pid)).toBe(true);
    expect(readdirSync(shellsOf(place))).toEqual(["999999-1"]);
  });
});
