import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LocalProcesses } from "./local-processes.ts";

function newProcesses(): { processes: LocalProcesses; home: string } {
  const home = mkdtempSync(join(tmpdir(), "bub-processes-"));
  const processes = new LocalProcesses({ home, environment: () => ({ PATH: process.env.PATH ?? "" }) });
  onTestFinished(async () => {
    await processes[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });
  return { processes, home };
}

const idOf = (number: number) => `bsh-${number.toString(16).padStart(8, "0")}`;

test("T2.9 shells of which nothing is left are forgotten in time, others are not", async () => {
  const { processes, home } = newProcesses();
  const run = async (command: string, number: number) => {
    const shell = await processes.spawn(command, { shellId: idOf(number), sessionId: "s", cwd: home });
    return shell.exited;
  };
  await run("setsid sleep 300 >/dev/null 2>&1 &", 1);
  for (let number = 2; number <= 280; number += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => run(":", number + index)));
  }
  const [record = ""] = readdirSync(join(home, "shells"));
  const lines = readFileSync(join(home, "shells", record), "utf8").split("\n");
  expect(lines.length).toBeLessThan(400);
  expect(lines.some((line) => line.startsWith(idOf(1)))).toBe(true);
  expect(lines.filter((line) => line.startsWith(idOf(2)))).toEqual([]);
}, 60_000);

test("T2.9 two places of one home and process share a record, and the last one removes it", async () => {
  const { processes, home } = newProcesses();
  const other = new LocalProcesses({ home, environment: () => ({ PATH: process.env.PATH ?? "" }) });
  await processes.spawn("sleep 300", { shellId: idOf(1), sessionId: "s", cwd: home });
  await other.spawn("sleep 300", { shellId: idOf(2), sessionId: "s", cwd: home });
  const records = () => readdirSync(join(home, "shells"));
  expect(records()).toHaveLength(1);
  await other[Symbol.asyncDispose]();
  expect(records()).toHaveLength(1);
  await processes[Symbol.asyncDispose]();
  expect(records()).toEqual([]);
});
