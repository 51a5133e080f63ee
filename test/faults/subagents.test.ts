// Processes that die, and storage that fails, while subagents work: each result reaches its conversation exactly once.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tapeIdOf } from "../../src/base/ids.ts";
import { createFileStorage } from "../../src/tape/file-store.ts";
import { type FaultServer, startFaultServer } from "../../src/testing/fault-server.ts";
import { answering, messagesOf, pairingProblem, type WireAnswer, type WireMessage } from "../support/chat-server.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { long } from "../support/requirements.ts";
import { type CliWorld, createCliWorld } from "../support/run-cli.ts";
import { readIn } from "../support/subagent-scenarios.ts";

const settings = (wire: FaultServer) => ({ BUB_MODEL: "local:test", BUB_LOCAL_API_BASE: wire.url });

const textOf = ({ content }: WireMessage): string => (typeof content === "string" ? content : JSON.stringify(content));

/** The words of the conversation's newest message that a person or a parent wrote. */
function asked(messages: readonly WireMessage[]): string {
  const users = messages.filter(({ role }) => role === "user").map(textOf);
  return (
    users
      .findLast((text) => !text.startsWith("<subagent-notification"))
      ?.split("\n")
      .at(-1) ?? ""
  );
}

const start = (prompt: string, session?: string) => ({
  name: "subagent",
  arguments: { prompt, ...(session && { session }) },
});
const bash = (command: string) => ({ name: "bash", arguments: { command, timeout_seconds: 600 } });

/** The tools called since that message. */
const stepsSince = (messages: readonly WireMessage[]): number =>
  messages
    .slice(messages.findLastIndex(({ role, content }) => role === "user" && !String(content).startsWith("<subagent-")))
    .filter(({ role }) => role === "assistant").length;

const tapeOf = ({ workspace }: CliWorld, session = "cli:local") => tapeIdOf(workspace, session);

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((again) => setTimeout(again, 5));
}

/** Answers by what was asked: `plan` gives each question's steps, one after the other; the last one stays. */
const planned = (
  plan: Readonly<Record<string, readonly (WireAnswer | ((messages: readonly WireMessage[]) => WireAnswer))[]>>,
) =>
  answering((messages) => {
    const steps = plan[asked(messages)] ?? [{ text: `nobody answers ${asked(messages)}` }];
    const step = steps[Math.min(stepsSince(messages), steps.length - 1)];
    return (typeof step === "function" ? step(messages) : step) ?? {};
  });

test("T7.7 killed between a child's end and its delivery: the next process tells of it once", async () => {
  await using wire = await startFaultServer([
    planned({
      go: [{ calls: [start("child"), bash("sleep 600")] }],
      child: [{ text: "the answer" }],
      "go on": [{ text: "I see" }],
      "and on": [{ text: "nothing new" }],
    }),
  ]);
  using world = createCliWorld();
  const env = settings(wire);
  const running = world.start(["run", "go"], { env });
  await until(() => filesIn(join(world.home, "inbox", tapeOf(world))).length === 1);
  running.kill("SIGKILL");
  await running.ended;
  expect(readIn(world.entries())).toEqual([]);
  expect((await world.run(["run", "go on"], { env })).stdout).toBe("I see\n");
  expect((await world.run(["run", "and on"], { env })).stdout).toBe("nothing new\n");
  expect(readIn(world.entries())).toMatchObject([{ status: "completed", output: "the answer" }]);
  for (const request of wire.requests) expect(pairingProblem(messagesOf(request))).toBeUndefined();
});

test("T7.7 killed in the middle of two children: the next process tells of both once, as interrupted by a restart", async () => {
  await using wire = await startFaultServer([
    planned({
      go: [{ calls: [start("one"), start("two")] }, { text: "waiting" }],
      one: [{ calls: [bash("echo 1 >> begun; sleep 600")] }],
      two: [{ calls: [bash("echo 2 >> begun; sleep 600")] }],
      "go on": [{ text: "I see" }],
      "and on": [{ text: "nothing new" }],
    }),
  ]);
  using world = createCliWorld();
  const env = settings(wire);
  const running = world.start(["run", "go"], { env });
  await world.until("begun", 4);
  expect(filesIn(join(world.home, "tasks", tapeOf(world)))).toHaveLength(2);
  running.kill("SIGKILL");
  await running.ended;
  await world.run(["run", "go on"], { env });
  await world.run(["run", "and on"], { env });
  const interrupted = { by: "message", status: "failed", output: "", errors: ["[Error: interrupted by a restart]"] };
  expect(readIn(world.entries())).toMatchObject([interrupted, interrupted]);
  expect(filesIn(join(world.home, "tasks", tapeOf(world)))).toEqual([]);
  expect(filesIn(join(world.home, "tapes")).filter((name) => name.startsWith("tasks__"))).toEqual([]);
});

