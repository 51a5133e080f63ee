import { expect, test } from "vitest";
import { tapeIdOf } from "../base/ids.ts";
import { type EntryDraft, eventDraft, type TapeEntry } from "./entry.ts";
import { createMemoryStorage } from "./memory-store.ts";
import type { TapeStorage } from "./store.ts";
import { Tape, type TapeOptions } from "./tape.ts";

const id = tapeIdOf("/workspace", "cli:local");
const clock = { now: () => new Date("2026-01-02T03:04:05.678Z") };
const message = (content: string, meta = {}): EntryDraft => ({
  kind: "message",
  payload: { role: "user", content },
  meta,
});
const run = eventDraft("run", { status: "ok" });
const anchor = (name: string): EntryDraft => ({ kind: "anchor", payload: { name, state: {} } });

async function open(storage: TapeStorage, options: TapeOptions = {}): Promise<Tape> {
  return Tape.open(await storage.tapes.open(id), { clock, ...options });
}

async function entriesOf(storage: TapeStorage): Promise<TapeEntry[]> {
  const entries = [];
  for await (const entry of (await storage.tapes.open(id)).forward()) entries.push(entry);
  return entries;
}

const facts = (entries: readonly TapeEntry[]) => entries.flatMap(({ id, meta }) => (meta.facts ? [id] : []));

test("R3.8 the first entries of an empty tape follow the session/start anchor, in one write", async () => {
  const storage = createMemoryStorage();
  const begun: number[] = [];
  const tape = await open(storage, { beginning: async () => void begun.push((await entriesOf(storage)).length) });
  expect(tape).toMatchObject({ lastId: 0, lastAnchor: undefined, recent: [], id });
  expect(await entriesOf(storage)).toEqual([]);

  const given = await tape.append([message("hi")]);
  await tape.append([message("again")]);

  expect(given.map((entry) => entry.id)).toEqual([3]);
  expect(begun).toEqual([0]);
  const date = "2026-01-02T03:04:05.678Z";
  const state = { owner: "human" };
  const start = { settings: {}, loaded: [], entries: 1, anchors: 1, inbox: [] };
  expect(await entriesOf(storage)).toEqual([
    { id: 1, kind: "anchor", payload: { name: "session/start", state }, meta: { facts: start }, date },
    { id: 2, kind: "event", payload: { name: "handoff", data: { name: "session/start", state } }, meta: {}, date },
    { id: 3, kind: "message", payload: { role: "user", content: "hi" }, meta: {}, date },
    { id: 4, kind: "message", payload: { role: "user", content: "again" }, meta: {}, date },
  ]);
  expect(tape.recent).toEqual(await entriesOf(storage));
});

test("R3.8 a first batch that begins with session/start gets no second one", async () => {
  const storage = createMemoryStorage();
  await (await open(storage)).append([anchor("session/start"), message("hi")]);
  expect((await entriesOf(storage)).map(({ kind }) => kind)).toEqual(["anchor", "message"]);
});

test("R3.5 recent begins with the last anchor and grows in place until the next one", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  await tape.append([message("one")]);
  const before = tape.recent;
  await tape.append([message("two")]);
  expect(tape.recent).toBe(before);
  await tape.append([message("three"), anchor("phase"), message("four")]);
  expect(tape.recent).not.toBe(before);
  expect(tape.recent.map((entry) => entry.id)).toEqual([6, 7]);
  expect(tape.lastAnchor?.payload.name).toBe("phase");
  const reopened = await open(storage);
  expect(reopened.recent).toEqual(tape.recent);
  expect(reopened).toMatchObject({ lastId: 7, lastAnchor: tape.lastAnchor, facts: tape.facts });
});

test("R3.2 calls of append without waiting keep their order, and ids stay without gaps", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  await Promise.all(Array.from({ length: 50 }, (_, index) => tape.append([message(String(index))])));
  const entries = await entriesOf(storage);
  expect(entries.map((entry) => entry.id)).toEqual(Array.from({ length: 52 }, (_, index) => index + 1));
  expect(entries.slice(2).map(({ payload }) => payload.content)).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
});

test("R1.6 a lost lease writes nothing, and neither does a write that fails; ids go on without a gap", async () => {
  const storage = createMemoryStorage();
  let lost = false;
  const lease = {
    check() {
      if (lost) throw new Error("taken over");
    },
  };
  const log = await storage.tapes.open(id);
  const tape = await Tape.open(log, { clock, lease });
  await tape.append([message("one")]);
  lost = true;
  await expect(tape.append([message("two")])).rejects.toThrow("taken over");
  await expect(tape.replace([])).rejects.toThrow("taken over");
  lost = false;
  const { append } = log;
  log.append = () => Promise.reject(new Error("disk full"));
  await expect(tape.append([anchor("phase")])).rejects.toThrow("disk full");
  log.append = append;
  expect(tape).toMatchObject({ lastId: 3, facts: { entries: 3, anchors: 1 } });
  await tape.append([message("three")]);
  expect((await entriesOf(storage)).map((entry) => entry.id)).toEqual([1, 2, 3, 4]);
});

