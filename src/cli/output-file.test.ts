import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeOutputFile } from "./output-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-output-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = "/nowhere";
const modeOf = (path: string) => statSync(path).mode & 0o777;

async function* pieces(...texts: readonly string[]) {
  yield* texts;
}

test("R5.1 a new file is for its owner alone; one that is replaced keeps its rights", async () => {
  const path = join(folder, "out.md");
  expect(await writeOutputFile(path, pieces("a", "é"), { overwrite: false, never })).toBe(3);
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["aé", 0o600]);
  chmodSync(path, 0o644);
  await writeOutputFile(path, pieces("b"), { overwrite: true, never });
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["b", 0o644]);
});

test("R5.1 nothing is left of a file whose text failed to come, and what was there stays", async () => {
  const path = join(folder, "out.md");
  writeFileSync(path, "before");
  const failing = async function* () {
    yield "half";
    throw new Error("no more");
  };
  await expect(writeOutputFile(path, failing(), { overwrite: true, never })).rejects.toThrow("no more");
  await expect(writeOutputFile(path, pieces("b"), { overwrite: false, never })).rejects.toMatchObject({
    message: expect.stringContaining("is there already"),
    hint: "--overwrite replaces it.",
  });
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["before", ["out.md"]]);
});

test("R5.1 a place that cannot be written is told with what to do about the file, not about the home", async () => {
  const path = join(folder, "missing", "out.md");
  await expect(writeOutputFile(path, pieces("a"), { overwrite: false, never })).rejects.toMatchObject({
    message: `cannot write ${path}: the path does not exist`,
    hint: "Name a file in a folder that you can write.",
  });
});