test("T7.9 killed during a named child: it is told as interrupted, and subagent.send goes on with its session", async () => {
  const sending = (messages: readonly WireMessage[]): WireAnswer => {
    const [id = ""] = JSON.stringify(messages).match(/sub-[0-9a-f]{8}/) ?? [];
    return { calls: [{ name: "subagent_send", arguments: { task_id: id, message: "continue" } }] };
  };
  await using wire = await startFaultServer([
    planned({
      go: [{ calls: [start("study", "school")] }, { text: "waiting" }],
      study: [{ calls: [bash("echo > begun; sleep 600")] }],
      "go on": [sending, { text: "waiting" }, { text: "over" }],
      continue: [{ text: "studied" }],
    }),
  ]);
  using world = createCliWorld();
  const env = settings(wire);
  const running = world.start(["run", "go"], { env });
  await world.until("begun");
  running.kill("SIGKILL");
  await running.ended;
  expect((await world.run(["run", "go on"], { env })).stdout).toBe("over\n");
  expect(readIn(world.entries())).toMatchObject([
    { status: "failed", errors: ["[Error: interrupted by a restart]"] },
    { status: "completed", output: "studied" },
  ]);
  const child = wire.requests.map(messagesOf).find((messages) => asked(messages) === "continue") ?? [];
  expect(child.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
  expect(textOf(child[3] ?? { role: "" })).toBe("[tool] interrupted: it may or may not have taken effect");
});

test("T7.5 a child whose tape cannot be written fails with a sentence, and its parent goes on", async () => {
  await using wire = await startFaultServer([
    planned({ go: [{ calls: [start("study", "school")] }, { text: "waiting" }, { text: "over" }] }),
  ]);
  using world = createCliWorld();
  // A folder where the child's tape should be.
  mkdirSync(join(world.home, "tapes", `${tapeOf(world, "school")}.jsonl`), { recursive: true });
  expect((await world.run(["run", "go"], { env: settings(wire) })).code).toBe(0);
  expect(readIn(world.entries())).toMatchObject([
    { status: "failed", output: "", errors: [expect.stringMatching(/tapes.*it is a folder/)] },
  ]);
});

test("R1.8 two processes that steer one session while it waits for a child: each message and the result once", async () => {
  await using wire = await startFaultServer([
    planned({
      go: [{ calls: [start("child")] }, { text: "waiting" }],
      child: [{ calls: [bash("echo > begun; while [ ! -e enough ]; do sleep 0.01; done")] }, { text: "the answer" }],
      other: [{ text: "other answered" }],
    }),
  ]);
  using world = createCliWorld();
  const env = settings(wire);
  const running = world.start(["run", "go"], { env });
  await world.until("begun");
  // This process, and one that waits for the session with a message of its own.
  const other = world.start(["run", "other"], { env });
  await other.saw("waiting for process");
  const { inboxes } = createFileStorage({ home: world.home });
  for (const word of ["one", "two", "three"])
    await inboxes.put(tapeOf(world), { kind: "steer", payload: { content: `steer ${word}` }, meta: {} });
  await until(() => messagesIn(world).some((text) => text === "steer three"));
  world.file("workspace/enough", "x");
  expect((await running.ended).code).toBe(0);
  expect(await other.ended).toMatchObject({ code: 0, stdout: "other answered\n" });
  const steered = messagesIn(world).filter((text) => text.startsWith("steer"));
  expect(steered).toEqual(["steer one", "steer two", "steer three"]);
  expect(readIn(world.entries())).toMatchObject([{ status: "completed", output: "the answer" }]);
  expect(world.entries().map(({ id }) => id)).toEqual(world.entries().map((_, index) => index + 1));
});

function messagesIn(world: CliWorld): string[] {
  return world
    .entries()
    .flatMap(({ kind, payload }) => (kind === "message" && payload.role === "user" ? [String(payload.content)] : []));
}

const kills = long ? 100 : 8;

test(`T7.7 after SIGKILL at ${kills} random instants of a run with three children every task is told exactly once`, async () => {
  await using wire = await startFaultServer([
    planned({
      go: [{ calls: [start("one"), start("two"), start("three", "kept")] }, { text: "waiting" }],
      one: [{ text: "1" }],
      two: [{ calls: [bash("sleep 0.05")] }, { text: "2" }],
      three: [{ calls: [bash("true")] }, { calls: [bash("sleep 0.1")] }, { text: "3" }],
      "go on": [{ text: "I see" }],
    }),
  ]);
  const env = settings(wire);
  const random = randomNumbers(20_261_130);
  let caught = 0;
  for (let round = 0; round < kills; round++) {
    using world = createCliWorld();
    const running = world.start(["run", "go"], { env });
    await Promise.race([wire.request(wire.requests.length + 1), running.ended]);
    await new Promise((resolve) => setTimeout(resolve, random() * 350));
    running.kill("SIGKILL");
    if ((await running.ended).code === null) caught++;
    for (let again = 0; again < 2; again++)
      expect(await world.run(["run", "go on"], { env })).toMatchObject({ code: 0, stderr: "" });
    const entries = world.entries();
    const started = entries.flatMap(({ payload }) =>
      payload.name === "subagent.task" ? [(payload.data as { task_id: string }).task_id] : [],
    );
    const told = readIn(entries).map(({ id }) => id);
    expect(told.length).toBe(new Set(told).size);
    expect(told).toEqual(expect.arrayContaining(started));
    expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
    // A file that the kill left unfinished is nobody's; `bub doctor` removes it.
    const finished = (folder: string) =>
      filesIn(join(world.home, folder, tapeOf(world))).filter((name) => !/\.tmp$/.test(name));
    expect([finished("tasks"), finished("inbox")]).toEqual([[], []]);
  }
  expect(caught).toBeGreaterThan(kills / 3);
}, 600_000);
