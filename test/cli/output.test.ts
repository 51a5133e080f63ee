// Large output, readers that leave, and places that cannot be written.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { cliFile, createCliWorld, eventsOf } from "../support/run-cli.ts";

const long = `${"0123456789abcde\n".repeat(12_800)}the end`;

test("pitfalls: 200 KB of piped output arrive whole", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "hi", "--model", world.script(long)]);
  expect(result.code).toBe(0);
  expect(result.stdout).toBe(`${long}\n`);
});

test("pitfalls: 200 KB of events arrive whole", async () => {
  using world = createCliWorld();
  const result = await world.run(["run", "hi", "--json", "--model", world.script(long)]);
  expect(eventsOf(result.stdout).at(-1)).toMatchObject({ type: "final", text: long });
});

test("pitfalls: a slow reader gets everything, too", () => {
  using world = createCliWorld();
  const command = `"$0" "$1" run hi --model "$2" | (sleep 0.5; wc -c)`;
  const { stdout } = shell(command, [process.execPath, cliFile, world.script(long)], world);
  expect(Number(stdout)).toBe(long.length + 1);
});

test("R5.1 a reader that leaves early is no error to talk about", () => {
  using world = createCliWorld();
  const command = `"$0" "$1" run hi --model "$2" | head -c 5`;
  expect(shell(command, [process.execPath, cliFile, world.script(long)], world)).toMatchObject({
    stdout: "01234",
    stderr: "",
  });
});

test("R5.1 a reader of events that leaves ends the run", async () => {
  using world = createCliWorld();
  const model = world.script({ text: "one two three four five six seven eight", chunk_delay_ms: 100 }, { stall: true });
  const env = { PATH: process.env.PATH, BUB_HOME: world.home };
  const child = spawn(process.execPath, [cliFile, "run", "hi", "--json", "--model", model], {
    cwd: world.workspace,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  await once(child.stdout, "data");
  child.stdout.destroy();
  expect(await ended).toEqual([0, null]);
  expect(child.stderr.read()).toBeNull();
});

test.each([
  ["help", ["--help"]],
  ["help of a command", ["help", "run"]],
  ["the version", ["--version"]],
  ["run", ["run", "hi", "--session-id", "other"]],
  ["run --json", ["run", "hi", "--session-id", "another", "--json"]],
  ["hooks", ["hooks"]],
  ["hooks --trace", ["hooks", "--trace", "hi", "--session-id", "third", "--json"]],
  ["sessions", ["sessions"]],
  ["sessions --json", ["sessions", "--json"]],
  ["sessions search", ["sessions", "search", "hi"]],
  ["sessions show", ["sessions", "show", "cli:local"]],
  ["tape show", ["tape", "show"]],
  ["tape show --json", ["tape", "show", "--json"]],
  ["tape search", ["tape", "search", "hi"]],
  ["tape export", ["tape", "export"]],
  ["tape check", ["tape", "check"]],
  ["demo", ["demo"]],
])("R5.1 what nobody reads any more ends well: %s", async (_name, words) => {
  using world = createCliWorld();
  const model = world.script("hello", "hello again");
  await world.run(["run", "hi", "--model", model]);
  const child = spawn(process.execPath, [cliFile, ...words], {
    cwd: world.workspace,
    env: { PATH: process.env.PATH, BUB_HOME: world.home, BUB_MODEL: model, TMPDIR: world.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  expect(await ended).toEqual([0, null]);
  expect(stderr).not.toMatch(/EPIPE|cannot|cancel/);
});

test("R5.1 a failure stays one, whoever reads its output", () => {
  using world = createCliWorld();
  const model = world.script({ error: { status: 400, message: "out of order" } });
  const command = `{ "$0" "$1" run hi --model "$2"; echo "exit $?" >&2; } | true`;
  const { stderr } = shell(command, [process.execPath, cliFile, model], world);
  expect(stderr).toMatch(/out of order.*\nexit 1\n$/);
});

test("R5.1 a wrong word is one, also where nobody reads what is said about it", () => {
  using world = createCliWorld();
  const command = `{ "$0" "$1" run --nonsense; echo "exit $?" >&3; } 3>&2 2>&1 | true`;
  expect(shell(command, [process.execPath, cliFile], world).stderr).toMatch(/exit 2/);
});

test.skipIf(!existsSync("/dev/full"))("R5.1 an answer that cannot be written is an error with a sentence", () => {
  using world = createCliWorld();
  const result = shell(
    `"$0" "$1" run hi --model "$2" > /dev/full`,
    [process.execPath, cliFile, world.script("hi")],
    world,
  );
  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/^bub: stdout cannot be written: .*ENOSPC.*\n$/);
});

test.skipIf(!existsSync("/dev/full"))("R5.1 help that cannot be written is an error with a sentence", () => {
  using world = createCliWorld();
  const result = shell(`"$0" "$1" --help > /dev/full`, [process.execPath, cliFile], world);
  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/^bub: stdout cannot be written: .*ENOSPC.*\n$/);
});

function shell(command: string, words: readonly string[], { home, workspace }: { home: string; workspace: string }) {
  const env = { PATH: process.env.PATH, BUB_HOME: home };
  return spawnSync("sh", ["-c", command, ...words], { cwd: workspace, env, encoding: "utf8", input: "" });
}
