// An installation of which a part is missing or damaged.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";

const workName = () => readdirSync(dirname(cliFile)).find((file) => /^work-.*\.cjs$/.test(file)) ?? "";

/** `bub` in a folder of its own, with that in the place of the file that holds its commands. */
function program(world: CliWorld, work: string | undefined) {
  const folder = join(world.home, "..", "program");
  mkdirSync(folder);
  copyFileSync(cliFile, join(folder, "cli.js"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  if (work !== undefined) writeFileSync(join(folder, workName()), work);
  const run = (...words: string[]) => {
    const env = { PATH: process.env.PATH, HOME: world.home, BUB_HOME: world.home, TMPDIR: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, "cli.js"), ...words], {
      env,
      cwd: world.workspace,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  return { folder, run };
}

test("R1.5 a program whose commands are missing says so in one sentence, and can still tell its version", () => {
  using world = createCliWorld();
  const { folder, run } = program(world, undefined);
  expect(run("hooks")).toEqual({
    status: 1,
    stdout: "",
    stderr: `bub: the program in ${folder} cannot run: ENOENT: no such file or directory, open '${join(folder, workName())}'. Part of it may be missing: install bub again.\n`,
  });
  expect(run("--version")).toMatchObject({ status: 0, stderr: "" });
});

test.each([
  ["cut short", (code: string) => code.slice(0, code.length / 2)],
  ["empty", () => ""],
  ["something else", () => "(function () { throw new Error('no luck.') })"],
])("R1.5 a program whose commands are %s says so in one sentence", (_what, damage) => {
  using world = createCliWorld();
  const { folder, run } = program(world, damage(readFileSync(join(dirname(cliFile), workName()), "utf8")));
  const { status, stdout, stderr } = run("hooks");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^bub: the program in [^\n]* cannot run: [^\n]*[^.]\. Part of it may be missing: install bub again\.\n$/,
  );
  expect(stderr).toContain(folder);
});
