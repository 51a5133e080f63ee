import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ModelMessage } from "../model/model.ts";
import type { TapeEntry } from "../tape/entry.ts";
import { createFileStorage } from "../tape/file-store.ts";
import { Tape } from "../tape/tape.ts";
import { callTool, say, scriptedModel } from "../testing/scripted-model.ts";
import { type TestRuntime, type TestRuntimeOptions, testRuntime } from "../testing/test-runtime.ts";
import { defineTool } from "../tools/define-tool.ts";
import { forkSession } from "./session-fork.ts";

const session = "cli:test";
const big = defineTool({ name: "big", description: "Spill.", run: () => "large ".repeat(5_000) });

function homeFolder(): string {
  const home = mkdtempSync(join(tmpdir(), "bub-fork-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const inFiles = (options: TestRuntimeOptions): Promise<TestRuntime> =>
  testRuntime({ storage: createFileStorage({ home: homeFolder() }), ...options });

const said = (messages: readonly ModelMessage[] = []) =>
  messages.map(({ content }) => String(content).split("\n").at(-1));
const contents = (entries: readonly TapeEntry[]) =>
  entries.filter(({ kind }) => kind === "message").map(({ payload }) => String(payload.content).split("\n").at(-1));

test("R3.7 a fork goes on from what its session held, and neither sees what the other records later", async () => {
  const model = scriptedModel([say("one"), say("two"), say("three")]);
  await using runtime = await inFiles({ model });
  await runtime.send("first");
  await using fork = await forkSession(session, runtime.runtime);
  await runtime.send("second");
  await runtime.send("aside", { sessionId: fork.sessionId });
  expect(said(model.requests[1]?.messages)).toEqual(["first", "one", "second"]);
  expect(said(model.requests[2]?.messages)).toEqual(["first", "one", "aside"]);
  expect(contents(await runtime.entries())).toEqual(["first", "one", "second", "two"]);
});

test("R3.7 T6.7 a reset of its session does not disturb an open fork, nor its sidecars", async () => {
  const reading = (handle: string) => callTool("spill_read", { handle });
  const model = scriptedModel([
    callTool("big"),
    say("one"),
    say("clean"),
    ({ messages }) => reading(/handle: (\w+)/.exec(messages.map(({ content }) => content).join())?.[1] ?? ""),
    say("read"),
  ]);
  await using runtime = await inFiles({ model, tools: [big] });
  await runtime.send("first");
  await using fork = await forkSession(session, runtime.runtime);
  await runtime.send(",tape.reset");
  await runtime.send("anew");
  expect(said(model.requests[2]?.messages)).toEqual(["anew"]);
  const { toolResults } = await runtime.send("what was it?", { sessionId: fork.sessionId });
  expect(said(model.requests[3]?.messages)[0]).toBe("first");
  expect(toolResults[0]?.text).toContain("[spilled tool result: 30000 bytes, 2 chunks]");
});

test("R3.7 T9.4 merge appends the fork's entries, sidecars first, with new ids, their dates, and facts computed anew", async () => {
  const model = scriptedModel([say("one"), say("two"), callTool("big"), say("three"), say("four")]);
  await using runtime = await inFiles({ model, tools: [big] });
  await runtime.send("first");
  await using fork = await forkSession(session, runtime.runtime);
  await runtime.send("second");
  await runtime.send(",reasoning_effort high", { sessionId: fork.sessionId });
  await runtime.send("aside", { sessionId: fork.sessionId });
  const forked = await entriesOf(runtime, fork.sessionId);

  await fork.merge();

  const entries = await runtime.entries();
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
  expect(contents(entries)).toEqual(["first", "one", "second", "two", "aside", "three"]);
  const aside = ({ payload }: TapeEntry) => String(payload.content).endsWith("aside");
  expect(entries.find(aside)?.date).toBe(forked.find(aside)?.date);
  await using tape = await Tape.open(await runtime.runtime.storage.tapes.open(runtime.runtime.tapeIdOf(session)));
  expect(tape.facts).toMatchObject({ settings: { reasoning_effort: "high" }, entries: entries.length, anchors: 1 });
  const handle = /handle: (\w+)/.exec(JSON.stringify(entries))?.[1];
  expect((await runtime.send(`,spill.read handle=${handle}`)).text).toContain("complete: false");
  await runtime.send("third");
  expect(said(model.requests[4]?.messages)).toEqual([
    "first",
    "one",
    "second",
    "two",
    "aside",
    expect.anything(),
    expect.stringContaining("large"),
    "three",
    "third",
  ]);
  await expect(fork.merge()).rejects.toMatchObject({ kind: "invalid_input" });
});

test("R3.7 a fork of an empty session merges into it, or into what it became; a reset in the fork begins a context", async () => {
  const model = scriptedModel([say("forked"), say("meanwhile"), say("later"), say("end")]);
  await using runtime = await inFiles({ model });
  await using fork = await forkSession(session, runtime.runtime);
  await runtime.send("aside", { sessionId: fork.sessionId });
  await runtime.send("here");
  await fork.merge();
  expect((await runtime.send(",tape.anchors")).text).toBe("- session/start");
  await using other = await forkSession(session, runtime.runtime);
  await runtime.send(",tape.reset", { sessionId: other.sessionId });
  await runtime.send("clean", { sessionId: other.sessionId });
  await other.merge();
  expect((await runtime.send(",tape.anchors")).text).toBe("- session/start\n- session/start");
  await runtime.send("go on");
  expect(said(model.requests[3]?.messages)).toEqual(["clean", "later", "go on"]);
});

test("R3.7 a step that is under way is left out of a fork", async () => {
  let fork: Awaited<ReturnType<typeof forkSession>> | undefined;
  const copy = defineTool({
    name: "copy",
    description: "Fork.",
    async run() {
      fork = await forkSession(session, runtime.runtime);
      return "copied";
    },
  });
  const model = scriptedModel([callTool("copy"), say("done"), say("aside")]);
  await using runtime: TestRuntime = await inFiles({ model, tools: [copy] });
  await runtime.send("first");
  await runtime.send("other", { sessionId: fork?.sessionId });
  expect(said(model.requests[2]?.messages)).toEqual(["first", "other"]);
  await fork?.[Symbol.asyncDispose]();
});

test("R3.7 temp/ sessions are in memory: their turns follow one another, and no file is made", async () => {
  const home = homeFolder();
  const model = scriptedModel([say("one"), say("two")]);
  await using runtime = await testRuntime({ model, storage: createFileStorage({ home }) });
  await runtime.send("first", { sessionId: "temp/x" });
  await runtime.send("second", { sessionId: "temp/x" });
  expect(said(model.requests[1]?.messages)).toEqual(["first", "one", "second"]);
  expect((await runtime.send(",tape.info", { sessionId: "temp/x" })).text).toContain("name: temp__");
  expect(readdirSync(home)).toEqual([]);
  await runtime.runtime.storage.discard(runtime.runtime.tapeIdOf("temp/x"));
  expect(await entriesOf(runtime, "temp/x")).toEqual([]);
});

async function entriesOf({ runtime }: TestRuntime, sessionId: string): Promise<TapeEntry[]> {
  await using log = await runtime.storage.tapes.open(runtime.tapeIdOf(sessionId));
  const entries = [];
  for await (const entry of log.forward()) entries.push(entry);
  return entries;
}
