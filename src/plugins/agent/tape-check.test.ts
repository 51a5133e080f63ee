import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TapeId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { anchorDrafts, type EntryDraft, type EntryKind, parseEntry, type TapeEntry } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { Tape } from "../../tape/tape.ts";
import { checkTape, type TapeCheckOptions } from "./plugin.ts";

const draft = (kind: EntryKind, payload: JsonObject, meta: JsonObject = {}): EntryDraft => ({ kind, payload, meta });
const user = (content: unknown) => draft("message", { role: "user", content: content as string });
const answer = (content: string) => draft("message", { role: "assistant", content });
const calling = (...ids: string[]) =>
  draft("tool_call", { calls: ids.map((id) => ({ id, name: "bash", arguments: {} })) });
const result = (id: string) =>
  draft("tool_result", { results: ["done"] }, { calls: [{ id, name: "bash", status: "ok" }] });

async function tapeOf(drafts: readonly EntryDraft[]): Promise<Tape> {
  const tape = await Tape.open(await createMemoryStorage().tapes.open("check" as TapeId));
  await tape.append(drafts);
  return tape;
}

const check = async (drafts: readonly EntryDraft[], options?: TapeCheckOptions) =>
  checkTape(await tapeOf(drafts), options);

const readerOf = (entries: readonly TapeEntry[]) => ({
  async *forward() {
    yield* entries;
  },
  async *backward() {
    yield* [...entries].reverse();
  },
});

test("R5.1 a sound tape is proved at every place: anchors, forks, prefixes, for each provider", async () => {
  const step = [calling("a", "b"), result("b"), result("a"), answer("done")];
  const found = await check([user("go"), ...step, ...anchorDrafts("phase", {}), user("more"), answer("yes")]);
  expect(found).toMatchObject({ anchors: 2, findings: [], repair: undefined });
  // Asked after the messages and the results, forked before the calls; and the next message, by four providers.
  expect([found.places, found.requests]).toEqual([4, 5 * 4]);
  const one = await check([user("go"), ...step], { providers: ["anthropic"] });
  expect(one.requests).toBe(4);
});

test("R5.1 a call that waits for its result is repaired by the smallest means, and then is no finding", async () => {
  const drafts = [user("go"), calling("a", "b"), result("a")];
  const { findings, repair } = await check(drafts);
  expect(findings).toEqual([
    { problem: "open-call", entry: 4, message: "The call b of entry 4 has no result yet.", isCurrent: true },
  ]);
  expect(repair?.drafts).toMatchObject([
    { kind: "tool_result", meta: { calls: [{ id: "b", status: "interrupted" }] } },
  ]);
  expect(await check([...drafts, ...(repair?.drafts ?? [])])).toMatchObject({ findings: [], repair: undefined });
});

test("R5.1 what is past is told and needs no repair", async () => {
  const { findings, repair } = await check([
    user("go"),
    calling("a"),
    user("never mind"),
    result("zz"),
    ...anchorDrafts("phase", {}),
    calling("b"),
    result("b"),
    user("now"),
  ]);
  expect(findings.map(({ problem, entry, isCurrent }) => [problem, entry, isCurrent])).toEqual([
    ["call-without-result", 4, false],
    ["result-without-call", 6, false],
    ["no-user-message", 10, false],
  ]);
  expect(repair).toBeUndefined();
});

test("R5.1 a request that is too large, or needs media that are gone, begins its context anew", {
  timeout: 60_000,
}, async () => {
  const image = { type: "image", media_type: "image/png", sha256: "f".repeat(64), bytes: 3_900_000 };
  const many = Array.from({ length: 7 }, () => image);
  const large = await check([user(many)], { providers: ["anthropic"] });
  expect(large.findings.map(({ problem, message }) => [problem, message.split("; ")[1]])).toContainEqual([
    "too-large",
    "anthropic takes 33554432.",
  ]);
  const gone = await check([user([{ type: "text", text: "look" }, image])], { media: createMemoryStorage().media });
  expect(gone.findings).toMatchObject([{ problem: "missing-media", entry: 3, isCurrent: true }]);
  for (const { repair } of [large, gone]) expect(repair?.drafts).toMatchObject([{ kind: "anchor" }, { kind: "event" }]);
  const repaired = await check([user([image]), ...(gone.repair?.drafts ?? [])], { media: createMemoryStorage().media });
  expect(repaired).toMatchObject({ findings: [{ isCurrent: false }], repair: undefined });
});

test("R5.1 of a context that is very large only the beginning and the end are built", { timeout: 60_000 }, async () => {
  const payload = { role: "user", content: "x".repeat(12_000_000) };
  const entries = Array.from(
    { length: 12 },
    (_, at): TapeEntry => ({ id: at + 1, kind: "message", payload, meta: {}, date: "" }),
  );
  const { places, requests, findings } = await checkTape(readerOf(entries), { providers: ["openrouter"] });
  expect([places, findings]).toEqual([12, []]);
  expect(requests).toBeLessThan(10);
});

test("R3.1 ids that are missing or repeated are told", async () => {
  const entry = (id: number): TapeEntry => ({ id, kind: "event", payload: {}, meta: {}, date: "" });
  const { findings } = await checkTape(readerOf([entry(1), entry(3), entry(3)]));
  expect(findings.map(({ message }) => message)).toEqual([
    "Entry 3 stands where entry 2 should be.",
    "Entry 3 stands where entry 4 should be.",
  ]);
});

test.each(["02", "08", "10"])("R3.1 R5.1 Python Bub's tape of 2026-%s is sound", async (month) => {
  const file = new URL(`../../../test/fixtures/bub-tapes/tape-2026-${month}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const found = await checkTape(readerOf(lines.flatMap((line) => parseEntry(JSON.parse(line)) ?? [])));
  expect(found).toMatchObject({ findings: [], repair: undefined });
});

test("R5.1 an unknown provider is named, a long context is built in part, and reading can be stopped", async () => {
  await expect(check([], { providers: ["nobody"] })).rejects.toMatchObject({ kind: "config" });
  const long = Array.from({ length: 200 }, (_, index) => [user(`question ${index}`), answer("yes")]).flat();
  const { places, requests } = await check(long, { providers: ["openai"] });
  expect(places).toBe(200);
  expect(requests).toBeLessThan(40);
  await expect(check(long, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
