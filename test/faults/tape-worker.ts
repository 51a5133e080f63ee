// The other process of the tape's fault tests: `node <bundle> <job> <home> [number]`, answers in lines on stdout.
import { once } from "node:events";
import { openSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { isBubError } from "../../src/base/errors.ts";
import type { TapeId } from "../../src/base/ids.ts";
import { tapeIdOf } from "../../src/base/ids.ts";
import { createFileStorage } from "../../src/tape/file-store.ts";
import type { Lease } from "../../src/tape/store.ts";
import { Tape } from "../../src/tape/tape.ts";

const [job = "", home = "", number = "0"] = process.argv.slice(2);
const count = Number(number);
const storage = createFileStorage({ home });
const id = tapeIdOf("/workspace", "cli:local");
const signal = new AbortController().signal;
const say = (value: unknown) => console.log(JSON.stringify(value));

const jobs: Record<string, () => Promise<void>> = {
  /** One entry a turn, each turn under its own lease. */
  async turns() {
    for (let index = 0; index < count; index++) {
      await using lease = await acquire(id);
      await using tape = await open(lease);
      await tape.append([message(`${process.pid}:${index}`)]);
    }
  },

  async hold() {
    await acquire(id);
    say("held");
    setInterval(() => undefined, 1_000);
  },

  /** Tries to take each of `count` tapes at the same moment as everybody else, and keeps what it gets. */
  async contend() {
    const [start] = await linesOf(1);
    for (let round = 0; round < count; round++) {
      while (Date.now() < Number(start) + round * 3);
      const tape = tapeIdOf("/workspace", String(round));
      const lease = await acquire(tape, false).catch((error: unknown) => {
        if (!isBubError(error) || error.kind !== "temporary") throw error;
      });
      if (lease !== undefined) say(round);
    }
    // Whoever ended sooner than the others would leave them leases of the dead.
    say("tried");
    process.stdin.resume();
    await once(process.stdin, "end");
  },

  /** Appends until it is killed and says each id once it is written. */
  async append() {
    const lease = await acquire(id);
    const tape = await open(lease);
    for (;;) {
      const entries = await tape.append([message("a".repeat(700)), message("☕".repeat(300))]);
      process.stdout.write(`${entries.at(-1)?.id}\n`);
      if (tape.lastId % 50 === 0) await tape.sync();
    }
  },

  /** Holds its lease, and with each line that it is given appends an entry and says how that went. */
  async steps() {
    const tape = await open(await acquire(id));
    say("held");
    for await (const line of createInterface({ input: process.stdin }))
      say(await tape.append([message(line)]).then(() => "written", sayable));
  },

  /** Fills a small disk, then says what the error was, and what the tape holds after it. */
  async fill() {
    const tape = await open(await acquire(id));
    await tape.append([message("first")]);
    const before = { lastId: tape.lastId, size: statSync(storage.tapes.locate(id)).size };
    const error = await tape.append(Array.from({ length: 3 }, () => message("x".repeat(count)))).catch(sayable);
    const after = { lastId: tape.lastId, size: statSync(storage.tapes.locate(id)).size };
    await tape.append([message("second")]);
    const put = await storage.inboxes
      .put(id, { kind: "steer", payload: { content: "x".repeat(count) }, meta: {} })
      .catch(sayable);
    const media = await storage.media.put(Buffer.alloc(count)).catch(sayable);
    const replaced = await tape.replace([message("x".repeat(count))]).catch(sayable);
    await tape.append([message("third")]);
    await using reopened = await Tape.open(await storage.tapes.open(id));
    say({
      error,
      before,
      after,
      put,
      media,
      replaced,
      texts: textsOf(reopened),
      inbox: await storage.inboxes.list(id),
    });
    process.exit(0);
  },

  /** Uses up all file descriptors, then says how the tape fails, and how it goes on when some are free. */
  async files() {
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync("/dev/null", "r"));
    } catch {}
    const lease = await acquire(id).catch(sayable);
    const opened = await storage.tapes.open(id).then((log) => log.append([]), sayable);
    const { closeSync } = await import("node:fs");
    for (const fd of taken) closeSync(fd);
    const tape = await open(await acquire(id));
    await tape.append([message("after")]);
    say({ lease, opened, texts: textsOf(tape) });
    process.exit(0);
  },

  /** Reads everything and says by how many bytes the process grew. */
  async read() {
    const log = await storage.tapes.open(id);
    for await (const _entry of log.forward({ after: Number.MAX_SAFE_INTEGER })) break;
    const before = process.resourceUsage().maxRSS;
    let entries = 0;
    for await (const _entry of log.forward()) entries++;
    for await (const _entry of log.backward()) entries++;
    say({ entries, grown: (process.resourceUsage().maxRSS - before) * 1024 });
  },
};

async function acquire(tape: TapeId, wait = true): Promise<Lease> {
  return storage.leases.acquire(tape, { sessionId: "cli:local", signal, wait });
}

async function open(lease: Lease): Promise<Tape> {
  return Tape.open(await storage.tapes.open(id), { lease });
}

function message(content: string) {
  return { kind: "message", payload: { role: "user", content } } as const;
}

function textsOf(tape: Tape): unknown[] {
  return tape.recent.flatMap(({ kind, payload }) => (kind === "message" ? [payload.content] : []));
}

function sayable(error: unknown) {
  return isBubError(error) ? { kind: error.kind, message: error.message } : { message: String(error) };
}

async function linesOf(wanted: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: process.stdin })) if (lines.push(line) === wanted) break;
  return lines;
}

await jobs[job]?.();
