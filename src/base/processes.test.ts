import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { createProcTable, createPsTable, type ProcessTable } from "./processes.ts";

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

function startSleeper(environment: NodeJS.ProcessEnv = {}) {
  const child = spawn("sleep", ["60"], { env: { ...process.env, ...environment }, stdio: "ignore" });
  started.push(child);
  return child as typeof child & { pid: number };
}

async function untilEqual(read: () => unknown, wanted: unknown): Promise<void> {
  await expect.poll(read, { interval: 5, timeout: 5_000 }).toEqual(wanted);
}

const hasPs = spawnSync("ps", ["-p", "1"]).status === 0;
const tables: [string, ProcessTable, boolean][] = [
  ["/proc", createProcTable(), process.platform === "linux"],
  ["ps", createPsTable(), hasPs],
];

for (const [name, table, available] of tables) {
  describe.skipIf(!available)(`R1.6 the process table, read by ${name}`, () => {
    test("tells a living process from a dead one and from a later one with its pid", async () => {
      const child = startSleeper();
      const startTime = table.processStartTime(child.pid);
      expect(startTime).toBeTruthy();
      expect(table.processStartTime(child.pid)).toBe(startTime);
      expect(table.isAlive(child.pid)).toBe(true);
      expect(table.isAlive(child.pid, startTime)).toBe(true);
      expect(table.isAlive(child.pid, "another time")).toBe(false);

      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      expect(table.isAlive(child.pid, startTime)).toBe(false);
      expect(table.processStartTime(child.pid)).toBeUndefined();
    });

    test("counts a zombie as dead", async () => {
      // The shell becomes a sleep that never reaps the child which the shell started.
      const parent = spawn("bash", ["-c", "sleep 0 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
      started.push(parent);
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      await untilEqual(() => table.isAlive(Number(line.toString())), false);
    });

    test("knows parents and which processes carry a text in their environment", async () => {
      const marker = `BUB_TEST_MARK=${process.pid}-${name}`;
      const child = startSleeper({ BUB_TEST_MARK: marker.slice("BUB_TEST_MARK=".length) });
      expect(table.parentOf(child.pid)).toBe(process.pid);
      await untilEqual(() => table.processesWithEnvironment(marker), [child.pid]);
      expect(table.valuesOfVariable("BUB_TEST_MARK").get(child.pid)).toBe(marker.slice("BUB_TEST_MARK=".length));
      expect(table.parentOf(2 ** 30)).toBeUndefined();
      expect(table.isAlive(2 ** 30)).toBe(false);
    });

    test("T2.7 knows which processes are in a group", async () => {
      const leader = spawn("bash", ["-c", "sleep 60 & echo; wait"], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      started.push(leader);
      await once(leader.stdout, "data");
      const members = table.membersOfGroup(leader.pid as number);
      expect(members).toContain(leader.pid);
      expect(members).toHaveLength(2);
      for (const pid of members) expect(table.groupOf(pid)).toBe(leader.pid);
      process.kill(-(leader.pid as number), "SIGKILL");
      await untilEqual(() => table.membersOfGroup(leader.pid as number), []);
      expect(table.groupOf(2 ** 30)).toBeUndefined();
    });
  });
}

test.skipIf(process.platform !== "linux")("R1.6 a boot and a pid namespace have names", () => {
  const table = createProcTable();
  expect(table.bootId()).toMatch(/^[0-9a-f-]{36}$/);
  expect(table.pidNamespace()).toMatch(/^pid:\[\d+\]$/);
});

test("R1.6 a process whose name holds parentheses and spaces is read right", async () => {
  const child = spawn(process.execPath, ["-e", "process.title='a) b (c'; console.log(1); setInterval(() => {}, 1e6)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  expect(createProcTable().parentOf(child.pid as number)).toBe(process.pid);
});
