import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually, markedProcesses, shellWorld } from "../../../test/support/shell-world.ts";
import { isAlive } from "../../base/processes.ts";

async function startInBackground(
  world: ReturnType<typeof shellWorld>,
  command: string,
  sessionId?: string,
): Promise<string> {
  return (await world.call("bash", { command, background: true }, { sessionId })).value.shell_id as string;
}

async function untilExited(world: ReturnType<typeof shellWorld>, id: string): Promise<void> {
  await eventually(async () => (await world.call("bash.output", { shell_id: id })).value.status === "exited");
}

describe("T2.5 bash.output", () => {
  test("T2.5 gives id, status, exit code, next offset and the slice", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "printf 'aé☕😀z'; exit 7");
    await untilExited(world, id);
    const { value, text } = await world.call("bash.output", { shell_id: id, offset: 1, limit: 3 });
    expect(text).toBe(`id: ${id}\nstatus: exited\nexit_code: 7\nnext_offset: 4\noutput:\né☕😀`);
    expect(value).toEqual({ shell_id: id, status: "exited", exit_code: 7, output: "é☕😀", next_offset: 4 });
  });

  test("T2.5 exit_code is null while it runs", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "echo up; sleep 60");
    await eventually(async () => (await world.call("bash.output", { shell_id: id })).value.output === "up\n");
    const { text } = await world.call("bash.output", { shell_id: id });
    expect(text).toBe(`id: ${id}\nstatus: running\nexit_code: null\nnext_offset: 3\noutput:\nup\n`);
  });

  test("T2.5 the offset is clamped, limit bounds, and reading twice gives the same", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "printf 0123456789");
    await untilExited(world, id);
    const read = async (range: object) => (await world.call("bash.output", { shell_id: id, ...range })).value;
    expect(await read({ offset: -5, limit: 2 })).toMatchObject({ output: "01", next_offset: 2 });
    expect(await read({ offset: 99 })).toMatchObject({ output: "", next_offset: 10 });
    expect(await read({ limit: 0 })).toMatchObject({ output: "", next_offset: 0 });
    expect(await read({ limit: null })).toMatchObject({ output: "0123456789", next_offset: 10 });
    expect(await read({})).toEqual(await read({}));
    await expect(world.call("bash.output", { shell_id: id, limit: -1 })).rejects.toMatchObject({
      kind: "invalid_input",
    });
  });

  test("T2.5 the oldest ended beyond 64 of a session are dropped, running ones and other sessions' stay", async () => {
    const world = shellWorld();
    const running = await startInBackground(world, "sleep 60");
    const other = await startInBackground(world, "echo other", "cli:other");
    const ids: string[] = [];
    for (let count = 0; count < 66; count++) {
      ids.push(await startInBackground(world, `echo ${count}`));
      await untilExited(world, ids.at(-1) as string);
    }
    const outputOf = async (id: string) => (await world.call("bash.output", { shell_id: id })).value.output;
    await expect(outputOf(ids[0] as string)).rejects.toThrow("unknown shell id");
    await expect(outputOf(ids[1] as string)).rejects.toThrow("unknown shell id");
    expect(await outputOf(ids[2] as string)).toBe("2\n");
    expect(await outputOf(ids[65] as string)).toBe("65\n");
    expect(await outputOf(running)).toBe("");
    expect((await world.call("bash.output", { shell_id: other }, { sessionId: "cli:other" })).value.output).toBe(
      "other\n",
    );
  });

  test("T2.5 shells whose id is told only after their end count among those 64", async () => {
    const world = shellWorld();
    const ids: string[] = [];
    for (let count = 0; count < 65; count++) {
      const shell = await world.shells.start(world.environment, "true", { sessionId: "cli:test" });
      await shell.ended;
      world.shells.announce(shell);
      ids.push(shell.id);
    }
    await expect(world.call("bash.output", { shell_id: ids[0] as string })).rejects.toThrow("unknown shell id");
    expect((await world.call("bash.output", { shell_id: ids[1] as string })).value.status).toBe("exited");
  });
});

