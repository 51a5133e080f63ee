// `bub chat` without a terminal: each piped line is a turn.
import { expect, test } from "vitest";
import type { TapeEntry } from "../../src/tape/entry.ts";
import { type CliWorld, createCliWorld, messagesOf } from "../support/run-cli.ts";

const lastLines = (messages: string[]) => messages.map((message) => message.split("\n").at(-1));

test("R5.1 chat answers piped lines one after the other, each as a turn, and leaves at their end", async () => {
  using world = createCliWorld();
  const model = world.script("one", "two", "three");
  const result = await world.run(["chat", "--model", model], { input: "a\n\nb\nc" });
  expect(result).toEqual({ code: 0, stdout: "one\ntwo\nthree\n", stderr: "" });
  expect(lastLines(messagesOf(world.entries()))).toEqual(["a", "b", "c"]);
});

test("R5.1 chat PROMPT is said first", async () => {
  using world = createCliWorld();
  const result = await world.run(["chat", "hello", "there", "--model", world.script("one", "two")], {
    input: "more\n",
  });
  expect(result).toEqual({ code: 0, stdout: "one\ntwo\n", stderr: "" });
  expect(lastLines(messagesOf(world.entries()))).toEqual(["hello there", "more"]);
});

test("R5.1 chat without any input leaves at once", async () => {
  using world = createCliWorld();
  expect(await world.run(["chat"], { input: "" })).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("R5.1 chat goes on after an error, and exits 1 for it when piped", async () => {
  using world = createCliWorld();
  const model = world.script({ error: { status: 400, message: "not today" } }, "two");
  const result = await world.run(["chat", "--model", model], { input: ",fs.read path=none\n,help\n" });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/^bub: .*none/);
  expect(result.stdout).toContain(",tape.info");
});

test("R5.1 Ctrl-C in chat cancels the run and goes on; SIGTERM leaves with its code", async () => {
  using world = createCliWorld();
  const model = world.script({ text: "I begin.", stall: true }, "second answer", { text: "again", stall: true });
  const chat = world.start(["chat", "--model", model], { input: "open" });
  chat.type("first\n");
  await untilMessages(world, 1);
  chat.kill("SIGINT");
  chat.type("second\n");
  await chat.saw("second answer");
  chat.type("third\n");
  await untilMessages(world, 3);
  chat.kill("SIGTERM");
  expect(await chat.ended).toMatchObject({ code: 143, stdout: "second answer\n" });
});

test("R5.1 a second Ctrl-C leaves", async () => {
  using world = createCliWorld();
  const chat = world.start(["chat", "--model", world.script({ text: "I begin.", stall: true })], { input: "open" });
  chat.type("first\n");
  await untilMessages(world, 1);
  chat.kill("SIGINT");
  // Two at once would be one to the process.
  await untilRecorded(world, (entries) => entries.some(({ payload }) => payload.name === "run"));
  chat.kill("SIGINT");
  expect(await chat.ended).toMatchObject({ code: 0, stdout: "" });
});

const untilMessages = (world: CliWorld, count: number) =>
  untilRecorded(world, (entries) => messagesOf(entries).length >= count);

async function untilRecorded(world: CliWorld, isThere: (entries: readonly TapeEntry[]) => boolean): Promise<void> {
  for (;;) {
    try {
      if (isThere(world.entries())) return;
    } catch {
      // No tape yet, or half a line.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("R5.2 chat --resume says what is wrong with it: no such session, nobody to choose, two names", async () => {
  using world = createCliWorld();
  const model = world.script("one", "two");
  await world.run(["run", "hello", "--session-id", "cli:first", "--model", model]);
  const resume = (...words: string[]) => world.run(["chat", "--model", model, ...words], { input: "more\n" });
  expect(await resume("--resume", "cli:frist")).toMatchObject({
    code: 1,
    stderr: "bub: There is no session 'cli:frist' in this workspace. Did you mean cli:first?\n",
  });
  expect(await resume("--resume")).toMatchObject({
    code: 2,
    stderr: "bub: there is nobody to choose a session here: give its name, bub chat --resume <id>.\n",
  });
  expect(await resume("--resume=x", "--new")).toMatchObject({
    code: 2,
    stderr: "bub: --resume names a session already: leave out --new.\n",
  });
  expect(await resume("--resume", "cli:first")).toMatchObject({ code: 0, stdout: "two\n" });
  expect(lastLines(messagesOf(world.entries("cli:first")))).toEqual(["hello", "more"]);
});

test("R5.2 what is piped into chat is never for the shell; ,new works there", async () => {
  using world = createCliWorld();
  const model = world.script("one", "two");
  const result = await world.run(["chat", "--model", model], { input: "!touch made\n,new\nhi\n" });
  expect(result).toMatchObject({ code: 0, stdout: "one\none\n" });
  expect(lastLines(messagesOf(world.entries()))).toEqual(["!touch made"]);
});
