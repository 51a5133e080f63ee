// `bub demo` and the sample project that comes with it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles } from "../../src/cli/demo/project.ts";
import { createCliWorld } from "../support/run-cli.ts";
import { listFiles, root } from "../support/source-files.ts";

test("R5.1 R4.2 demo runs a turn with real tools: the test fails, the file is edited, the test passes", async () => {
  using world = createCliWorld();
  const { code, stdout, stderr } = await world.run(["demo"], {
    env: { BUB_MODEL: "nobody:nothing", TMPDIR: world.workspace },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/bash node --test \([^)]*, failed: command exited with code 1\)/);
  expect(stdout).toMatch(/fs_edit slugify\.js/);
  expect(stdout).toMatch(/bash node --test \([^)]*s\)\n/);
  expect(stdout).toContain("both tests pass");
});

test("R5.1 demo prints a command that shows its tape", async () => {
  using world = createCliWorld();
  const { stdout } = await world.run(["demo"], { env: { TMPDIR: world.workspace } });
  const command = /^To look at it:\n {2}(.+)$/m.exec(stdout)?.[1] ?? "";
  const shown = spawnSync("sh", ["-c", command], { encoding: "utf8", env: { PATH: process.env.PATH } });
  expect(shown.stderr).toBe("");
  expect(shown.stdout).toContain("fs_edit: ok");
  const tape = /^ {2}(\/.+\.jsonl)$/m.exec(stdout)?.[1] ?? "";
  expect(readFileSync(tape, "utf8").split("\n").length).toBeGreaterThan(10);
});

test("R5.1 demo ends with how to go on, in words that this program understands", async () => {
  using world = createCliWorld();
  const { stdout } = await world.run(["demo"], { env: { TMPDIR: world.workspace } });
  expect(stdout).toMatch(/\nTo go on with a model of your own:\n {2}node \S+cli\.js onboard\n$/);
});

test("R5.1 the demo's project is the one in examples", () => {
  const folder = "examples/demo-project";
  const files = listFiles(folder).map((path) => [
    path.slice(folder.length + 1),
    readFileSync(join(root, path), "utf8"),
  ]);
  expect(projectFiles).toEqual(Object.fromEntries(files));
});
