import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { tapeIdOf } from "../../src/base/ids.ts";
import { systemProcesses } from "../../src/base/processes.ts";
import { createFileStorage } from "../../src/tape/file-store.ts";
import { systemWorld } from "../../src/tape/lease-record.ts";
import { Tape } from "../../src/tape/tape.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { long, missing } from "../support/requirements.ts";
import { startWorker, temporaryHome, workerCommand } from "./tape-processes.ts";
import { answersOf, startCommand } from "./worker-process.ts";

const id = tapeIdOf("/workspace", "cli:local");
const signal = new AbortController().signal;
const options = { sessionId: "cli:local", signal };

test.each([
  [2, 500],
  [8, 60],
])("R1.6 %i processes append %i entries each: no torn line, no repeated id, none lost", async (processes, each) => {
  const home = temporaryHome();
  const workers = Array.from({ length: processes }, () => startWorker("turns", home, each));
  await Promise.all(workers.map(answersOf));

  const storage = createFileStorage({ home });
  const lines = readFileSync(storage.tapes.locate(id), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(lines.map((entry) => entry.id)).toEqual(Array.from({ length: processes * each + 2 }, (_, index) => index + 1));
  for (const { pid } of workers) {
    const own = lines.flatMap(({ payload }) => (`${payload.content}`.startsWith(`${pid}:`) ? [payload.content] : []));
    expect(own).toEqual(Array.from({ length: each }, (_, index) => `${pid}:${index}`));
  }
  expect(await storage.leases.holder(id)).toBeUndefined();
});

test("R1.6 the lease of a killed process is taken over within 2 s by one that waits, and at once by one that comes", async () => {
  const home = temporaryHome();
  const storage = createFileStorage({ home });
  const worker = startWorker("hold", home);
  await once(worker.stdout, "data");
  expect(await storage.leases.holder(id)).toMatchObject({ pid: worker.pid });

  let killedAt = 0;
  const onWait = () => {
    worker.kill("SIGKILL");
    killedAt = performance.now();
  };
  const lease = await storage.leases.acquire(id, { ...options, onWait });
  expect(performance.now() - killedAt).toBeLessThan(2_000);
  await lease[Symbol.asyncDispose]();

  const next = startWorker("hold", home);
  await once(next.stdout, "data");
  const exited = once(next, "exit");
  next.kill("SIGKILL");
  await exited;
  (await storage.leases.acquire(id, { ...options, wait: false })).check();
});

test("R1.6 a stopped holder keeps its lease from those who see that it lives; taken over from elsewhere, it wakes and writes nothing", async () => {
  const home = temporaryHome();
  const worker = startWorker("steps", home);
  await saying("held", worker.stdout);
  const written = saying("written", worker.stdout);
  worker.stdin.write("before\n");
  await written;
  worker.kill("SIGSTOP");

  const here = createFileStorage({ home });
  await expect(here.leases.acquire(id, { ...options, wait: false })).rejects.toMatchObject({ kind: "temporary" });
  // Elsewhere nobody can look the process up: half a minute without a sign of life is all there is.
  const world = systemWorld();
  const elsewhere = createFileStorage({
    home,
    world: {
      ...world,
      processes: { ...systemProcesses, pidNamespace: () => "another" },
      clock: { now: () => new Date(world.clock.now().getTime() + 31_000) },
    },
  });
  const lease = await elsewhere.leases.acquire(id, { ...options, wait: false });
  const tape = await Tape.open(await elsewhere.tapes.open(id), { lease });
  await tape.append([{ kind: "message", payload: { role: "user", content: "meanwhile" } }]);
  await tape.close();

  const refused = saying("was taken over by another process", worker.stdout);
  worker.stdin.write("after\n");
  worker.kill("SIGCONT");
  await refused;
  const texts: unknown[] = [];
  for await (const { kind, payload } of (await here.tapes.open(id)).forward())
    if (kind === "message") texts.push(payload.content);
  expect(texts).toEqual(["before", "meanwhile"]);
  expect(await elsewhere.leases.holder(id)).toMatchObject({ token: lease.token });
  await lease[Symbol.asyncDispose]();
});

/** Resolves once a process has said it. */
function saying(word: string, stdout: Readable): Promise<void> {
  let said = "";
  return new Promise((resolve) => {
    stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes(word)) resolve();
    });
  });
}

