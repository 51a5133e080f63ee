import { expect, test } from "vitest";
import { parseEntry, type TapeEntry } from "../tape/entry.ts";
import { renderEntry, renderExcerpt } from "./entry-text.ts";

const date = "2026-11-30T13:05:09.123Z";
const entry = (kind: TapeEntry["kind"], payload: TapeEntry["payload"], meta = {}): TapeEntry => ({
  id: 7,
  kind,
  payload,
  meta,
  date,
});
const show = (shown: TapeEntry) =>
  renderEntry(shown, { columns: 60, mostLines: 4 }).replace("#7  2026-11-30 13:05:09  ", "");

test("each kind of entry is a head line and indented text", () => {
  expect(show(entry("message", { role: "user", content: "a\n\nb" }))).toBe("message  user\n  a\n\n  b");
  expect(show(entry("system", { content: "Be kind." }))).toBe("system\n  Be kind.");
  expect(show(entry("anchor", { name: "phase", state: { summary: "done", next: null } }))).toBe(
    "anchor  phase\n  summary: done",
  );
  expect(show(entry("event", { name: "run", data: { status: "ok", usage: { input_tokens: 3 } } }))).toBe(
    'event  run\n  status: ok\n  usage: {"input_tokens":3}',
  );
  expect(show(entry("error", { kind: "provider", message: "no" }))).toBe("error  provider\n  no");
});

test("calls and results of a step, and media in words", () => {
  const calls = [{ id: "1", name: "bash", arguments: { command: "ls" } }];
  expect(show(entry("tool_call", { calls, content: "I look." }))).toBe("tool_call\n  I look.\n  bash ls");
  const results = ["out", { kind: "tool", message: "it failed", details: { error: "E: x" } }];
  const meta = { calls: [{ id: "1", name: "bash", status: "ok" }] };
  expect(show(entry("tool_result", { results }, meta))).toBe(
    "tool_result\n  bash: ok\n  out\n  it failed\n  error: E: x",
  );
  const image = { type: "tool_content", content: [{ type: "image", media_type: "image/png", sha256: "0", bytes: 9 }] };
  expect(show(entry("tool_result", { results: [image] }))).toBe("tool_result\n  [image: image/png, 9 bytes]");
});

test("entries of Python Bub: OpenAI's calls, parts, a timestamp", () => {
  const calls = [{ id: "1", type: "function", function: { name: "fs_read", arguments: '{"path": "a"}' } }];
  const line = parseEntry({ id: 7, kind: "tool_call", payload: { calls }, timestamp: 0 });
  expect(line && renderEntry(line, { columns: 60 })).toBe("#7  1970-01-01 00:00:00  tool_call\n  fs_read a");
  expect(show(entry("message", { role: "user", content: [{ type: "text", text: "hi" }] }))).toBe("message  user\n  hi");
});

test("long text is cut by lines and says how many are left; controls are shown", () => {
  const content = Array.from({ length: 10 }, (_line, index) => `line ${index}\u001b[2J`).join("\n");
  const lines = show(entry("message", { role: "assistant", content })).split("\n");
  expect(lines.slice(1)).toEqual(["  line 0␛[2J", "  line 1␛[2J", "  line 2␛[2J", "  line 3␛[2J", "  … 6 more lines"]);
});

test("an excerpt is the lines that hold the text, cut around it", () => {
  const content = `first\n${"far ".repeat(50)}the ORCHID is here${" and on".repeat(50)}\nlast`;
  const found = renderExcerpt(entry("message", { role: "user", content }), "orchid", { columns: 60 });
  const [, line = "", ...more] = found.split("\n");
  expect(more).toEqual([]);
  expect(line).toMatch(/^ {2}….*the ORCHID is here.*…$/);
  expect(line.length).toBeLessThanOrEqual(60);
});

test("an excerpt of words that are only near is the line that has them, else the beginning", () => {
  const near = renderExcerpt(entry("message", { role: "user", content: "one\nan orchid\nthree" }), "orhcid", {
    columns: 60,
  });
  expect(near.split("\n").slice(1)).toEqual(["  an orchid"]);
  const none = renderExcerpt(entry("event", { name: "run", data: { a: 1, b: 2, c: 3, d: 4 } }), "zz", { columns: 60 });
  expect(none.split("\n").slice(1)).toEqual(["  a: 1", "  b: 2", "  c: 3"]);
});

test("a text of very many characters is cut and says how many are left out", () => {
  const long = renderEntry(entry("message", { role: "user", content: "x".repeat(50) }), {
    columns: 60,
    mostCharacters: 10,
  });
  expect(long).toMatch(/\n {2}x{10}\n {2}… 40 more characters$/);
});
