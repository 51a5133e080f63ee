import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { History } from "./history.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bub-history-"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("R5.2 the history is one of its workspace, and readable by its owner only", async () => {
  const history = new History(home, "/a");
  history.add("one\ntwo");
  history.add("  ");
  history.add("three");
  await history.settled();
  expect(await new History(home, "/a").load()).toEqual(["one\ntwo", "three"]);
  expect(await new History(home, "/b").load()).toEqual([]);
  const [name = ""] = readdirSync(join(home, "history"));
  expect(statSync(join(home, "history", name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "history")).mode & 0o777).toBe(0o700);
});

test("R5.2 a history that has grown long loses its older half when it is loaded", async () => {
  const history = new History(home, "/a");
  for (let count = 0; count < 1001; count += 1) history.add(`m${count}`);
  await history.settled();
  expect((await history.load())[0]).toBe("m501");
  await history.settled();
  const [name = ""] = readdirSync(join(home, "history"));
  expect(readFileSync(join(home, "history", name), "utf8").split("\n")).toHaveLength(501);
});

test("R5.2 a history that cannot be written is none", async () => {
  const history = new History("/dev/null", "/a");
  history.add("one");
  await history.settled();
  expect(await history.load()).toEqual([]);
});
