import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readRegularFile } from "./regular-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bub-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a pipe that nobody writes to, and a device without end, are refused at once", async () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await expect(readRegularFile(join(folder, "pipe"))).rejects.toMatchObject({
    code: "ENOTREGULAR",
    message: "it is not a regular file",
  });
  await expect(readRegularFile("/dev/zero", { mostBytes: 10 })).rejects.toMatchObject({ code: "ENOTREGULAR" });
  await expect(readRegularFile(folder)).rejects.toMatchObject({ code: "EISDIR" });
  await expect(readRegularFile(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file is read whole, or up to one byte more than wanted", async () => {
  writeFileSync(join(folder, "a"), "0123456789");
  expect(String(await readRegularFile(join(folder, "a")))).toBe("0123456789");
  expect(String(await readRegularFile(join(folder, "a"), { mostBytes: 3 }))).toBe("0123");
  expect(String(await readRegularFile(join(folder, "a"), { mostBytes: 30 }))).toBe("0123456789");
});

test("the start of a long file is read whole", async () => {
  const text = "0123456789".repeat(30_000);
  writeFileSync(join(folder, "long"), text);
  expect(String(await readRegularFile(join(folder, "long"), { mostBytes: 400_000 }))).toBe(text);
  expect(String(await readRegularFile(join(folder, "long"), { mostBytes: 200_000 }))).toBe(text.slice(0, 200_001));
});

test.skipIf(process.platform !== "linux")("a file that says it is empty, and is not, is read", async () => {
  expect(String(await readRegularFile("/proc/self/status", { mostBytes: 100_000 }))).toMatch(/^Name:/);
});
