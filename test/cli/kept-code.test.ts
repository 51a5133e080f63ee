import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type CliWorld, cliFile, createCliWorld } from "../support/run-cli.ts";

/** A folder for temporary files of its own, and where code is kept in it. */
function placeIn({ home }: CliWorld) {
  const temporary = join(home, "..", "temporary");
  mkdirSync(temporary);
  const folder = join(temporary, `bub-code-${process.getuid?.() ?? "user"}`);
  return { folder, env: { TMPDIR: temporary, TMP: temporary, TEMP: temporary } };
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

test("a command that succeeds keeps its compiled code for the next start, one that fails does not", async () => {
  using world = createCliWorld();
  const { folder, env } = placeIn(world);
  expect((await world.run(["run", "hi"], { env })).code).toBe(1);
  expect(namesIn(folder)).toEqual([]);
  const first = await world.run(["hooks"], { env });
  const [name = ""] = namesIn(folder);
  expect(name).toMatch(/^work-[A-Z0-9]{8}-hooks-v/);
  const { ino, size } = statSync(join(folder, name));
  expect(size).toBeGreaterThan(10_000);
  expect(await world.run(["hooks"], { env })).toEqual(first);
  expect(namesIn(folder)).toEqual([name]);
  expect(statSync(join(folder, name)).ino).toBe(ino);
});

test("the script of all commands is ASCII, as it is read, and its modules share the shape that esbuild starts them by", () => {
  const dist = dirname(cliFile);
  const [script = ""] = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
  const text = readFileSync(join(dist, script), "utf8");
  expect(text).not.toMatch(/[^\0-\x7f]/);
  expect(new Set(text.match(/__esm\(\{[^(]*\(/g))).toEqual(new Set(["__esm({load("]));
});

test.each([
  ["cut short", (code: Buffer) => code.subarray(0, code.length / 2)],
  ["empty", () => Buffer.alloc(0)],
  ["damaged in many places", (code: Buffer) => code.map((byte, index) => (index % 1000 === 999 ? byte ^ 1 : byte))],
  ["of another V8", (code: Buffer) => Buffer.concat([Buffer.alloc(64), code.subarray(64)])],
])("kept code that is %s is made anew", async (_what, damage) => {
  using world = createCliWorld();
  const { folder, env } = placeIn(world);
  const first = await world.run(["hooks"], { env });
  const path = join(folder, namesIn(folder)[0] ?? "");
  const code = readFileSync(path);
  writeFileSync(path, damage(code));
  expect(await world.run(["hooks"], { env })).toEqual(first);
  expect(readFileSync(path).length).toBeGreaterThan(code.length / 2);
});

test.skipIf(process.getuid === undefined)("a folder that others can write to is not trusted with code", async () => {
  using world = createCliWorld();
  const { folder, env } = placeIn(world);
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  expect((await world.run(["hooks"], { env })).code).toBe(0);
  expect(namesIn(folder)).toEqual([]);
});

test("nothing is kept where it cannot be, or when Node's own variable says so", async () => {
  using world = createCliWorld();
  const { folder, env } = placeIn(world);
  expect((await world.run(["hooks"], { env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1" } })).code).toBe(0);
  writeFileSync(folder, "in the way");
  const { code, stderr } = await world.run(["hooks"], { env });
  expect([code, stderr]).toEqual([0, ""]);
});
