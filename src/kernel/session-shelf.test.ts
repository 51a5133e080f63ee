import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TapeId } from "../base/ids.ts";
import { widthOf } from "../base/terminal-text.ts";
import { createFileStorage } from "../tape/file-store.ts";
import { createMemoryStorage } from "../tape/memory-store.ts";
import { say, scriptedModel } from "../testing/scripted-model.ts";
import { type TestRuntime, testRuntime } from "../testing/test-runtime.ts";
import { describeSession, searchSessions } from "./session-details.ts";
import {
  archiveSession,
  findSession,
  listArchives,
  listSessions,
  pruneSessions,
  renameSession,
  restoreSession,
} from "./session-shelf.ts";

const year = (value: number) => new Date(Date.UTC(value, 0, 1));

async function world(): Promise<{
  home: string;
  runtime: TestRuntime;
  say: (session: string, text: string) => Promise<void>;
}> {
  const home = mkdtempSync(join(tmpdir(), "bub-sessions-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const model = scriptedModel(Array.from({ length: 9 }, () => say("said")));
  const runtime = await testRuntime({ model, storage: createFileStorage({ home }), workspace: home });
  onTestFinished(() => runtime[Symbol.asyncDispose]());
  return { home, runtime, say: async (sessionId, text) => void (await runtime.send(text, { sessionId })) };
}

/** As if nobody had touched the session since. */
function age({ home, runtime }: { home: string; runtime: TestRuntime }, session: string, date: Date): void {
  utimesSync(join(home, "tapes", `${runtime.runtime.tapeIdOf(session)}.jsonl`), date, date);
}

const names = (sessions: readonly { session: string | undefined }[]) => sessions.map(({ session }) => session);

test("R3.1 R5.1 sessions are listed by the index, newest first, of this workspace or of all", async () => {
  const place = await world();
  const { home, runtime } = place;
  await place.say("a", "first words\nmore");
  await place.say("b", "other words");
  age(place, "b", year(2020));
  writeFileSync(join(home, "tapes", "0123456789abcdef__0123456789abcdef.jsonl"), "{}\n");
  const sessions = await listSessions(runtime.runtime);
  expect(names(sessions)).toEqual(["a", "b"]);
  expect(sessions[0]).toMatchObject({ workspace: runtime.runtime.workspace, began: expect.stringMatching(/^20/) });
  expect(sessions[1]?.changed).toEqual(new Date("2020-01-01T00:00:00.000Z"));
  const everywhere = await listSessions(runtime.runtime, { everywhere: true });
  expect(names(everywhere)).toContain(undefined);
  expect(everywhere).toHaveLength(3);
});

test("R5.1 a session is described by its first words and its facts", async () => {
  const { runtime, say } = await world();
  await say("a", "first words\nmore");
  const [session] = await listSessions(runtime.runtime);
  expect(await describeSession(runtime.runtime, session as never)).toEqual({
    title: "first words",
    entries: 6,
    anchors: 1,
    settings: {},
  });
});

test("R5.1 a long title ends between characters, never inside one", async () => {
  const { runtime, say } = await world();
  await say("a", `ab${"😀".repeat(100)}`);
  const [session] = await listSessions(runtime.runtime);
  const { title = "" } = await describeSession(runtime.runtime, session as never);
  expect(title).toMatch(/^ab(😀)+…$/u);
  expect(widthOf(title)).toBeLessThanOrEqual(80);
});

test("R5.1 a search goes through all sessions up to its limit", async () => {
  const { runtime, say } = await world();
  for (const session of ["a", "b", "c"]) await say(session, `an orchid of ${session}`);
  const found = async (limit: number) => {
    const seen: unknown[] = [];
    const search = { query: "orhcid", kinds: ["message"], limit } as const;
    for await (const { session, entry } of searchSessions(runtime.runtime, { ...search, kinds: [...search.kinds] }))
      seen.push([session.session, String(entry.payload.content).split("\n").at(-1)]);
    return seen;
  };
  expect(await found(9)).toHaveLength(3);
  expect(await found(9)).toContainEqual(["b", "an orchid of b"]);
  expect(await found(2)).toHaveLength(2);
});

test("R5.1 a renamed session goes on under its new name, and not over another one", async () => {
  const { runtime, say } = await world();
  await say("a", "first");
  const rename = async (from: string, to: string) => {
    await renameSession(runtime.runtime, await findSession(runtime.runtime, from), to);
  };
  await rename("a", "b");
  await say("b", "second");
  expect(names(await listSessions(runtime.runtime))).toEqual(["b"]);
  expect((await runtime.entries("b")).filter(({ kind }) => kind === "message")).toHaveLength(4);
  await say("a", "third");
  await expect(rename("a", "b")).rejects.toMatchObject({ kind: "invalid_input" });
  await expect(rename("none", "c")).rejects.toMatchObject({ kind: "not_found" });
  await runtime.storage.inboxes.put(runtime.runtime.tapeIdOf("a"), { kind: "steer", payload: {}, meta: {} });
  for (const name of ["a", "", " ", "temp/a", "a\u001b[2J"])
    await expect(rename("a", name)).rejects.toMatchObject({ kind: "invalid_input" });
  expect(names(await listSessions(runtime.runtime)).sort()).toEqual(["a", "b"]);
  await expect(rename("a", "c")).rejects.toThrow("wait for the session 'a'");
});

test("R5.1 an archived session is gone until it is restored; what it became meanwhile is archived in its place", async () => {
  const { runtime, say } = await world();
  await say("a", "first");
  const place = await archiveSession(runtime.runtime, await findSession(runtime.runtime, "a"));
  expect(await listSessions(runtime.runtime)).toEqual([]);
  expect(await listArchives(runtime.runtime)).toMatchObject([{ place, session: "a" }]);
  await say("a", "second");
  const { replaced } = await restoreSession(runtime.runtime, "a");
  expect(replaced).toMatch(/\.bak$/);
  expect(JSON.stringify(await runtime.entries("a"))).toContain("first");
  await restoreSession(runtime.runtime, replaced ?? "");
  expect(JSON.stringify(await runtime.entries("a"))).toContain("second");
  await expect(restoreSession(runtime.runtime, "nowhere")).rejects.toMatchObject({ kind: "not_found" });
  const [archive] = await listArchives(runtime.runtime);
  const [, stamp = ""] = /\.(\w+)\.bak$/.exec(archive?.place ?? "") ?? [];
  expect((await restoreSession(runtime.runtime, stamp)).archive.place).toBe(archive?.place);
});

test("R5.1 pruning removes what is older, leaves what is busy, and in a dry run only says so", async () => {
  const place = await world();
  const { home, runtime, say } = place;
  for (const session of ["old", "busy", "new"]) await say(session, "words");
  for (const session of ["old", "busy"]) age(place, session, year(2020));
  await archiveSession(runtime.runtime, await findSession(runtime.runtime, "new"));
  await say("new", "words");
  const lease = await runtime.storage.leases.acquire(runtime.runtime.tapeIdOf("busy"), {
    sessionId: "busy",
    signal: new AbortController().signal,
  });
  const wanted = { olderThan: year(2021) };
  const dry = await pruneSessions(runtime.runtime, { ...wanted, dryRun: true });
  expect([names(dry.sessions), names(dry.busy), dry.archives]).toEqual([["old"], ["busy"], []]);
  expect(await listSessions(runtime.runtime)).toHaveLength(3);
  expect(await pruneSessions(runtime.runtime, wanted)).toEqual(dry);
  expect(names(await listSessions(runtime.runtime))).toEqual(["new", "busy"]);
  await lease[Symbol.asyncDispose]();
  const all = await pruneSessions(runtime.runtime, { olderThan: year(2100) });
  expect(all.archives).toHaveLength(1);
  expect(readdirSync(join(home, "tapes"))).toEqual(["index.jsonl"]);
});

test("R5.1 a session that is not there is told with the nearest name, and one without a name is found by its tape's", async () => {
  const { home, runtime, say } = await world();
  await say("cli:local", "words");
  const unlisted = "0123456789abcdef__0123456789abcdef";
  writeFileSync(join(home, "tapes", `${unlisted}.jsonl`), "{}\n");
  const find = (name: string) => findSession(runtime.runtime, name);
  await expect(find("cli:locla")).rejects.toMatchObject({
    kind: "not_found",
    message: "there is no session 'cli:locla'",
    hint: "Did you mean 'cli:local'?",
  });
  await expect(find("entirely different")).rejects.toMatchObject({ hint: "bub sessions lists them." });
  expect(await find(unlisted)).toMatchObject({ tape: unlisted, session: undefined });
  const odd = `${runtime.runtime.tapeIdOf("").slice(0, 18)}0123456789abcdef` as TapeId;
  writeFileSync(join(home, "tapes", `${odd}.jsonl`), "{}\n");
  await runtime.storage.tapes.register({ tape: odd, workspace: home, session: "odd", date: "" });
  expect(await find("odd")).toMatchObject({ tape: odd });
  const renamed = renameSession(runtime.runtime, await find(unlisted), "mine");
  await expect(renamed).rejects.toThrow("is of another workspace");
});

test("R5.1 a session that was written to since pruning looked at it stays", async () => {
  const place = await world();
  const { runtime, say } = place;
  await say("one", "words");
  age(place, "one", year(2020));
  const { leases } = runtime.storage;
  const acquire = leases.acquire.bind(leases);
  leases.acquire = async (tape, options) => {
    age(place, "one", year(2022));
    return acquire(tape, options);
  };
  const { sessions, busy } = await pruneSessions(runtime.runtime, { olderThan: year(2021) });
  expect([names(sessions), names(busy)]).toEqual([[], ["one"]]);
  expect(await listSessions(runtime.runtime)).toHaveLength(1);
});

test("R5.1 a storage without a shelf says so", async () => {
  await using runtime = await testRuntime({ storage: createMemoryStorage() });
  await expect(listSessions(runtime.runtime)).rejects.toMatchObject({ kind: "config" });
});

test("R5.1 a thousand sessions are listed without a look into any", async () => {
  const { home, runtime, say } = await world();
  await say("a", "words");
  for (let count = 0; count < 1_000; count++) {
    // No tape at all: whoever read it would stumble.
    writeFileSync(join(home, "tapes", `${runtime.runtime.tapeIdOf(`s${count}`)}.jsonl`), "no tape\0");
  }
  const started = performance.now();
  expect(await listSessions(runtime.runtime)).toHaveLength(1_001);
  console.log(`1,001 sessions listed in ${(performance.now() - started).toFixed(0)} ms`);
});
