import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tapeIdOf } from "../base/ids.ts";
import { SessionIndex } from "./session-index.ts";

function setUp(): SessionIndex {
  const folder = mkdtempSync(join(tmpdir(), "bub-index-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new SessionIndex(join(folder, "tapes", "index.jsonl"));
}

const record = (session: string) => ({
  tape: tapeIdOf("/workspace", session),
  workspace: "/workspace",
  session,
  date: "2026-01-01T00:00:00.000Z",
});

test("R3.1 the index maps a tape's name back to workspace and session, a line each", () => {
  const index = setUp();
  expect(index.list()).toEqual([]);
  index.add(record("a"));
  index.add(record("b"));
  expect(
    readFileSync(index.path, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual([record("a"), record("b")]);
  expect(statSync(index.path).mode & 0o777).toBe(0o600);
});

test("R3.4 a torn or foreign line of the index loses only itself", () => {
  const index = setUp();
  index.add(record("a"));
  appendFileSync(index.path, 'rubbish\n\0\0\0\n{"tape":7}\n{"tape":"x__y","session":"bare"}\n{"tape":"torn');
  index.add(record("b"));
  expect(index.list()).toEqual([
    record("a"),
    { tape: "x__y", workspace: null, session: "bare", date: "" },
    record("b"),
  ]);
});
