import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileMediaStore } from "./media-store.ts";

function setUp(): FileMediaStore {
  const home = mkdtempSync(join(tmpdir(), "bub-media-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return new FileMediaStore(join(home, "media"));
}

test("R3.9 a medium is one private file named by its SHA-256, written once", async () => {
  const store = setUp();
  const sha256 = await store.put(Buffer.from("hello"));
  expect(sha256).toBe("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  const before = statSync(join(store.folder, sha256));
  await store.put(Buffer.from("hello"));
  expect(readdirSync(store.folder)).toEqual([sha256]);
  const after = statSync(join(store.folder, sha256));
  expect(after.ino).toBe(before.ino);
  expect(after.mode & 0o777).toBe(0o600);
});

test("R3.9 what a power cut left of a medium is written anew", async () => {
  const store = setUp();
  const sha256 = await store.put(Buffer.from("hello"));
  writeFileSync(join(store.folder, sha256), "he");
  await store.put(Buffer.from("hello"));
  expect(Buffer.from(await store.get(sha256)).toString()).toBe("hello");
});

test("R3.4 a home that cannot be written is named", async () => {
  const store = setUp();
  const blocked = new FileMediaStore(join(store.folder, "..", "file", "media"));
  writeFileSync(join(store.folder, "..", "file"), "");
  await expect(blocked.put(Buffer.from("hello"))).rejects.toMatchObject({
    kind: "config",
    message: expect.stringContaining("a part of the path is not a folder"),
  });
});
