import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tapeIdOf } from "../../src/base/ids.ts";
import type { EntryDraft } from "../../src/tape/entry.ts";
import { createFileStorage } from "../../src/tape/file-store.ts";
import type { TapeStorage } from "../../src/tape/store.ts";
import { Tape } from "../../src/tape/tape.ts";
import { temporaryHome } from "./tape-processes.ts";

const id = tapeIdOf("/workspace", "cli:local");
const message = (content: string): EntryDraft => ({ kind: "message", payload: { role: "user", content } });

interface World {
  storage: TapeStorage;
  path: string;
}

function setUp(): World {
  const storage = createFileStorage({ home: temporaryHome() });
  return { storage, path: storage.tapes.locate(id) };
}

/** A tape of session/start, its handoff and these messages, as bytes. */
async function written({ storage, path }: World, contents: readonly string[]): Promise<Buffer> {
  await using tape = await openTape(storage);
  for (const content of contents) await tape.append([message(content)]);
  return readFileSync(path);
}

async function openTape(storage: TapeStorage): Promise<Tape> {
  const tape = await Tape.open(await storage.tapes.open(id));
  onTestFinished(() => tape.close());
  return tape;
}

async function read(storage: TapeStorage) {
  const log = await storage.tapes.open(id);
  const forward = [];
  for await (const entry of log.forward()) forward.push(entry);
  const problems = log.problems;
  const backward = [];
  for await (const entry of log.backward()) backward.push(entry);
  expect(backward.reverse()).toEqual(forward);
  expect(log.problems).toEqual(problems);
  await log[Symbol.asyncDispose]();
  return { ids: forward.map((entry) => entry.id), texts: forward.map(({ payload }) => payload.content), problems };
}

describe("R3.4 a torn tail", () => {
  test("R3.4 cut at every byte of the last entry, only that entry is lost, and it is reported", async () => {
    const world = setUp();
    const bytes = await written(world, ["one", "zwei ☕ 磁带"]);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let cut = lastLine; cut <= bytes.length; cut++) {
      writeFileSync(world.path, bytes.subarray(0, cut));
      // Without its newline alone the last entry is whole.
      const kept = cut >= bytes.length - 1 ? 4 : 3;
      const torn = kept === 3 && cut > lastLine ? [{ offset: lastLine, length: cut - lastLine, reason: "torn" }] : [];
      expect(await read(world.storage)).toMatchObject({ ids: [1, 2, 3, 4].slice(0, kept), problems: torn });

      const tape = await openTape(world.storage);
      await tape.append([message("next"), message("after")]);
      await tape.close();
      const after = await read(world.storage);
      expect(after.ids).toEqual(Array.from({ length: kept + 2 }, (_, index) => index + 1));
      expect(after.texts.slice(-2)).toEqual(["next", "after"]);
      expect(after.problems).toEqual(torn);
      const bytesAfter = readFileSync(world.path);
      expect(bytesAfter.subarray(0, cut).equals(bytes.subarray(0, cut))).toBe(true);
      if (cut > lastLine && cut < bytes.length) expect(bytesAfter[cut]).toBe(0x0a);
    }
  });

  test("R3.4 the last ten bytes cut, three entries appended, opened again", async () => {
    const world = setUp();
    const bytes = await written(world, ["one", "two"]);
    truncateSync(world.path, bytes.length - 10);
    const tape = await openTape(world.storage);
    for (const content of ["a", "b", "c"]) await tape.append([message(content)]);
    const { ids, texts, problems } = await read(world.storage);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
    expect(texts.slice(2)).toEqual(["one", "a", "b", "c"]);
    expect(problems).toMatchObject([{ reason: "torn" }]);
  });

  test("R3.4 what seemed torn while it was on its way is no problem later", async () => {
    const world = setUp();
    const bytes = await written(world, ["one"]);
    truncateSync(world.path, bytes.length - 10);
    const log = await world.storage.tapes.open(id);
    for await (const _entry of log.forward());
    expect(log.problems).toHaveLength(1);
    writeFileSync(world.path, bytes);
    for await (const _entry of log.forward());
    expect(log.problems).toEqual([]);
    await log[Symbol.asyncDispose]();
  });
});