describe("T2.7 bash.kill", () => {
  test("T2.7 ends the whole group and gives the final status", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "sleep 60 & sleep 60 | sleep 60");
    await eventually(() => markedProcesses(id).length >= 4);
    const { value, text } = await world.call("bash.kill", { shell_id: id });
    expect(text).toBe(`id: ${id}\nstatus: exited\nexit_code: -15`);
    expect(value).toEqual({ shell_id: id, status: "exited", exit_code: -15 });
    expect(markedProcesses(id)).toEqual([]);
  });

  test("T2.7 a child that ignores TERM gets KILL after three seconds", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    await eventually(async () => (await world.call("bash.output", { shell_id: id })).value.output === "ready\n");
    const start = performance.now();
    expect((await world.call("bash.kill", { shell_id: id })).value).toMatchObject({ status: "exited", exit_code: -9 });
    expect(performance.now() - start).toBeGreaterThan(2_900);
    expect(markedProcesses(id)).toEqual([]);
  });

  test("T2.7 one that cleans up on TERM is given the time to", async () => {
    const world = shellWorld();
    const id = await startInBackground(
      world,
      "trap 'sleep 0.3; echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
    );
    await eventually(async () => (await world.call("bash.output", { shell_id: id })).value.output === "ready\n");
    expect((await world.call("bash.kill", { shell_id: id })).value.exit_code).toBe(5);
    expect((await world.call("bash.output", { shell_id: id })).value.output).toMatch(/^ready\n(Terminated\n)?bye\n$/);
  });

  test("T2.7 works after the process has finished, and ends what it left in its group", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "sleep 60 & env -i sleep 60 & echo $!; exit 6");
    await untilExited(world, id);
    const unmarked = Number((await world.call("bash.output", { shell_id: id })).value.output);
    expect(isAlive(unmarked)).toBe(true);
    expect((await world.call("bash.kill", { shell_id: id })).value).toMatchObject({ status: "exited", exit_code: 6 });
    expect((await world.call("bash.kill", { shell_id: id })).value).toMatchObject({ status: "exited", exit_code: 6 });
    expect(isAlive(unmarked)).toBe(false);
    expect(markedProcesses(id)).toEqual([]);
  });

  test("T2.7 an unknown id, or one of an unrelated session, is not found", async () => {
    const world = shellWorld();
    const id = await startInBackground(world, "sleep 60");
    for (const [shellId, sessionId] of [
      ["bsh-00000000", "cli:test"],
      [id, "cli:other"],
      ["nonsense", "cli:test"],
    ]) {
      for (const tool of ["bash.kill", "bash.output"]) {
        await expect(world.call(tool, { shell_id: shellId as string }, { sessionId })).rejects.toMatchObject({
          kind: "not_found",
          message: `unknown shell id: ${shellId}`,
        });
      }
    }
  });

  test("T2.7 the id of a foreground command is told to nobody", async () => {
    const world = shellWorld();
    const id = await world.bash("echo $BUB_SHELL_ID");
    await expect(world.call("bash.output", { shell_id: id })).rejects.toThrow(`unknown shell id: ${id}`);
  });

  test("T2.7 a temp or fork child may read and end its parent's shells, not the other way round", async () => {
    const world = shellWorld({ parentOf: (sessionId) => (sessionId.startsWith("temp/") ? "cli:test" : undefined) });
    const parents = await startInBackground(world, "echo parent; sleep 60");
    const childs = await startInBackground(world, "echo child; sleep 60", "temp/sub-1");
    await eventually(async () => {
      const { value } = await world.call("bash.output", { shell_id: parents }, { sessionId: "temp/sub-1" });
      return value.output === "parent\n";
    });
    await expect(world.call("bash.output", { shell_id: childs })).rejects.toThrow("unknown shell id");
    await expect(world.call("bash.output", { shell_id: childs }, { sessionId: "named" })).rejects.toThrow(
      "unknown shell id",
    );
    const killed = await world.call("bash.kill", { shell_id: parents }, { sessionId: "temp/sub-1" });
    expect(killed.value.status).toBe("exited");
  });
});

