// What every tape storage has to do, whatever keeps it: the one suite for all four ports.
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { newTaskId, type TapeId, tapeIdOf } from "../../src/base/ids.ts";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { queryLog } from "../../src/tape/query.ts";
import { searchTape } from "../../src/tape/search.ts";
import type { InboxDraft, TapeLog, TapeStorage } from "../../src/tape/store.ts";
import { drafts, kindOf, naiveQuery, naiveSearch, queries, words } from "./naive-tape.ts";

export interface StorageUnderTest {
  name: string;
  /** A storage without content, and how to get rid of it. */
  create: () => Promise<{ storage: TapeStorage; dispose: () => Promise<void> }>;
}

const tape = tapeIdOf("/workspace", "cli:local");
const never = new AbortController().signal;

/** Runs the contract of `TapeStorage` on one implementation. */
export function describeTapeStorage({ name, create }: StorageUnderTest): void {
  async function setUp(): Promise<TapeStorage> {
    const { storage, dispose } = await create();
    onTestFinished(dispose);
    return storage;
  }

  async function setUpLog(): Promise<{ storage: TapeStorage; log: TapeLog }> {
    const storage = await setUp();
    return { storage, log: await openLog(storage, tape) };
  }

  describe(`${name}: log`, () => {
    test("R3.6 a tape that was never written is empty", async () => {
      const { log } = await setUpLog();
      expect(await idsOf(log.backward())).toEqual([]);
      expect(await idsOf(log.forward())).toEqual([]);
      expect(await log.size()).toBe(0);
      expect(log.id).toBe(tape);
    });

    test("R3.3 what was appended is read by the next who opens the tape", async () => {
      const { storage, log } = await setUpLog();
      await log.append([entryOf(1, { text: "磁带 ☕ \u2028 \n \0 end" })]);
      await log.append([entryOf(2), entryOf(3)]);
      await log.sync();
      const other = await openLog(storage, tape);
      expect(await allOf(other.forward())).toEqual([
        entryOf(1, { text: "磁带 ☕ \u2028 \n \0 end" }),
        entryOf(2),
        entryOf(3),
      ]);
      expect(await other.size()).toBeGreaterThan(0);
      expect(storage.tapes.locate(tape)).toContain(tape);
    });

    test("R3.3 the store keeps what was appended, not the object that was", async () => {
      const { log } = await setUpLog();
      const entry = entryOf(1, { text: "before", absent: undefined });
      await log.append([entry]);
      entry.payload.text = "after";
      expect(await allOf(log.forward())).toEqual([entryOf(1, { text: "before" })]);
    });

    test("R3.5 entries are read from either end and from any id", async () => {
      const { log } = await setUpLog();
      await log.append([1, 2, 3, 4, 5].map((id) => entryOf(id)));
      expect(await idsOf(log.backward())).toEqual([5, 4, 3, 2, 1]);
      expect(await idsOf(log.backward({ before: 3 }))).toEqual([2, 1]);
      expect(await idsOf(log.forward())).toEqual([1, 2, 3, 4, 5]);
      expect(await idsOf(log.forward({ after: 3 }))).toEqual([4, 5]);
      for await (const entry of log.backward()) if (entry.id === 4) break;
      expect(await idsOf(log.forward({ after: 5 }))).toEqual([]);
    });

    test("R3.5 a read sees what was there when it began", async () => {
      const { log } = await setUpLog();
      await log.append([entryOf(1), entryOf(2)]);
      const reading = log.forward()[Symbol.asyncIterator]();
      expect((await reading.next()).value.id).toBe(1);
      await log.append([entryOf(3)]);
      expect((await reading.next()).value.id).toBe(2);
      expect((await reading.next()).done).toBe(true);
    });

    test("R3.5 reading stops with the signal", async () => {
      const { log } = await setUpLog();
      await log.append([entryOf(1)]);
      const signal = AbortSignal.abort(new Error("stopped"));
      await expect(allOf(log.backward({ signal }))).rejects.toThrow("stopped");
      await expect(allOf(log.forward({ signal }))).rejects.toThrow("stopped");
    });

    test("T6.7 a tape begun anew holds only what it was begun with, and open reads go on", async () => {
      const { storage, log } = await setUpLog();
      await log.append([entryOf(1), entryOf(2), entryOf(3)]);
      const fork = await openLog(storage, tape);
      const reading = log.backward()[Symbol.asyncIterator]();
      expect((await reading.next()).value.id).toBe(3);

      await log.replace([entryOf(1, { text: "new" })]);
      await log.append([entryOf(2, { text: "newer" })]);

      expect((await reading.next()).value.id).toBe(2);
      expect(await idsOf(fork.forward())).toEqual([1, 2, 3]);
      expect(await allOf(log.forward())).toEqual([entryOf(1, { text: "new" }), entryOf(2, { text: "newer" })]);
      expect(await idsOf((await openLog(storage, tape)).backward())).toEqual([2, 1]);
    });

    test("T6.7 archives of one tape never take each other's place", async () => {
      const { log } = await setUpLog();
      await log.append([entryOf(1)]);
      const places = [];
      for (let count = 0; count < 3; count++) places.push(await log.archive());
      expect(new Set(places).size).toBe(3);
      expect(places[0]).toMatch(/\.bak$/);
      expect(await (await openLog(await setUp(), tapeIdOf("/workspace", "never"))).archive()).toBeUndefined();
    });

    test("R1.6 a tape that others changed has to be opened anew", async () => {
      const { storage, log } = await setUpLog();
      await log.append([entryOf(1)]);
      const [behind, replaced] = [await openLog(storage, tape), await openLog(storage, tape)];
      await log.append([entryOf(2)]);
      await expect(behind.append([entryOf(2)])).rejects.toMatchObject({ kind: "temporary" });
      await log.replace([entryOf(1)]);
      await expect(replaced.append([entryOf(2)])).rejects.toMatchObject({ kind: "temporary" });
      await expect(replaced.replace([entryOf(1)])).rejects.toMatchObject({ kind: "temporary" });
      expect(await idsOf(log.forward())).toEqual([1]);
      const late = await openLog(storage, tape);
      await late.append([entryOf(2)]);
      expect(await idsOf(late.forward())).toEqual([1, 2]);
    });

    test("R3.1 tapes are remembered with their workspace and session, each once", async () => {
      const storage = await setUp();
      const record = { tape, workspace: "/workspace", session: "cli:local", date: "2026-01-01T00:00:00.000Z" };
      expect(await storage.tapes.sessions()).toEqual([]);
      await storage.tapes.register(record);
      await storage.tapes.register({ ...record, tape: tapeIdOf("", "temp"), workspace: null, session: "temp" });
      await storage.tapes.register(record);
      expect((await storage.tapes.sessions()).map(({ session }) => session)).toEqual(["cli:local", "temp"]);
    });

    test("R3.6 any query answers what a plain filter of all entries does", { timeout: 60_000 }, async () => {
      const storage = await setUp();
      let count = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(drafts, { maxLength: 30 }), queries, async (made, query) => {
          const log = await openLog(storage, tapeIdOf("/property", String(count++)));
          const entries = made.map((draft, index) => ({ ...draft, id: index + 1 }));
          // In batches of three, so that no store depends on one write.
          for (let at = 0; at < entries.length; at += 3) await log.append(entries.slice(at, at + 3));
          const wanted = naiveQuery(entries, query);
          const given = await allOf(queryLog(log, query)).catch((error: unknown) => kindOf(error));
          await log[Symbol.asyncDispose]();
          expect(given).toEqual(wanted);
        }),
        { numRuns: 150 },
      );
    });
  });

  describe(`${name}: search`, () => {
    test("T6.2 T6.3 a search answers what a plain filter of all entries does", { timeout: 60_000 }, async () => {
      const storage = await setUp();
      let count = 0;
      let found = 0;
      const wanted = fc.constantFrom(...words, "orhcid", "écoel", "RUN-1", "nowhere", "orchid ORCHID");
      await fc.assert(
        fc.asyncProperty(
          fc.array(drafts, { maxLength: 30 }),
          wanted,
          fc.integer({ min: 1, max: 5 }),
          async (made, query, limit) => {
            const log = await openLog(storage, tapeIdOf("/search", String(count++)));
            const entries = made.map((draft, index) => ({ ...draft, id: index + 1 }));
            if (entries.length > 0) await log.append(entries);
            const { matches } = await searchTape(log, { query, limit, kinds: ["message", "tool_call"] });
            await log[Symbol.asyncDispose]();
            found += matches.length;
            expect(matches).toEqual(naiveSearch(entries, query, limit));
          },
        ),
        { numRuns: 150 },
      );
      expect(found).toBeGreaterThan(10);
    });
  });

  describe(`${name}: lease`, () => {
    test("R1.6 a tape is free, then held, then free again", async () => {
      const { leases } = await setUp();
      expect(await leases.holder(tape)).toBeUndefined();
      const lease = await leases.acquire(tape, { sessionId: "s", signal: never });
      expect(await leases.holder(tape)).toMatchObject({ token: lease.token, pid: process.pid });
      lease.check();
      await lease[Symbol.asyncDispose]();
      await lease[Symbol.asyncDispose]();
      expect(await leases.holder(tape)).toBeUndefined();
      expect(() => lease.check()).toThrow();
    });

    test("R1.6 who does not wait is told who holds the tape", async () => {
      const { leases } = await setUp();
      await using _held = await leases.acquire(tape, { sessionId: "s", signal: never });
      await expect(leases.acquire(tape, { sessionId: "s", signal: never, wait: false })).rejects.toMatchObject({
        kind: "temporary",
        message: expect.stringMatching(/^session 's' is held by /),
      });
      await using _other = await leases.acquire(tapeIdOf("/workspace", "other"), { sessionId: "o", signal: never });
    });

    test("R1.6 turns of one session never overlap, and waiters learn whom they wait for", async () => {
      const { leases } = await setUp();
      const told: number[] = [];
      let running = 0;
      let most = 0;
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const onWait = ({ pid }: { pid: number }) => told.push(pid);
          await using lease = await leases.acquire(tape, { sessionId: "s", signal: never, onWait });
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          lease.check();
          running--;
        }),
      );
      expect(most).toBe(1);
      expect(told).toEqual(Array.from({ length: 7 }, () => process.pid));
      expect(await leases.holder(tape)).toBeUndefined();
    });

    test("R1.7 waiting ends with the signal and leaves nothing behind", async () => {
      const { leases } = await setUp();
      const lease = await leases.acquire(tape, { sessionId: "s", signal: never });
      const controller = new AbortController();
      const waiting = leases.acquire(tape, { sessionId: "s", signal: controller.signal });
      const answered = expect(waiting).rejects.toThrow("no more");
      controller.abort(new Error("no more"));
      await answered;
      await lease[Symbol.asyncDispose]();
      expect(await leases.holder(tape)).toBeUndefined();
      const aborted = leases.acquire(tape, { sessionId: "s", signal: controller.signal });
      await expect(aborted).rejects.toThrow("no more");
    });
  });

  describe(`${name}: inbox`, () => {
    test("R1.8 items come in order of arrival and stay until they are removed", async () => {
      const { inboxes } = await setUp();
      expect(await inboxes.list(tape)).toEqual([]);
      const put = [];
      for (const kind of ["steer", "notification", "follow_up", "quit"] as const) {
        put.push(await inboxes.put(tape, { kind, payload: { content: kind }, meta: { tasks: ["sub-1"] } }));
      }
      for (let count = 0; count < 100; count++) {
        put.push(await inboxes.put(tape, { kind: "steer", payload: { content: String(count) }, meta: {} }));
      }
      expect(await inboxes.list(tape)).toEqual(put);
      await inboxes.remove(tape, put[1]?.id as never);
      await inboxes.remove(tape, put[1]?.id as never);
      expect(await inboxes.list(tape)).toEqual(put.filter((_, index) => index !== 1));
      expect(await inboxes.list(tapeIdOf("/workspace", "other"))).toEqual([]);
    });

    test("R1.8 whoever watches an inbox is called when an item arrives, until it stops", async () => {
      const { inboxes } = await setUp();
      const calls: string[] = [];
      let wake = () => {};
      const called = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const stop = inboxes.watch(tape, () => {
        calls.push("a");
        wake();
      });
      await inboxes.put(tape, { kind: "steer", payload: {}, meta: {} });
      await called;
      stop();
      const before = calls.length;
      const other = inboxes.watch(tape, () => calls.push("b"));
      await inboxes.put(tape, { kind: "steer", payload: {}, meta: {} });
      other();
      expect(calls.filter((call) => call === "a")).toHaveLength(before);
      expect(calls).toContain("b");
    });
  });

  describe(`${name}: tasks`, () => {
    const notification: InboxDraft = {
      kind: "notification",
      payload: { content: "done ☕" },
      meta: { tasks: ["sub-1"] },
      data: { status: "completed" },
    };

    test("R1.8 tasks stand on record by session until they end", async () => {
      const { tasks } = await setUp();
      const [one, other] = [newTaskId(), newTaskId()];
      expect(await tasks.list(tape)).toEqual([]);
      await tasks.put(tape, one, { owner: "a", status: "queued" });
      await tasks.put(tape, other, { owner: "b" });
      await tasks.put(tape, one, { owner: "a", status: "running" });
      expect(await tasks.list(tape)).toHaveLength(2);
      expect(await tasks.list(tape)).toContainEqual({ id: one, data: { owner: "a", status: "running" } });
      expect(await tasks.list(tapeIdOf("/workspace", "other"))).toEqual([]);
    });

    test("R1.8 a task's end is an inbox item in the place of its record, once, and who watches is told", async () => {
      const { tasks, inboxes } = await setUp();
      const [id, waiting] = [newTaskId(), newTaskId()];
      await tasks.put(tape, id, {});
      await tasks.put(tape, waiting, {});
      let wake = () => {};
      const called = new Promise<void>((resolve) => {
        wake = resolve;
      });
      onTestFinished(inboxes.watch(tape, wake));
      const item = await tasks.finish(tape, id, notification);
      await called;
      expect(item).toMatchObject(notification);
      expect(await inboxes.list(tape)).toEqual([item]);
      expect((await tasks.list(tape)).map((task) => task.id)).toEqual([waiting]);
      expect(await tasks.finish(tape, id, notification)).toBeUndefined();
      expect(await inboxes.list(tape)).toHaveLength(1);
    });

    test("R1.8 a task can be forgotten without a word, more than once", async () => {
      const { tasks, inboxes } = await setUp();
      const id = newTaskId();
      await tasks.put(tape, id, {});
      await tasks.remove(tape, id);
      await tasks.remove(tape, id);
      expect(await tasks.list(tape)).toEqual([]);
      expect(await tasks.finish(tape, id, notification)).toBeUndefined();
      expect(await inboxes.list(tape)).toEqual([]);
    });
  });

  describe(`${name}: media`, () => {
    test("R3.9 bytes are found by their hash and kept once", async () => {
      const { media } = await setUp();
      const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251);
      const sha256 = await media.put(bytes);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(await media.put(bytes)).toBe(sha256);
      expect(Buffer.from(await media.get(sha256)).equals(bytes)).toBe(true);
      expect(await media.put(new Uint8Array())).not.toBe(sha256);
    });

    test("R3.9 an unknown hash is not found, whatever it says", async () => {
      const { media } = await setUp();
      for (const hash of ["0".repeat(64), "../tapes/index.jsonl", ""]) {
        await expect(media.get(hash)).rejects.toMatchObject({ kind: "not_found", message: `unknown media: ${hash}` });
      }
    });
  });
}

export async function openLog(storage: TapeStorage, id: TapeId): Promise<TapeLog> {
  const log = await storage.tapes.open(id);
  onTestFinished(() => log[Symbol.asyncDispose]());
  return log;
}

export function entryOf(id: number, payload: TapeEntry["payload"] = { content: `entry ${id}` }): TapeEntry {
  return { id, kind: "message", payload, meta: { run_id: "run-1" }, date: "2026-01-02T03:04:05.678Z" };
}

export async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all = [];
  for await (const value of values) all.push(value);
  return all;
}

export async function idsOf(entries: AsyncIterable<TapeEntry>): Promise<number[]> {
  return (await allOf(entries)).map(({ id }) => id);
}