test("R3.5 facts ride on anchors and on the 64th run event after the last ones", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  for (let count = 0; count < 130; count++) await tape.append([run]);
  // Entry 1 is the start, runs begin at 3: the 64th is entry 66, the 128th entry 130.
  expect(facts(await entriesOf(storage))).toEqual([1, 66, 130]);
  await tape.append([anchor("phase")]);
  for (let count = 0; count < 64; count++) await (await open(storage)).append([run]);
  expect(facts(await entriesOf(storage))).toEqual([1, 66, 130, 133, 197]);
  expect((await entriesOf(storage))[65]?.meta.facts).toMatchObject({ entries: 66, anchors: 1 });
});

test("R3.5 later entries are folded on top of the facts that were found", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  await tape.append([eventDraft("model_switch", { model: "openai:a" }), message("x", { inbox: "item-1" })]);
  await tape.append([anchor("phase"), eventDraft("tool.loaded", { names: ["mcp.list"] })]);
  await tape.append([eventDraft("code_mode_switch", { code_mode: true }), message("y", { inbox: "item-2" })]);
  const expected = {
    settings: { model: "openai:a", code_mode: true },
    loaded: ["mcp.list"],
    entries: 8,
    anchors: 2,
    inbox: ["item-1", "item-2"],
  };
  expect(tape.facts).toEqual(expected);
  expect((await open(storage)).facts).toEqual(expected);
});

test("R3.5 an anchor without facts does not end the search, and the first run after a scan brings facts", async () => {
  const storage = createMemoryStorage();
  const log = await storage.tapes.open(id);
  const date = clock.now().toISOString();
  const foreign = [eventDraft("model_switch", { model: "openai:a" })];
  for (let count = 0; count < 70; count++) foreign.push(run);
  foreign.push({ kind: "anchor", payload: { name: "phase" } }, message("x"));
  await log.append(foreign.map((draft, index) => ({ meta: {}, ...draft, id: index + 1, date })));

  const tape = await open(storage);
  expect(tape.facts).toMatchObject({ settings: { model: "openai:a" }, entries: 73, anchors: 1 });
  expect(tape.recent.map((entry) => entry.id)).toEqual([72, 73]);
  await tape.append([message("y"), run, run]);
  expect(facts(await entriesOf(storage))).toEqual([75]);
  const read = await open(storage);
  expect(read.facts).toEqual(tape.facts);
});

test("R3.5 a short tape without facts is no scan", async () => {
  const storage = createMemoryStorage();
  const log = await storage.tapes.open(id);
  const date = clock.now().toISOString();
  await log.append(Array.from({ length: 64 }, (_, index) => ({ ...message("x"), id: index + 1, date, meta: {} })));
  await (await open(storage)).append([run]);
  expect(facts(await entriesOf(storage))).toEqual([]);
  await (await open(storage)).append([run]);
  expect(facts(await entriesOf(storage))).toEqual([66]);
});

test("R3.7 facts that a draft brings from another tape are computed anew", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  const foreign = { settings: { model: "x:y" }, loaded: [], entries: 900, anchors: 90, inbox: [] };
  await tape.append([{ ...anchor("phase"), meta: { facts: foreign } }, message("x", { facts: foreign, run_id: "r" })]);
  const [, , phase, last] = await entriesOf(storage);
  expect(phase?.meta.facts).toMatchObject({ entries: 3, anchors: 2, settings: {} });
  expect(last?.meta).toEqual({ run_id: "r" });
});

test("T6.7 a reset begins with session/start at id 1, forgets settings and tools and keeps taken inbox items", async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  await tape.append([
    eventDraft("model_switch", { model: "openai:a" }),
    eventDraft("tool.loaded", { names: ["mcp.list"] }),
    message("x", { inbox: "item-1" }),
  ]);
  expect(await tape.archive()).toContain(id);
  await tape.replace([message("carried", { carried: true })]);
  expect((await entriesOf(storage)).map(({ payload }) => payload.name ?? payload.content)).toEqual([
    "session/start",
    "handoff",
    "carried",
  ]);
  const expected = { settings: {}, loaded: [], entries: 3, anchors: 1, inbox: ["item-1"] };
  expect(tape).toMatchObject({ lastId: 3, facts: expected });
  expect(tape.recent.map((entry) => entry.id)).toEqual([1, 2, 3]);
  expect((await open(storage)).facts).toEqual(expected);
  await tape.append([message("next")]);
  expect((await entriesOf(storage)).at(-1)?.id).toBe(4);
  await tape.replace([]);
  expect(tape.lastId).toBe(2);
});

test("R3.5 a tape of 200,000 entries opens and answers without overflowing the stack", {
  timeout: 60_000,
}, async () => {
  const storage = createMemoryStorage();
  const tape = await open(storage);
  const drafts = Array.from({ length: 200_000 }, (_, index) => message(String(index)));
  await tape.append(drafts);
  const reopened = await open(storage);
  expect(reopened.recent).toHaveLength(200_002);
  expect(reopened.facts.entries).toBe(200_002);
  await reopened.replace(drafts);
  expect(reopened.recent).toHaveLength(200_002);
});

test("R3.6 a tape answers queries about all of its entries", async () => {
  const storage = createMemoryStorage();
  await using tape = await open(storage);
  await tape.append([message("orchid"), message("rose"), anchor("phase"), message("Orchid too")]);
  const found = [];
  for await (const entry of tape.query({ text: "ORCHID", newestFirst: true })) found.push(entry.id);
  expect(found).toEqual([6, 3]);
});