describe("T2.8 bounded output", () => {
  test("T2.8 yes with a small cap: head and tail are kept, and the gap says so", async () => {
    const world = shellWorld({ maxBytes: 100_000 });
    const id = await startInBackground(world, "echo begin; yes | head -c 5000000; echo end");
    await untilExited(world, id);
    const { value } = await world.call("bash.output", { shell_id: id });
    expect(value.next_offset).toBe(5_000_010);
    expect(value.output).toMatch(/^begin\n(y\n)+y?\[4900010 characters dropped\]\n?(y\n)+end\n$/);
    const inGap = await world.call("bash.output", { shell_id: id, offset: 1_000_000, limit: 10 });
    expect(inGap.value).toMatchObject({ output: "[3950010 characters dropped]", next_offset: 4_950_010 });
  });

  test("T2.8 yes running free costs bounded memory until it is ended", async () => {
    const world = shellWorld({ maxBytes: 4 * 1024 * 1024 });
    const before = process.memoryUsage().rss;
    const id = await startInBackground(world, "yes 0123456789012345678901234567890123456789");
    const written = async () =>
      Number((await world.call("bash.output", { shell_id: id, offset: 1e12 })).value.next_offset);
    await eventually(async () => (await written()) > 256 * 1024 * 1024, "more output than may be kept");
    const reads = await Promise.all(
      [0, 1e6, 5e6].map((offset) => world.call("bash.output", { shell_id: id, offset, limit: 50 })),
    );
    expect(reads.map(({ value }) => value.status)).toEqual(["running", "running", "running"]);
    await world.call("bash.kill", { shell_id: id });
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024);
    const { value } = await world.call("bash.output", { shell_id: id, offset: 3e6, limit: 60 });
    expect(value.output).toMatch(/^\[\d+ characters dropped\]/);
  });
});

describe("T2.9 the end of a session", () => {
  test("T2.9 stops running shells within half a second of grace and forgets finished ones", async () => {
    const world = shellWorld();
    const stubborn = await startInBackground(world, "trap '' TERM; : >deaf; while :; do sleep 0.05; done");
    await eventually(() => existsSync(join(world.workspace, "deaf")));
    const finished = await startInBackground(world, "echo x");
    const others = await startInBackground(world, "sleep 60", "cli:other");
    await untilExited(world, finished);
    const start = performance.now();
    await world.shells.stopAll("cli:test", 500);
    // The grace of `bash.kill` would be three seconds.
    expect(performance.now() - start).toBeLessThan(2_900);
    for (const id of [stubborn, finished]) {
      await expect(world.call("bash.output", { shell_id: id })).rejects.toThrow("unknown shell id");
    }
    expect(markedProcesses(stubborn)).toEqual([]);
    await eventually(() => markedProcesses(others).length === 1);
  });

  test("T2.9 a child's shells end with the child and leave the parent's alone", async () => {
    const world = shellWorld();
    const parents = await startInBackground(world, "sleep 60");
    const childs = await startInBackground(world, "sleep 60 & setsid sleep 60 & wait", "temp/sub-1");
    await eventually(() => markedProcesses(childs).length >= 3);
    await world.shells.stopAll("temp/sub-1", 500);
    expect(markedProcesses(childs)).toEqual([]);
    await eventually(() => markedProcesses(parents).length === 1);
  });

  test("T2.9 the end of the runtime leaves no process, no pipe, no record", async () => {
    const before = await openFiles();
    const world = shellWorld();
    await startInBackground(world, "sleep 60 & setsid sleep 60 & sleep 60");
    await world.bash("sleep 60 & echo one");
    const pids = markedProcesses();
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await world.close();
    expect(pids.filter((pid) => isAlive(pid))).toEqual([]);
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(join(world.home, "shells"))).toEqual([]);
    await eventually(async () => (await openFiles()) <= before, "as many open files as before");
    await expect(world.bash("true")).rejects.toThrow("the environment is closed");
  });
});

describe("T2.10 shell-finished", () => {
  test("T2.10 is told when a background shell ends, and for no foreground command", async () => {
    const ended: [string, number][] = [];
    const world = shellWorld({ onFinished: ({ id }, { exitCode }) => void ended.push([id, exitCode]) });
    await world.bash("true");
    const background = await startInBackground(world, "exit 3");
    await eventually(() => ended.length === 1);
    const { value } = await world.call("bash", { command: "sleep 0.3; exit 4", timeout_seconds: 0.05 });
    await eventually(() => ended.length === 2);
    expect(ended).toEqual([
      [background, 3],
      [value.shell_id, 4],
    ]);
  });
});

test("T2.9 a home that cannot be written still runs commands", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bub-unwritable-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { createLocalEnvironment } = await import("../../environment/local.ts");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(folder, "file"), "");
  await using environment = createLocalEnvironment({ home: join(folder, "file", "home"), workspace: folder });
  const shell = await environment.spawn("exit 9", { shellId: "bsh-00000002", sessionId: "s" });
  expect(await shell.exited).toEqual({ exitCode: 9 });
});

async function openFiles(): Promise<number> {
  const { readdirSync } = await import("node:fs");
  return readdirSync("/proc/self/fd").length;
}
