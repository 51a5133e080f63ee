// `bub run` as a process: what goes in, what comes out where, and with which exit code.
import { expect, test } from "vitest";
import { createCliWorld, eventsOf, messagesOf, tapeFiles } from "../support/run-cli.ts";

const lastMessage = (message: string) => message.split("\n").at(-1);

test("R5.1 run prints the answer and nothing else, and exits 0", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "hi", "--model", world.script("**hello**\nyou")]);
  expect(result).toEqual({ code: 0, stdout: "**hello**\nyou\n", stderr: "" });
});

test("R5.0 stdout carries only the answer: what the model says between tools stays out, and tool lines, too", async () => {
  using world = createCliWorld();
  const call = { text: "I look first.", calls: [{ name: "bash", arguments: { command: "echo from the tool" } }] };
  const result = await world.run(["run", "hi", "--model", world.script(call, "the answer")]);
  expect(result).toEqual({ code: 0, stdout: "the answer\n", stderr: "" });
});

test("R5.0 run and chat continue the workspace's conversation, cli:local", async () => {
  using world = createCliWorld();
  const model = world.script("one", "two");
  await world.run(["run", "first", "--model", model]);
  const chat = await world.run(["chat", "--model", model], { input: "second\n" });
  expect(chat.stdout).toBe("two\n");
  expect(messagesOf(world.entries("cli:local")).map(lastMessage)).toEqual(["first", "second"]);
  expect(tapeFiles(world.home)).toHaveLength(1);
});

test("R5.0 without --session-id the session is <channel>:<chat-id>", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "a", "--channel", "mail", "--chat-id", "7", "--sender-id", "ann", "--model", model]);
  await world.run(["run", "b", "--session-id", "mine", "--channel", "mail", "--model", model]);
  expect(messagesOf(world.entries("mail:7")).map(lastMessage)).toEqual(["a"]);
  expect(messagesOf(world.entries("mine")).map(lastMessage)).toEqual(["b"]);
});

test("R5.0 --new starts a fresh session and leaves the old one alone", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  await world.run(["run", "old", "--model", model]);
  const result = await world.run(["run", "new", "--new", "--json", "--model", model]);
  const [event] = eventsOf(result.stdout);
  expect(event?.session_id).toMatch(/^cli:[0-9a-f]{8}$/);
  expect(messagesOf(world.entries(event?.session_id)).map(lastMessage)).toEqual(["new"]);
  expect(messagesOf(world.entries()).map(lastMessage)).toEqual(["old"]);
});

test("R5.1 -w names the workspace, before or after the command", async () => {
  using world = createCliWorld();
  const model = world.script("ok");
  const cwd = world.home.replace(/home$/, "");
  await world.run(["-w", world.workspace, "run", "one", "--model", model], { cwd });
  const after = world.script({ text: "ok" }, { text: "ok" });
  await world.run(["run", "two", "--workspace", world.workspace, "--model", after], { cwd });
  expect(messagesOf(world.entries()).map(lastMessage)).toEqual(["one", "two"]);
});

test("R5.1 without a message, what is piped in is the message", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "--model", world.script("{{user}}")], { input: "from the pipe\n" });
  expect(lastMessage(result.stdout.trimEnd())).toBe("from the pipe");
});

test("R5.0 piped text is appended after the message", async () => {
  using world = createCliWorld();
  await world.run(["run", "review", "this", "--model", world.script("ok")], { input: "+ a line\n" });
  expect(messagesOf(world.entries())[0]).toMatch(/review this\n\n\+ a line$/);
});

test("R5.0 an empty pipe adds nothing", async () => {
  using world = createCliWorld();
  await world.run(["run", "hi", "--model", world.script("ok")], { input: "" });
  expect(messagesOf(world.entries()).map(lastMessage)).toEqual(["hi"]);
});

test("R5.0 a pipe that stays open is said to be waited for", async () => {
  using world = createCliWorld();
  const running = world.start(["run", "hi", "--model", world.script("ok")], { input: "open" });
  await running.saw("waiting for the rest of the message on stdin");
  running.endInput();
  expect(await running.ended).toMatchObject({ code: 0, stdout: "ok\n" });
});

test.each([
  ["no message and no input", undefined],
  ["a blank pipe", " \n"],
])("R5.1 %s is a usage error: exit 2", async (_name, input) => {
  using world = createCliWorld();
  const result = await world.run(["run", "--model", world.script("ok")], { input });
  expect(result.code).toBe(2);
  expect(result.stdout).toBe("");
  expect(result.stderr).toMatch(/^bub: there is no message[^\n]+\n$/);
});

