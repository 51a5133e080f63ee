import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type TapeId, tapeIdOf } from "../base/ids.ts";
import { silentLogger } from "../base/log.ts";
import { FileLeases, type FileLeasesOptions } from "./lease.ts";
import type { LeaseRecord, LeaseWorld } from "./lease-record.ts";

const tape = tapeIdOf("/workspace", "cli:local");
const signal = new AbortController().signal;
const atOnce = { sessionId: "cli:local", signal, wait: false };

/** A folder, a turned clock and a process table: pid 7 is this process, others live as the test says. */
function setUp(options: Partial<FileLeasesOptions> = {}, environment: LeaseWorld["environment"] = {}) {
  const folder = mkdtempSync(join(tmpdir(), "bub-lease-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const alive = new Map([[7, "start-7"]]);
  const parents = new Map<number, number>();
  let now = Date.parse("2026-01-01T00:00:00Z");
  const world: LeaseWorld = {
    pid: 7,
    host: "here",
    environment,
    clock: { now: () => new Date(now) },
    processes: {
      processStartTime: (pid) => alive.get(pid),
      isAlive: (pid, startTime) => alive.has(pid) && (startTime === undefined || alive.get(pid) === startTime),
      parentOf: (pid) => parents.get(pid),
      bootId: () => "boot-1",
      pidNamespace: () => "pid:[1]",
    },
  };
  const pathOf = (id: TapeId) => join(folder, `${id}.lease`);
  const path = pathOf(tape);
  const write = (place: string, record: Partial<LeaseRecord>) => {
    const base = {
      token: "aaaa",
      pid: 9,
      host: "here",
      start_time: "start-9",
      boot_id: "boot-1",
      pid_namespace: "pid:[1]",
    };
    writeFileSync(place, JSON.stringify({ ...base, ...record }));
    utimesSync(place, new Date(now), new Date(now));
  };
  return {
    leases: new FileLeases({ folder, world, log: silentLogger, ...options }),
    path,
    pathOf,
    alive,
    parents,
    write,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    names: () => readdirSync(folder),
    now: () => now,
  };
}

/** How many files this process has open; where nobody can tell, always the same. */
function openFiles(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

test("R1.6 the lease is a private file beside the tape that says who holds it, and goes with the turn", async () => {
  const { leases, path, names } = setUp();
  const lease = await leases.acquire(tape, atOnce);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    token: lease.token,
    pid: 7,
    host: "here",
    start_time: "start-7",
    boot_id: "boot-1",
    pid_namespace: "pid:[1]",
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(names()).toEqual([`${tape}.lease`]);
  await lease[Symbol.asyncDispose]();
  expect(names()).toEqual([]);
});

describe("R1.6 a holder that is gone", () => {
  test.each([
    ["a dead process", {}],
    ["another process with its pid", { pid: 7, start_time: "start-6" }],
  ])("R1.6 is succeeded at once when it was %s", async (_name, record) => {
    const { leases, path, write, names } = setUp();
    write(path, record);
    expect(await leases.holder(tape)).toBeUndefined();
    const lease = await leases.acquire(tape, atOnce);
    lease.check();
    expect(names()).toEqual([`${tape}.lease`]);
  });

  test.each([
    ["of another boot", { boot_id: "boot-0" }],
    ["of another pid namespace", { pid_namespace: "pid:[2]" }],
    ["of another machine", { boot_id: "boot-9", host: "there" }],
  ])("R1.6 is succeeded after 30 s without heartbeat when it is %s", async (_name, record) => {
    const { leases, path, write, pass } = setUp();
    write(path, record);
    pass(30_000);
    expect(await leases.holder(tape)).toMatchObject({ token: "aaaa" });
    await expect(leases.acquire(tape, atOnce)).rejects.toMatchObject({ kind: "temporary" });
    pass(1);
    (await leases.acquire(tape, atOnce)).check();
  });

  test("R1.6 is succeeded after 30 s when a power cut emptied its file", async () => {
    const { leases, path, now, pass, names } = setUp();
    writeFileSync(path, "");
    utimesSync(path, new Date(now()), new Date(now()));
    await expect(leases.acquire(tape, atOnce)).rejects.toMatchObject({ kind: "temporary" });
    pass(30_001);
    (await leases.acquire(tape, atOnce)).check();
    expect(names()).toEqual([`${tape}.lease`]);
  });

  test("R1.6 is succeeded through any number of successors that died on the way", async () => {
    const { leases, path, write, names } = setUp();
    write(path, { token: "aaaa" });
    write(`${path}.after.aaaa`, { token: "bbbb", pid: 10 });
    write(`${path}.after.bbbb`, { token: "cccc", pid: 11 });
    const lease = await leases.acquire(tape, atOnce);
    lease.check();
    expect(names()).toEqual([`${tape}.lease`]);
  });

  test("R1.6 is left to a living successor", async () => {
    const { leases, path, write, alive, names } = setUp();
    const before = openFiles();
    alive.set(10, "start-10");
    write(path, { token: "aaaa" });
    write(`${path}.after.aaaa`, { token: "bbbb", pid: 10, start_time: "start-10" });
    await expect(leases.acquire(tape, atOnce)).rejects.toThrow("session 'cli:local' is held by process 10 on here");
    expect(names().sort()).toEqual([`${tape}.lease`, `${tape}.lease.after.aaaa`]);
    expect(openFiles()).toBe(before);
  });

  test("R1.6 has one successor, however many try", async () => {
    const { leases, path, write } = setUp();
    write(path, {});
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => leases.acquire(tape, atOnce)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

test("R1.6 a living holder is waited for and named once; its release wakes the waiter", async () => {
  // Looking by time would come too late for this test: it is the file's going that wakes.
  const { leases } = setUp({ lookMs: 60_000 });
  const first = await leases.acquire(tape, atOnce);
  const told: unknown[] = [];
  const waiting = leases.acquire(tape, { sessionId: "s", signal, onWait: (holder) => told.push(holder.token) });
  await expect.poll(() => told).toEqual([first.token]);
  await first[Symbol.asyncDispose]();
  const second = await waiting;
  second.check();
  expect(told).toHaveLength(1);
});

test("R1.6 a holder that dies while others wait is noticed by time", async () => {
  const { leases, path, write, alive } = setUp({ lookMs: 10 });
  alive.set(9, "start-9");
  write(path, {});
  const waiting = leases.acquire(tape, { sessionId: "s", signal, onWait: () => alive.delete(9) });
  (await waiting).check();
});

test("R1.6 a lease that was taken over refuses, and is not removed by its former holder", async () => {
  const { leases, path, write } = setUp();
  const lease = await leases.acquire(tape, atOnce);
  write(path, { token: "bbbb" });
  expect(() => lease.check()).toThrow("session 'cli:local' was taken over by another process");
  await lease[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(true);
  rmSync(path);
  expect(() => lease.check()).toThrow("taken over");
});

test("R1.6 a lease that is taken over between two writes refuses the second", async () => {
  const { leases, path, write } = setUp();
  await using lease = await leases.acquire(tape, atOnce);
  lease.check();
  lease.check();
  // The file system's clock has gone on since: within one tick of it nothing can be told apart.
  await expect
    .poll(() => {
      writeFileSync(`${path}.probe`, "");
      return statSync(`${path}.probe`).ctimeMs;
    })
    .toBeGreaterThan(statSync(path).ctimeMs);
  write(path, { token: "bbbb" });
  expect(() => lease.check()).toThrow("taken over");
});

test("R1.6 a lease shows life by the clock of its holder from the first moment", async () => {
  const { leases, path, now } = setUp();
  await using _lease = await leases.acquire(tape, atOnce);
  expect(statSync(path).mtimeMs).toBe(now());
});

test("R1.6 the holder shows signs of life on its own file only", async () => {
  const { leases, path, pathOf, pass, write, now } = setUp({ heartbeatMs: 2 });
  const other = tapeIdOf("/workspace", "cli:other");
  await using _lease = await leases.acquire(tape, atOnce);
  pass(10_000);
  await expect.poll(() => statSync(path).mtimeMs).toBe(now());
  rmSync(path);
  write(path, { token: "bbbb" });
  const before = statSync(path).mtimeMs;
  pass(10_000);
  // The timers of two leases go round together: what the later one has shown, the first one would have shown.
  await using _other = await leases.acquire(other, { ...atOnce, sessionId: "cli:other" });
  pass(10_000);
  await expect.poll(() => statSync(pathOf(other)).mtimeMs).toBe(now());
  pass(10_000);
  await expect.poll(() => statSync(pathOf(other)).mtimeMs).toBe(now());
  expect(statSync(path).mtimeMs).toBe(before);
});

describe("R1.6 a process started below the holder", () => {
  const sentence = "session 'cli:local' is held by the run that started this process; use --new or --session-id";

  test("R1.6 does not wait, and is told what to do", async () => {
    const { leases, path, write, alive } = setUp({}, { BUB_OWNER: "9" });
    alive.set(9, "start-9");
    write(path, {});
    await expect(leases.acquire(tape, { ...atOnce, wait: true })).rejects.toMatchObject({
      kind: "invalid_input",
      message: sentence,
    });
  });

  test("R1.6 is found through the runs between them", async () => {
    const { leases, path, write, alive, parents } = setUp({}, { BUB_OWNER: "20" });
    alive.set(9, "start-9");
    parents.set(20, 15).set(15, 9).set(9, 1);
    write(path, {});
    await expect(leases.acquire(tape, atOnce)).rejects.toThrow(sentence);
  });

  test("R1.6 is told from a process started by another run, and from the holder itself", async () => {
    const { leases, path, write, alive, parents } = setUp({}, { BUB_OWNER: "20" });
    alive.set(9, "start-9");
    parents.set(20, 1);
    write(path, {});
    await expect(leases.acquire(tape, atOnce)).rejects.toMatchObject({ kind: "temporary" });
    write(path, { pid: 7, start_time: "start-7" });
    await expect(leases.acquire(tape, atOnce)).rejects.toMatchObject({ kind: "temporary" });
  });
});

test("R3.4 a home that cannot be written gives one clear sentence", async () => {
  const { path } = setUp();
  writeFileSync(path, "a file");
  const leases = new FileLeases({ folder: join(path, "tapes"), world: { ...setUpWorld() }, log: silentLogger });
  await expect(leases.acquire(tape, atOnce)).rejects.toMatchObject({
    kind: "config",
    message: expect.stringMatching(/^cannot (take|read) the lease .*: a part of the path is not a folder$/),
  });
});

function setUpWorld(): LeaseWorld {
  const processes = {
    processStartTime: () => "",
    isAlive: () => true,
    parentOf: () => undefined,
    bootId: () => "",
    pidNamespace: () => "",
  };
  return { pid: 7, host: "here", environment: {}, clock: { now: () => new Date() }, processes };
}
