// Ctrl-C, polite kills, and two processes on one session.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isAlive } from "../../src/base/processes.ts";
import { cliFile, createCliWorld, eventsOf, messagesOf } from "../support/run-cli.ts";

const stalling = [{ text: "I begin.", stall: true }];

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("R1.7 %s cancels the run within a second, exits %i, and the next turn works", async (signal, code) => {
  using world = createCliWorld();
  const running = world.start(["run", "first", "--json", "--model", world.script(...stalling)]);
  await running.saw('"text-delta"');
  const started = performance.now();
  running.kill(signal);
  const result = await running.ended;
  expect(performance.now() - started).toBeLessThan(1000);
  expect(result.code).toBe(code);
  expect(eventsOf(result.stdout).at(-1)).toMatchObject({ type: "final", ok: false, status: "cancelled" });
  const next = await world.run(["run", "second", "--model", world.script("one", "two")]);
  expect(next).toEqual({ code: 0, stdout: "two\n", stderr: "" });
  const entries = world.entries();
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_entry, index) => index + 1));
  expect(entries).toContainEqual(
    expect.objectContaining({ payload: expect.objectContaining({ role: "assistant", content: "I begin." }) }),
  );
});

test("R1.7 a cancelled run without --json writes no answer and no error", async () => {
  using world = createCliWorld();
  const call = { text: "I begin.", calls: [{ name: "bash", arguments: { command: "touch running; sleep 60" } }] };
  const running = world.start(["run", "first", "--model", world.script(call)]);
  await world.until("running");
  running.kill("SIGINT");
  expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "" });
});

test("R1.7 Ctrl-C also ends a command whose plugin never starts", async () => {
  using world = createCliWorld();
  const plugin = world.file(
    "slow.mjs",
    `import { writeFileSync } from "node:fs";
    const plugin = {
      name: "slow",
      lifespan() {
        setInterval(() => undefined, 1000);
        writeFileSync("begun", "x");
        return new Promise(() => undefined);
      },
    };
    Object.defineProperty(plugin, Symbol.for("bub.plugin"), { value: true });
    export default plugin;`,
  );
  const running = world.start(["run", "hi", "--plugin", plugin, "--model", world.script("one")]);
  await world.until("begun");
  running.kill("SIGINT");
  expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "" });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "T2.9 %s of bub leaves no process behind: foreground, background and what they started",
  async (signal) => {
    using world = createCliWorld();
    const script = world.script(
      {
        calls: [
          { name: "bash", arguments: { command: "sleep 4321 & echo $! > one; wait" } },
          { name: "bash", arguments: { command: "(sleep 4322 & echo $! > two); sleep 4323", background: true } },
        ],
      },
      "done",
    );
    const running = world.start(["run", "first", "--model", script]);
    const pids = await Promise.all(["one", "two"].map(async (name) => Number(await world.until(name, 2))));
    expect(pids.map((pid) => isAlive(pid))).toEqual([true, true]);
    running.kill(signal);
    await running.ended;
    expect(pids.map((pid) => isAlive(pid))).toEqual([false, false]);
  },
);

test("T2.9 the end of a run ends its background shells", async () => {
  using world = createCliWorld();
  const call = {
    calls: [{ name: "bash", arguments: { command: "echo $$ > one; exec sleep 4324", background: true } }],
  };
  const waiting = { calls: [{ name: "bash", arguments: { command: "while [ ! -s one ]; do sleep 0.02; done" } }] };
  const result = await world.run(["run", "first", "--model", world.script(call, waiting, "done")]);
  expect(result).toMatchObject({ code: 0, stdout: "done\n" });
  expect(isAlive(Number(readFileSync(`${world.workspace}/one`, "utf8")))).toBe(false);
});

test("R1.6 a second run waits for the first, says so after a second, and goes on from its entries", async () => {
  using world = createCliWorld();
  const first = world.start(["run", "first", "--model", world.script({ text: "one", delay_ms: 2500 })]);
  await world.until(world.tapeFile(), 1);
  const second = world.start(["run", "second", "--model", world.script("unused", "two")]);
  await second.saw("waiting for process");
  expect(second.stderr()).toMatch(
    new RegExp(`^bub: waiting for process ${first.process.pid}, which has the session 'cli:local'[^\n]*\n$`),
  );
  expect(await first.ended).toMatchObject({ code: 0, stdout: "one\n" });
  expect(await second.ended).toMatchObject({ code: 0, stdout: "two\n" });
  expect(messagesOf(world.entries()).map((message) => message.split("\n").at(-1))).toEqual(["first", "second"]);
});

test("R1.6 --no-wait exits 1 at once and says who has the session", async () => {
  using world = createCliWorld();
  const first = world.start(["run", "first", "--model", world.script(...stalling)]);
  await world.until(world.tapeFile(), 1);
  const second = await world.run(["run", "second", "--no-wait", "--model", world.script("two")]);
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toMatch(/^bub: session .*cli:local.* is held by [^\n]*\n$/);
  expect(second.stderr).toContain(String(first.process.pid));
  const other = await world.run(["run", "third", "--new", "--no-wait", "--model", world.script("three")]);
  expect(other).toMatchObject({ code: 0, stdout: "three\n" });
  first.kill("SIGINT");
  await first.ended;
});

test("R1.6 Ctrl-C ends a run that waits, and nothing of it is on the tape", async () => {
  using world = createCliWorld();
  const first = world.start(["run", "first", "--model", world.script(...stalling)]);
  await world.until(world.tapeFile(), 1);
  const second = world.start(["run", "second", "--model", world.script("two")]);
  await second.saw("waiting for process");
  second.kill("SIGINT");
  expect(await second.ended).toMatchObject({ code: 130, stdout: "" });
  first.kill("SIGINT");
  await first.ended;
  expect(messagesOf(world.entries())).toHaveLength(1);
});

test("R1.6 a run below the run that holds the session does not wait for it", async () => {
  using world = createCliWorld();
  const below = `"${process.execPath}" "${cliFile}" run inner --model "${world.script("inner")}"`;
  const model = world.script(
    { calls: [{ name: "bash", arguments: { command: `${below}; echo "exit $?"` } }] },
    "{{result}}",
  );
  const result = await world.run(["run", "outer", "--model", model]);
  expect(result.stdout).toBe(
    "bub: session 'cli:local' is held by the run that started this process; use --new or --session-id\nexit 1\n",
  );
});

test("T10.6 ,quit from another process ends the run within a second: it exits 130", async () => {
  using world = createCliWorld();
  const first = world.start(["run", "first", "--model", world.script(...stalling)]);
  await world.until(world.tapeFile(), 1);
  const started = performance.now();
  const quit = world.start(["run", ",quit"]);
  expect(await first.ended).toMatchObject({ code: 130 });
  expect(performance.now() - started).toBeLessThan(2000);
  expect(await quit.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Quit") });
});
