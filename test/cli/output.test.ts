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
  expect(await ended).toEqual([130, null]);
  expect(child.stderr.read()).toBeNull();
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

function shell(command: string, words: readonly string[], { home, workspace }: { home: string; workspace: string }) {
  const env = { PATH: process.env.PATH, BUB_HOME: home };
  return spawnSync("sh", ["-c", command, ...words], { cwd: workspace, env, encoding: "utf8", input: "" });
}