test("R1.6 one of many processes that find a dead owner's lease at the same moment succeeds it", async () => {
  const home = temporaryHome();
  const dead = startWorker("hold", home);
  await once(dead.stdout, "data");
  const record = JSON.parse(readFileSync(join(home, "tapes", `${id}.lease`), "utf8"));
  const exited = once(dead, "exit");
  dead.kill("SIGKILL");
  await exited;
  const rounds = long ? 2_000 : 200;
  for (let round = 0; round < rounds; round++) {
    const path = join(home, "tapes", `${tapeIdOf("/workspace", String(round))}.lease`);
    writeFileSync(path, JSON.stringify({ ...record, token: `dead-${round}` }));
    // Every third lease was being succeeded by one that died as well.
    if (round % 3 === 0)
      writeFileSync(`${path}.after.dead-${round}`, JSON.stringify({ ...record, token: `heir-${round}` }));
  }
  const contenders = Array.from({ length: 6 }, () => startWorker("contend", home, rounds));
  const start = Date.now() + 1_000;
  for (const { stdin } of contenders) stdin.write(`${start}\n`);
  const answers = contenders.map(answersOf);
  await Promise.all(contenders.map(({ stdout }) => saying("tried", stdout)));
  for (const { stdin } of contenders) stdin.end();

  const won = (await Promise.all(answers)).flat().filter((answer) => answer !== "tried");
  expect(won.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: rounds }, (_, round) => round));
});

test("R3.3 what was acknowledged survives SIGKILL, and the tape goes on without a gap", async () => {
  const home = temporaryHome();
  const storage = createFileStorage({ home });
  const random = randomNumbers(20_261_130);
  for (let kill = 0; kill < (long ? 200 : 12); kill++) {
    const worker = startWorker("append", home);
    let said = "";
    worker.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    await once(worker.stdout, "data");
    const closed = once(worker, "close");
    setTimeout(() => worker.kill("SIGKILL"), random() * 30);
    await closed;
    // The last line may have been cut by the kill.
    const acknowledged = Number(said.split("\n").at(-2));

    await using lease = await storage.leases.acquire(id, options);
    await using tape = await Tape.open(await storage.tapes.open(id), { lease });
    expect(tape.lastId).toBeGreaterThanOrEqual(acknowledged);
    await tape.append([{ kind: "event", payload: { name: "restart" } }]);
  }
  const log = await storage.tapes.open(id);
  let last = 0;
  for await (const entry of log.forward()) expect(entry.id).toBe(++last);
  expect(last).toBeGreaterThan(12);
});

interface Answer {
  error: unknown;
  before: { lastId: number; size: number };
  after: { lastId: number; size: number };
  texts: unknown[];
  [name: string]: unknown;
}

const canMount = !missing("unshare");

test.skipIf(!canMount)(
  "R3.4 a full disk gives a clear error, and everything earlier stays (needs unshare)",
  async () => {
    const home = temporaryHome();
    const command = workerCommand("fill", home, 100_000).join(" ");
    const mounted = ["unshare", "-rm", "sh", "-c", `mount -t tmpfs -o size=80k none ${home} && ${command}`];
    const [answer] = (await answersOf(startCommand(mounted))) as [Answer];
    const full = { kind: "config", message: expect.stringMatching(/^cannot .*: the disk is full$/) };
    expect(answer).toMatchObject({ error: full, put: full, media: full, replaced: full, inbox: [] });
    expect(answer.after).toEqual(answer.before);
    expect(answer.texts).toEqual(["first", "second", "third"]);
  },
);

test("R3.4 when no more files can be opened the tape says so, and goes on later", async () => {
  const home = temporaryHome();
  await (await createFileStorage({ home }).tapes.open(id)).append([]);
  const command = ["sh", "-c", `ulimit -n 64; exec ${workerCommand("files", home).join(" ")}`];
  const [answer] = (await answersOf(startCommand(command))) as [Answer];
  const many = { kind: "config", message: expect.stringMatching(/^cannot .*: too many files are open$/) };
  expect(answer).toMatchObject({ lease: many, opened: many, texts: ["after"] });
});

test("R3.5 reading a whole tape takes memory that does not grow with it", async () => {
  const home = temporaryHome();
  const path = createFileStorage({ home }).tapes.locate(id);
  mkdirSync(join(path, ".."));
  const megabytes = long ? 1_024 : 128;
  let next = 1;
  for (let written = 0; written < megabytes; written++) {
    const lines = Array.from({ length: 1_024 }, () => {
      const entry = {
        id: next++,
        kind: "message",
        payload: { content: "m".repeat(930) },
        meta: {},
        date: "2026-01-01T00:00:00Z",
      };
      return `${JSON.stringify(entry)}\n`;
    });
    appendFileSync(path, lines.join(""));
  }
  const [answer] = (await answersOf(startWorker("read", home))) as [{ entries: number; grown: number }];
  expect(answer.entries).toBe((next - 1) * 2);
  expect(answer.grown).toBeLessThan(64 * 1024 * 1024);
});