describe("R3.4 damage inside", () => {
  test("R3.4 any one newline deleted, all entries are read, and the next ones too", async () => {
    const world = setUp();
    const bytes = await written(world, ["one", "two", "three"]);
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
      writeFileSync(world.path, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]));
      expect(await read(world.storage)).toMatchObject({ ids: [1, 2, 3, 4, 5], problems: [] });
      const tape = await openTape(world.storage);
      await tape.append([message("next")]);
      expect(await read(world.storage)).toMatchObject({ ids: [1, 2, 3, 4, 5, 6], problems: [] });
    }
  });

  test("R3.4 4 KB of zero bytes between, before and after entries are skipped and reported", async () => {
    const world = setUp();
    const bytes = await written(world, ["one", "two"]);
    const zeros = Buffer.alloc(4096);
    const second = bytes.indexOf(0x0a) + 1;
    for (const at of [0, second, bytes.length]) {
      for (const block of [zeros, Buffer.concat([zeros, Buffer.from("\n")])]) {
        writeFileSync(world.path, Buffer.concat([bytes.subarray(0, at), block, bytes.subarray(at)]));
        expect(await read(world.storage)).toMatchObject({
          ids: [1, 2, 3, 4],
          problems: [{ offset: at, length: 4096, reason: "blank" }],
        });
        const tape = await openTape(world.storage);
        await tape.append([message("next")]);
        expect((await read(world.storage)).ids).toEqual([1, 2, 3, 4, 5]);
      }
    }
  });

  test("R3.4 a block overwritten by zero bytes loses only the entries in it", async () => {
    const world = setUp();
    const contents = Array.from({ length: 200 }, (_, index) => `${index} ${"x".repeat(100)}`);
    const bytes = await written(world, contents);
    bytes.fill(0, 8192, 12_288);
    writeFileSync(world.path, bytes);
    const { ids, problems } = await read(world.storage);
    expect(problems.map(({ reason }) => reason)).toEqual(["torn", "blank", "corrupt"]);
    const lost = Array.from({ length: 202 }, (_, index) => index + 1).filter((entry) => !ids.includes(entry));
    expect(lost.length).toBeLessThan(4096 / 200 + 2);
    expect(lost).toEqual(Array.from({ length: lost.length }, (_, index) => (lost[0] ?? 0) + index));
  });

  test("R3.4 corrupt lines are skipped and reported by their place", async () => {
    const world = setUp();
    const bytes = await written(world, ["one", "two"]);
    const at = bytes.indexOf(0x0a) + 1;
    writeFileSync(
      world.path,
      Buffer.concat([bytes.subarray(0, at), Buffer.from("rubbish \xff\n"), bytes.subarray(at)]),
    );
    const { ids, problems } = await read(world.storage);
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(problems).toEqual([{ offset: at, length: Buffer.byteLength("rubbish \xff"), reason: "corrupt" }]);
  });
});

describe("R3.4 a tape of another version", () => {
  test("R3.4 ids of entries that are not understood are not given again", async () => {
    const world = setUp();
    await written(world, ["one"]);
    appendFileSync(world.path, '{"id":4,"kind":"thought","payload":{}}\n{"id":5,"kind":"thought","payload":{}}\n');
    const tape = await openTape(world.storage);
    expect(tape.lastId).toBe(5);
    expect((await tape.append([message("two")])).map((entry) => entry.id)).toEqual([6]);
    expect((await read(world.storage)).problems).toMatchObject([
      { reason: "unknown", id: 4 },
      { reason: "unknown", id: 5 },
    ]);
  });

  test("R3.4 one whose last ids are no numbers can be read, and says why it is not continued", async () => {
    const world = setUp();
    await written(world, ["one"]);
    appendFileSync(world.path, '{"id":"01JABC","kind":"message","payload":{}}\n');
    const before = readFileSync(world.path);
    const tape = await openTape(world.storage);
    expect(tape.recent).toHaveLength(3);
    await expect(tape.append([message("two")])).rejects.toMatchObject({
      kind: "config",
      message: expect.stringContaining("ends with entries of a newer version and cannot be continued"),
    });
    expect(readFileSync(world.path).equals(before)).toBe(true);
  });
});

