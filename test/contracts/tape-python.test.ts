import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { tapeIdOf } from "../../src/base/ids.ts";
import { createFileStorage } from "../../src/tape/file-store.ts";
import { Tape } from "../../src/tape/tape.ts";
import { allOf } from "./tape-storage.ts";

const id = tapeIdOf("/workspace", "cli:local");

test.each([
  ["tape-2026-02.jsonl", 9, "session/start", {}],
  ["tape-2026-08.jsonl", 13, "phase-1", { settings: { model: "openai:gpt-x" }, loaded: [] }],
  ["tape-2026-10.jsonl", 10, "session/start", { settings: { code_mode: true }, loaded: ["mcp.files_list"] }],
])("R3.1 %s of Python Bub opens, is searched and continues unchanged", async (name, entries, anchor, facts) => {
  const home = mkdtempSync(join(tmpdir(), "bub-python-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const storage = createFileStorage({ home });
  const path = storage.tapes.locate(id);
  mkdirSync(dirname(path));
  copyFileSync(fileURLToPath(new URL(`../fixtures/bub-tapes/${name}`, import.meta.url)), path);
  const before = readFileSync(path);

  await using tape = await Tape.open(await storage.tapes.open(id));
  expect(tape.lastId).toBe(entries);
  expect(tape.lastAnchor?.payload.name).toBe(anchor);
  expect(tape.facts).toMatchObject({ entries, ...facts });
  expect(await allOf(tape.query({ kinds: ["anchor"] }))).not.toHaveLength(0);
  for (const { date } of tape.recent) expect(Number.isNaN(Date.parse(date))).toBe(false);

  await tape.append([{ kind: "message", payload: { role: "user", content: "go on" } }]);
  const after = readFileSync(path);
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(JSON.parse(after.subarray(before.length).toString())).toMatchObject({ id: entries + 1, meta: {} });
});

test("T6.3 a Python tape's inline image is no text to be found", async () => {
  const text = readFileSync(
    fileURLToPath(new URL("../fixtures/bub-tapes/tape-2026-08.jsonl", import.meta.url)),
    "utf8",
  );
  expect(text).toContain("iVBORw0KGgo");
  const { parseEntry } = await import("../../src/tape/entry.ts");
  const { buildFilter } = await import("../../src/tape/query.ts");
  const entries = text
    .trim()
    .split("\n")
    .map((line) => parseEntry(JSON.parse(line)));
  const found = (wanted: string) => entries.filter((entry) => entry && buildFilter({ text: wanted }).passes(entry));
  expect(found("ivborw0kggo")).toEqual([]);
  expect(found("look at this 磁带")).toHaveLength(1);
});
