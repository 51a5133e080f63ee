// Whatever a tape holds, wherever it ends: the conversation built of it is one that every provider takes.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelMessage } from "../../src/model/model.ts";
import { buildContext } from "../../src/plugins/agent/context.ts";
import { carriedDrafts } from "../../src/tape/carried.ts";
import { anchorDrafts, type EntryDraft, parseEntry, type TapeEntry } from "../../src/tape/entry.ts";
import { forkPoint } from "../../src/tape/fork-point.ts";
import { wireProblem } from "../support/wire-bodies.ts";

const samples = ["tape-2026-02.jsonl", "tape-2026-08.jsonl", "tape-2026-10.jsonl"];

function sample(name: string): TapeEntry[] {
  const text = readFileSync(new URL(`../fixtures/bub-tapes/${name}`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .flatMap((line) => parseEntry(JSON.parse(line)) ?? []);
}

/** What follows the last anchor. */
const afterAnchor = (entries: readonly TapeEntry[]) =>
  entries.slice(entries.findLastIndex(({ kind }) => kind === "anchor") + 1);

test.each(samples)("R3.1 %s of Python Bub makes a request that every provider takes, cut anywhere", async (name) => {
  const entries = sample(name);
  for (let end = 1; end <= entries.length; end++) {
    const messages = buildContext(entries.slice(0, end), { anchors: true }).messages;
    if (messages.some(({ role }) => role === "user")) expect(await wireProblem(messages)).toBeUndefined();
  }
});

test("R3.1 calls, results by position, pictures and errors of Python Bub's tapes reach the model as what they are", () => {
  const [february, august, october] = samples.map((name) => buildContext(sample(name)).messages);
  expect(february).toMatchObject([
    { role: "user", content: "the code word is orchid" },
    {
      role: "assistant",
      calls: [
        { id: "call_1", name: "bash", arguments: { cmd: "ls" } },
        { id: "call_2", name: "fs_read", arguments: { path: "README.md" } },
      ],
    },
    { role: "tool", callId: "call_1", content: "README.md\nsrc" },
    { role: "tool", callId: "call_2", content: "# Hello" },
    { role: "assistant", content: "Noted." },
  ]);
  expect(august?.[0]).toMatchObject({
    role: "user",
    content: [
      { type: "text", text: "look at this 磁带" },
      { type: "image", media_type: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
    ],
  });
  expect(august?.[2]).toMatchObject({ role: "tool", content: expect.stringContaining("[tool output spilled: 43,893") });
  expect(october?.slice(1, 4)).toMatchObject([
    { role: "assistant", content: "Let me measure.", reasoning: "I need the size.", calls: [{}, {}] },
    { role: "tool", callId: "toolu_1", content: "12M\t.", isError: false },
    { role: "tool", callId: "toolu_2", content: expect.stringContaining("[tool] Tool 'tool_describe'"), isError: true },
  ]);
});

test("T6.8 what no provider takes is told", async () => {
  const lonely: ModelMessage = { role: "tool", callId: "a", name: "bash", content: "done", isError: false };
  expect(await wireProblem([{ role: "user", content: "go" }, lonely])).toMatch(/^chat-completions: /);
});

type Step = { calls: number; finished: number; hand: "off" | undefined; steer: boolean };

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.integer({ min: 0, max: 3 }),
  finished: fc.integer({ min: 0, max: 3 }),
  hand: fc.constantFrom("off" as const, undefined, undefined),
  steer: fc.boolean(),
});

/** Turns of steps; some calls hand off while others of their step are done, some are left open by a crash. */
function play(turns: readonly (readonly Step[])[]): TapeEntry[] {
  const entries: TapeEntry[] = [];
  let turn = "";
  const put = (kind: TapeEntry["kind"], payload: JsonObject, meta: JsonObject = {}) => {
    const id = entries.length + 1;
    entries.push({ id, kind, payload, meta: { turn_id: turn, ...meta }, date: "2026-01-01T00:00:00.000Z" });
  };
  const append = (drafts: readonly EntryDraft[]) => {
    for (const { kind, payload, meta } of drafts) put(kind, payload, meta);
  };
  const recent = () =>
    entries.slice(
      Math.max(
        0,
        entries.findLastIndex(({ kind }) => kind === "anchor"),
      ),
    );
  append(anchorDrafts("session/start", {}));
  for (const [number, steps] of turns.entries()) {
    turn = `turn-${number}`;
    put("message", { role: "user", content: `question ${number}` });
    for (const [index, { calls, finished, hand, steer }] of steps.entries()) {
      if (steer) put("message", { role: "user", content: "and this" });
      const ids = Array.from({ length: calls }, (_, at) => `call_${number}_${index}_${at}`);
      if (ids.length === 0) put("message", { role: "assistant", content: "said" });
      else put("tool_call", { calls: ids.map((id) => ({ id, name: "bash", arguments: {} })), reasoning: "hm" });
      for (const [at, id] of ids.slice(0, finished).entries()) {
        if (hand === "off" && at === 1) append([...anchorDrafts("phase", {}), ...carriedDrafts(recent(), turn)]);
        put("tool_result", { results: ["done"] }, { calls: [{ id, name: "bash", status: "ok" }] });
      }
      put("event", { name: "run", data: { status: "ok" } });
    }
  }
  return entries;
}

test("T6.8 property: cut anywhere, at any hand-off, no result lacks its call, no call its result, no request its user message", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (turns) => {
      const entries = play(turns);
      for (let end = 3; end <= entries.length; end++) {
        const messages = buildContext(afterAnchor(entries.slice(0, end))).messages;
        // Between the anchor and its copies nobody reads: they are one write.
        if (entries[end]?.meta.carried === true || entries[end - 1]?.kind === "anchor") continue;
        expect(messages.some(({ role }) => role === "user")).toBe(true);
        expect(await wireProblem(messages)).toBeUndefined();
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

test("T7.3 property: a fork at any point is a conversation that every provider takes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (turns) => {
      const entries = play(turns);
      for (let end = 3; end <= entries.length; end++) {
        if (entries[end]?.meta.carried === true || entries[end - 1]?.kind === "anchor") continue;
        const seen = entries.slice(0, end);
        const recent = seen.slice(
          Math.max(
            0,
            seen.findLastIndex(({ kind }) => kind === "anchor"),
          ),
        );
        const { upTo } = forkPoint(recent, end);
        const prompt: ModelMessage = { role: "user", content: "the child's" };
        expect(await wireProblem([...buildContext(afterAnchor(seen.slice(0, upTo))).messages, prompt])).toBeUndefined();
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