test("R5.1 piped bytes that are no text are refused, with the way to attach them", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "look", "--model", world.script("ok")], {
    input: new Uint8Array([0xff, 0xd8, 0xff]),
  });
  expect(result.code).toBe(2);
  expect(result.stderr).toMatch(/^bub: .*UTF-8.*--file.*\n$/);
});

test("R5.0 a text command's output is the answer; one that fails exits 1", async () => {
  using world = createCliWorld();
  const good = await world.run(["run", ",echo from the shell"]);
  expect(good).toEqual({ code: 0, stdout: "from the shell\n", stderr: "" });
  const bad = await world.run(["run", ",fs.read path=missing.txt"]);
  expect(bad).toMatchObject({ code: 1, stdout: "" });
  expect(bad.stderr).toContain("missing.txt");
});

test("R5.0 a text command takes no piped text: data never becomes a part of a command", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", ",echo one"], { input: "; touch owned\n" });
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(/^bub: a text command .*\n$/);
});

test("R5.1 --json prints one event a line, the last one final, and the answer nowhere else", async () => {
  using world = createCliWorld();
  const call = { calls: [{ name: "bash", arguments: { command: "printf '\\033[2J'" } }] };
  const result = await world.run(["run", "hi", "--json", "--model", world.script(call, "done")]);
  const events = eventsOf(result.stdout);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "final")).toHaveLength(1);
  expect(types.at(-1)).toBe("final");
  expect(types).toEqual(expect.arrayContaining(["tool-call", "tool-result", "text-delta", "step-finished"]));
  expect(events.at(-1)).toMatchObject({ ok: true, text: "done", status: "ok", session_id: "cli:local" });
  for (const event of events)
    expect(event).toMatchObject({ turn_id: expect.any(String), step: expect.any(Number), date: expect.any(String) });
  expect(result.stderr).toBe("");
});

test("R5.1 an error of the model exits 1 with one sentence on stderr", async () => {
  using world = createCliWorld();
  const model = world.script({ error: { status: 400, message: "no such thing" } });
  const result = await world.run(["run", "hi", "--model", model]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/^bub: .*no such thing.*\n$/);
});

test("R5.1 --json tells an error as an event and on stderr, and exits 1", async () => {
  using world = createCliWorld();
  const model = world.script({ error: { status: 400, message: "no such thing" } });
  const result = await world.run(["run", "hi", "--json", "--model", model]);
  expect(result.code).toBe(1);
  expect(eventsOf(result.stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "error" }),
      expect.objectContaining({ type: "final", ok: false }),
    ]),
  );
  expect(result.stderr).toContain("no such thing");
});

test("R5.0 --file attaches text by name, and pictures as media, in their order", async () => {
  using world = createCliWorld();
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const picture = world.file("dot.bin", pixel);
  const notes = world.file("notes.md", "# Notes\n");
  const result = await world.run(["run", "see", "--file", picture, "--file", notes, "--model", world.script("ok")]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const message = world.entries().find(({ kind }) => kind === "message");
  const content = message?.payload.content as { type: string }[];
  expect(content.slice(-3)).toMatchObject([
    { type: "text", text: "see" },
    { type: "image", media_type: "image/png", bytes: pixel.length, width: 1, height: 1 },
    { type: "text", text: "File notes.md:\n\n# Notes\n" },
  ]);
});

test.each([
  ["a missing file", "none.txt", undefined, "there is no such file"],
  ["bytes that are nothing known", "odd.bin", new Uint8Array([0, 255, 254, 1]), "neither text nor"],
  ["a cut picture", "cut.png", Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64"), "picture that"],
])("R5.0 --file with %s is an error that names it", async (_name, name, bytes, reason) => {
  using world = createCliWorld();
  const path = bytes === undefined ? name : world.file(name, bytes);
  const result = await world.run(["run", "see", "--file", path, "--model", world.script("ok")]);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toContain(name);
  expect(result.stderr).toContain(reason);
});

test("hostile text: a pipe gets the answer as the model wrote it", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "hi", "--model", world.script("\u001b[31mred\u001b[0m\r\n")]);
  expect(result.stdout).toBe("\u001b[31mred\u001b[0m\r\n");
});
