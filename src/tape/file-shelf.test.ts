import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sidecarIdOf, tapeIdOf } from "../base/ids.ts";
import { createFileStorage } from "./file-store.ts";
import type { TapeShelf, TapeStorage } from "./store.ts";

const [one, two] = [tapeIdOf("/work", "one"), tapeIdOf("/work", "two")];
const clock = { now: () => new Date("2026-03-01T00:00:00.000Z") };

function world() {
  const home = mkdtempSync(join(tmpdir(), "bub-shelf-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const storage: TapeStorage & { shelf?: TapeShelf } = createFileStorage({ home, clock });
  mkdirSync(join(home, "tapes"));
  const put = (name: string, text = "{}\n", date = "2026-01-01T00:00:00Z") => {
    const path = join(home, "tapes", name);
    writeFileSync(path, text);
    utimesSync(path, new Date(date), new Date(date));
    return path;
  };
  const names = () => readdirSync(join(home, "tapes")).sort();
  if (storage.shelf === undefined) throw new Error("files have a shelf");
  return { home, storage, shelf: storage.shelf, put, names };
}

test("R3.1 every tape is listed with its sidecars, size and time, and nothing else is", async () => {
  const { shelf, put } = world();
  expect(await shelf.list()).toEqual([]);
  put(`${one}.jsonl`, "12345");
  put(`${sidecarIdOf(one, "spill")}.jsonl`, "123", "2026-02-01T00:00:00Z");
  for (const name of ["index.jsonl", `${one}.lease`, `${one}.jsonl.20260101T000000000Z.bak`]) put(name);
  put("unregistered.jsonl", "1");
  expect([...(await shelf.list())].sort((a, b) => b.bytes - a.bytes)).toEqual([
    { tape: one, bytes: 8, changed: new Date("2026-02-01T00:00:00.000Z") },
    { tape: "unregistered", bytes: 1, changed: new Date("2026-01-01T00:00:00.000Z") },
  ]);
});

test("R3.1 a tape that is a link is listed, wherever it leads, and so is one whose place a folder has taken", async () => {
  const { home, shelf, put, names } = world();
  const elsewhere = join(home, "elsewhere.jsonl");
  writeFileSync(elsewhere, "12345");
  symlinkSync(elsewhere, join(home, "tapes", `${one}.jsonl`));
  symlinkSync(join(home, "nowhere"), join(home, "tapes", "dangling.jsonl"));
  mkdirSync(join(home, "tapes", `${two}.jsonl`));
  put("index.jsonl");
  const listed = (await shelf.list()).map(({ tape, bytes }) => `${tape} ${bytes}`);
  expect(listed.sort()).toEqual([`${one} 5`, `${two} 0`, "dangling 0"].sort());
  await expect(shelf.remove(two)).rejects.toMatchObject({ hint: expect.stringContaining("Move the folder away") });
  expect(names()).toContain(`${two}.jsonl`);
  await shelf.remove(one);
  expect(existsSync(elsewhere)).toBe(true);
});

test("T6.7 an archive takes a tape out of use with its sidecars, over no earlier one; restoring brings both back", async () => {
  const { shelf, put, names } = world();
  const files = [`${one}.jsonl`, `${sidecarIdOf(one, "spill")}.jsonl`];
  for (const name of files) put(name, name);
  put(`${one}.jsonl.20260301T000000000Z.bak`, "earlier");
  const place = await shelf.archive(one);
  expect(place).toMatch(/\.jsonl\.20260301T000000001Z\.bak$/);
  expect(await shelf.list()).toEqual([]);
  const archives = await shelf.archives();
  expect(archives.map(({ date, bytes }) => [date, bytes])).toEqual([
    ["2026-03-01T00:00:00.000Z", 7],
    ["2026-03-01T00:00:00.001Z", files.join("").length],
  ]);
  expect(await shelf.restore(place)).toBe(one);
  expect(names()).toEqual([...files, `${one}.jsonl.20260301T000000000Z.bak`].sort());
  await expect(shelf.restore(archives[0]?.place ?? "")).rejects.toMatchObject({ kind: "invalid_input" });
  await expect(shelf.restore(place)).rejects.toMatchObject({ kind: "not_found" });
});

test("T6.7 copies that a reset made a moment apart belong together", async () => {
  const { shelf, put, names } = world();
  put(`${one}.jsonl.20260101T000000000Z.bak`);
  put(`${sidecarIdOf(one, "spill")}.jsonl.20260101T000000007Z.bak`);
  put(`${one}.jsonl.20260102T000000000Z.bak`);
  put(`${sidecarIdOf(one, "spill")}.jsonl.20260102T000000000Z.bak`);
  put(`${sidecarIdOf(two, "spill")}.jsonl.20260101T000000000Z.bak`);
  const [first] = await shelf.archives();
  await shelf.removeArchive(first?.place ?? "");
  expect(names()).toEqual(
    [
      `${one}.jsonl.20260102T000000000Z.bak`,
      `${sidecarIdOf(one, "spill")}.jsonl.20260102T000000000Z.bak`,
      `${sidecarIdOf(two, "spill")}.jsonl.20260101T000000000Z.bak`,
    ].sort(),
  );
});

test("R5.1 a tape is renamed with its sidecars, and not over another one", async () => {
  const { shelf, put, names } = world();
  for (const name of [`${one}.jsonl`, `${sidecarIdOf(one, "notes")}.jsonl`]) put(name);
  await shelf.rename(one, two);
  expect(names()).toEqual([`${sidecarIdOf(two, "notes")}.jsonl`, `${two}.jsonl`].sort());
  put(`${one}.jsonl`);
  await expect(shelf.rename(one, two)).rejects.toMatchObject({ kind: "invalid_input" });
  await expect(shelf.rename(tapeIdOf("/work", "no"), tapeIdOf("/work", "none"))).rejects.toMatchObject({
    kind: "not_found",
  });
});

test("R5.1 removing a tape removes its sidecars and what waits for it", async () => {
  const { home, storage, shelf, put, names } = world();
  for (const name of [`${one}.jsonl`, `${sidecarIdOf(one, "spill")}.jsonl`, `${two}.jsonl`]) put(name);
  await storage.inboxes.put(one, { kind: "steer", payload: {}, meta: {} });
  await shelf.remove(one);
  expect(names()).toEqual([`${two}.jsonl`]);
  expect(existsSync(join(home, "inbox", one))).toBe(false);
  await expect(shelf.remove(one)).rejects.toMatchObject({ kind: "not_found" });
});
