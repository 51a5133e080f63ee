import { expect, test } from "vitest";
import { type EntryDraft, eventDraft } from "../../tape/entry.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { Tape } from "../../tape/tape.ts";
import { callTool, say, scriptedModel } from "../../testing/scripted-model.ts";
import { type TestRuntime, testRuntime } from "../../testing/test-runtime.ts";

const user = (content: string, meta = {}): EntryDraft => ({
  kind: "message",
  payload: { role: "user", content },
  meta,
});
const result = (text: string, name?: string): EntryDraft => ({
  kind: "tool_result",
  payload: { results: [text] },
  meta: name === undefined ? {} : { calls: [{ id: "call_9", name, status: "ok" }] },
});

/** A runtime whose session has these entries; each batch is a day later than the one before, from the 1st of January. */
async function runtimeWith(...batches: EntryDraft[][]): Promise<TestRuntime> {
  const storage = createMemoryStorage();
  const runtime = await testRuntime({ storage, model: scriptedModel([]) });
  const log = await storage.tapes.open(runtime.runtime.tapeIdOf("cli:test"));
  let day = 0;
  const tape = await Tape.open(log, { clock: { now: () => new Date(Date.UTC(2026, 0, day, 12)) } });
  for (const drafts of batches) {
    day++;
    await tape.append(drafts);
  }
  await tape.close();
  return runtime;
}

const linesOf = (text: string) => text.split("\n");

test("T6.2 the newest match comes first, a line of JSON each, after a line that counts them", async () => {
  await using runtime = await runtimeWith([user("an orchid")], [result("Orchids: 3", "bash")], [user("a rose")]);
  const { text } = await runtime.send(",tape.search orchid");
  const [heading, ...lines] = linesOf(text);
  expect(heading).toBe("[tape.search]: 2 matches (0 filtered)");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { date: "2026-01-02T12:00:00.000Z", kind: "tool_result", content: { results: ["Orchids: 3"] } },
    { date: "2026-01-01T12:00:00.000Z", kind: "message", content: { role: "user", content: "an orchid" } },
  ]);
  expect((await runtime.send(",tape.search nowhere")).text).toBe("[tape.search]: 0 matches (0 filtered)");
});

test("T6.2 T0.10 the value is matches and filtered", async () => {
  const model = scriptedModel([callTool("tape_search", { query: "orchid", limit: "1" }), say("found")]);
  await using runtime = await testRuntime({ model });
  const { toolResults } = await runtime.send("where is the orchid?");
  expect(toolResults[0]?.value).toMatchObject({
    matches: [{ kind: "message", content: { role: "user" } }],
    filtered: 0,
  });
});

test("T6.2 kinds and dates filter first, then what repeats goes, then the limit counts", async () => {
  await using runtime = await runtimeWith(
    [user("orchid 1"), user("orchid 1")],
    [user("orchid 2"), eventDraft("note", { text: "orchid" })],
    [user("orchid 2"), user("orchid 1")],
  );
  const contents = async (args: string) =>
    linesOf((await runtime.send(`,tape.search orchid ${args}`)).text)
      .slice(1)
      .map((line) => JSON.parse(line).content.content ?? JSON.parse(line).content.name);
  expect(await contents("")).toEqual(["orchid 1", "orchid 2"]);
  expect(await contents("limit=1")).toEqual(["orchid 1"]);
  expect(await contents(`kinds='["event"]'`)).toEqual(["note"]);
  expect(await contents(`kinds='["event","message"]' end=2026-01-02`)).toEqual(["note", "orchid 2", "orchid 1"]);
  expect(await contents("start=2026-01-03 limit=9")).toEqual(["orchid 1", "orchid 2"]);
});

test("T6.2 unknown kinds and limits below 1 are invalid_input", async () => {
  await using runtime = await runtimeWith([user("x")]);
  for (const args of [`kinds='["messages"]'`, "limit=0", "limit=1.5"]) {
    const { status, errors } = await runtime.send(`,tape.search x ${args}`);
    expect([args, status]).toEqual([args, "error"]);
    expect(errors[0]).toContain("[invalid_input]");
  }
});

test("T6.2 what earlier searches found is counted, not shown: by its call, its command, or the text of Bub's own tapes", async () => {
  const found = '[tape.search]: 1 matches (0 filtered)\n{"content":"orchid"}';
  await using runtime = await runtimeWith([
    user("the orchid"),
    result(found, "tape_search"),
    result(found),
    eventDraft("command", { name: "tape.search", output: found }),
    result(found, "bash"),
  ]);
  const { text } = await runtime.send(`,tape.search orchid kinds='["message","tool_result","event"]'`);
  const [heading, ...lines] = linesOf(text);
  expect(heading).toBe("[tape.search]: 2 matches (3 filtered)");
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(["tool_result", "message"]);
});

test("T6.2 reading stops at the limit", async () => {
  await using runtime = await runtimeWith([result("[tape.search]: orchid"), user("orchid"), user("orchid again")]);
  expect((await runtime.send(",tape.search orchid limit=1")).text).toContain("1 matches (0 filtered)");
});

test("T6.3 near words are found in messages and results, and media data never", async () => {
  const image = { type: "image", media_type: "image/png", data: "b3JjaGlk" };
  await using runtime = await runtimeWith([
    user("the database is down"),
    { kind: "message", payload: { role: "user", content: [{ type: "text", text: "look" }, image] } },
  ]);
  expect((await runtime.send(",tape.search 'databse is donw'")).text).toContain("the database is down");
  expect((await runtime.send(",tape.search b3JjaGlk")).text).toContain("0 matches");
  const { text } = await runtime.send(",tape.search image/png");
  expect(JSON.parse(linesOf(text)[1] ?? "").content.content[1]).toEqual({ type: "image", media_type: "image/png" });
});

test("T6.4 a bad date is named; a start after the end is invalid_input", async () => {
  await using runtime = await runtimeWith([user("x")]);
  const { errors } = await runtime.send(",tape.search x start=yesterday");
  expect(errors[0]).toBe("[invalid_input] Invalid ISO date or datetime: 'yesterday'.");
  expect((await runtime.send(",tape.search x start=2026-01-03 end=2026-01-02")).errors[0]).toContain("[invalid_input]");
});

test("T10.6 tape.search acts at once during a run", async () => {
  await using runtime = await testRuntime();
  const inbound = { channel: "cli", chatId: "test", content: ",tape.search x", commands: true };
  expect(await runtime.runtime.hooks.first("admitMessage", inbound, runtime.runtime)).toBe("now");
});