describe("R3.4 a place that cannot be written", () => {
  test("R3.4 a home below a file gives one clear sentence", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "file"), "");
    const storage = createFileStorage({ home: join(home, "file", "bub") });
    const told = { kind: "config", message: expect.stringMatching(/^cannot .*: a part of the path is not a folder$/) };
    await expect(storage.tapes.open(id)).rejects.toMatchObject(told);
    await expect(storage.inboxes.put(id, { kind: "steer", payload: {}, meta: {} })).rejects.toMatchObject(told);
    await expect(storage.tapes.register({ tape: id, workspace: null, session: "s", date: "" })).rejects.toMatchObject(
      told,
    );
    storage.inboxes.watch(id, () => undefined)();
  });

  test("R3.4 a home that is not there yet is made, for its owner only", async () => {
    const home = join(temporaryHome(), "not", "yet");
    const storage = createFileStorage({ home });
    const tape = await openTape(storage);
    await tape.append([message("one")]);
    const path = storage.tapes.locate(id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const folder of [home, dirname(path)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("R3.4 a device that is always full takes nothing, and says so", async () => {
    const world = setUp();
    mkdirSync(dirname(world.path), { recursive: true });
    symlinkSync("/dev/full", world.path);
    const tape = await openTape(world.storage);
    await expect(tape.append([message("one")])).rejects.toMatchObject({
      kind: "config",
      message: `cannot write the tape ${world.path}: the disk is full`,
      hint: expect.stringContaining("Free some space"),
    });
    expect(tape).toMatchObject({ lastId: 0, recent: [] });
  });
});

test("T6.7 an archive is a private copy beside the tape, whole, under a name of its own", async () => {
  const clock = { now: () => new Date("2026-01-02T03:04:05.678Z") };
  const storage = createFileStorage({ home: temporaryHome(), clock });
  const tape = await openTape(storage);
  await tape.append([message("one")]);
  const path = storage.tapes.locate(id);
  const before = readFileSync(path);

  const archive = (await tape.archive()) ?? "";
  await tape.replace([]);
  expect(archive).toBe(`${path}.20260102T030405678Z.bak`);
  expect(readFileSync(archive).equals(before)).toBe(true);
  expect(statSync(archive).mode & 0o777).toBe(0o600);
  expect(await tape.archive()).toBe(`${path}.20260102T030405679Z.bak`);
  expect(readFileSync(archive).equals(before)).toBe(true);
});

test.skipIf(process.platform !== "linux")(
  "R3.5 opening a tape of 1 GB reads its end, and following it from an id reads what follows",
  async () => {
    const world = setUp();
    await written(world, ["one"]);
    const fd = openSync(world.path, "r+");
    ftruncateSync(fd, 1024 ** 3);
    closeSync(fd);
    const anchor = {
      id: 4,
      kind: "anchor",
      payload: { name: "phase" },
      meta: { facts: { entries: 4, anchors: 2 } },
      date: "",
    };
    appendFileSync(world.path, `\n${JSON.stringify(anchor)}\n`);
    for (let next = 5; next < 100; next++) {
      appendFileSync(
        world.path,
        `${JSON.stringify({ ...anchor, id: next, kind: "message", payload: { content: "x" }, meta: {} })}\n`,
      );
    }
    const before = bytesRead();
    const tape = await openTape(world.storage);
    await tape.append([message("next")]);
    expect(tape.recent).toHaveLength(97);
    expect(tape.facts.entries).toBe(100);
    const followed = [];
    const log = await world.storage.tapes.open(id);
    for await (const entry of log.forward({ after: 98 })) followed.push(entry.id);
    await log[Symbol.asyncDispose]();
    expect(followed).toEqual([99, 100]);
    expect(bytesRead() - before).toBeLessThan(4 * 1024 * 1024);
  },
);

/** By this whole process so far. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
