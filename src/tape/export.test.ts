import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { type EntryKind, parseEntry, type TapeEntry } from "./entry.ts";
import { type ExportOptions, exportTape } from "./export.ts";
import { createMemoryStorage } from "./memory-store.ts";

const entry = (kind: EntryKind, payload: JsonObject, meta: JsonObject = {}): TapeEntry => ({
  id: 7,
  kind,
  payload,
  meta,
  date: "2026-01-02T03:04:05.678Z",
});
const user = (content: unknown) => entry("message", { role: "user", content: content as string });
const answer = (content: string, reasoning?: string) => entry("message", { role: "assistant", content, reasoning });

async function exported(entries: readonly TapeEntry[], options: Partial<ExportOptions>): Promise<string> {
  const tape = {
    async *forward() {
      yield* entries;
    },
    async *backward() {},
  };
  let text = "";
  for await (const piece of exportTape(tape, { title: "A tape", format: "html", ...options })) text += piece;
  return text;
}

const hostile = "</script><img src=x onerror=alert(1)>\"'&\u001b[31m\u202e";

/** Tags as a browser finds them: names that are not ours, or attributes that we never write, would be somebody else's. */
function foreignTags(html: string): string[] {
  const ours =
    /^<(?:!doctype html|\/?(?:html|head|body|style|title|h1|h2|p|pre|blockquote|details|time|audio|video)|summary|\/summary|\/section|\/span|\/a|html lang="en"|meta (?:charset|http-equiv|name)="[^"<>]*"(?: content="[^"<>]*")?|section id="e\d+" class="\w+"|span class="title"|a href="#e\d+"|img src="data:image\/\w+;base64,[A-Za-z0-9+/=]*" alt="[^"<>]*"|(?:audio|video) controls src="data:\w+\/\w+;base64,[A-Za-z0-9+/=]*")>$/;
  return [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag).filter((tag) => !ours.test(tag));
}

test("R5.1 a page holds what was said and nothing that runs, wherever hostile text stands", async () => {
  const call = { id: "a", name: hostile, arguments: { command: hostile } };
  const image = { type: "image", media_type: `image/png" onload="alert(1)`, data: "AAAA" };
  const svg = {
    type: "image",
    media_type: "image/svg+xml",
    data: Buffer.from("<svg onload=alert(1)>").toString("base64"),
  };
  const entries = [
    user(hostile),
    user([{ type: "text", text: hostile }, image, svg, { ...image, media_type: "image/png", data: `"${hostile}` }]),
    user([{ type: "image", media_type: "image/png", url: `javascript:${hostile}` }]),
    answer(hostile, hostile),
    entry("tool_call", { calls: [call], content: hostile, reasoning: hostile }),
    entry(
      "tool_result",
      { results: [hostile, { kind: hostile, message: hostile, details: { error: hostile } }] },
      { calls: [{ id: "a", name: hostile, status: "ok" }] },
    ),
    entry("error", { kind: hostile, message: hostile }),
    entry("anchor", { name: hostile, state: { summary: hostile } }),
    entry("system", { content: hostile }),
    entry("event", { name: "command", data: { raw: hostile } }),
    { ...user("dated"), date: hostile },
  ];
  const html = await exported(entries, { title: hostile, everything: true });
  expect(foreignTags(html)).toEqual([]);
  for (const never of ["<script", "\u001b", "\u202e"]) expect(html).not.toContain(never);
  expect(html).toContain("default-src 'none'");
  expect(html.match(/onerror=alert\(1\)/g)?.length).toBeGreaterThan(10);
});

test("R5.1 property: no text of a conversation adds a tag to the page", async () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "/", "a", "=", " ", "\n", "!", "-", "`") }),
  );
  await fc.assert(
    fc.asyncProperty(texts, texts, async (one, other) => {
      const entries = [
        user(one),
        answer(other, one),
        entry("anchor", { name: other }),
        entry("tool_result", { results: [one] }),
      ];
      expect(foreignTags(await exported(entries, { title: other }))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("R5.1 pictures stand in the page when they are pictures, stored ones too", async () => {
  const { media } = createMemoryStorage();
  const sha256 = await media.put(Buffer.from("stored bytes"));
  const stored = { type: "image", media_type: "image/jpeg", sha256, bytes: 12 };
  const gone = { ...stored, sha256: "0".repeat(64) };
  const html = await exported([user([{ type: "image", media_type: "image/png", data: "AAAA" }, stored, gone])], {
    media,
  });
  expect(html).toContain('src="data:image/png;base64,AAAA"');
  expect(html).toContain(`src="data:image/jpeg;base64,${Buffer.from("stored bytes").toString("base64")}"`);
  expect(html.match(/<img/g)).toHaveLength(2);
  expect(html).toContain("<p>[image: image/jpeg, 12 bytes]</p>");
});

test("R5.1 Markdown shows the conversation in order, and systems and most events only when everything is wanted", async () => {
  const entries = [
    entry("anchor", { name: "session/start", state: { owner: "human" } }),
    entry("system", { content: "be brief" }),
    user("hello"),
    entry("tool_call", { calls: [{ id: "a", name: "bash", arguments: { command: "ls" } }], reasoning: "hm" }),
    entry("tool_result", { results: ["a.txt"] }, { calls: [{ id: "a", name: "bash", status: "ok" }] }),
    entry("event", { name: "run", data: { status: "ok" } }),
    answer("There is one file."),
  ];
  const markdown = await exported(entries, { format: "markdown" });
  const headings = markdown.match(/^#+ .*$/gm)?.map((line) => line.replace(/ \(.*$/, ""));
  expect(headings).toEqual([
    "# A tape",
    "## Anchor: session/start",
    "### User",
    "### Assistant",
    "### Call of bash",
    "### Result of bash",
    "### Assistant",
  ]);
  expect(markdown).toContain("\n\n> hm\n");
  expect(markdown).toContain('```json\n{\n  "command": "ls"\n}\n```');
  expect(await exported(entries, { format: "markdown", everything: true })).toContain("### Event: run");
});

test("R5.1 Markdown of hostile text has no HTML, no link that runs, and fences that end where they should", async () => {
  const text = `<img onerror=x>\n[a](javascript:alert(1)) [b]: data:text/html,x\n\`\`\`js "<b>\n<code> stays\n\`\`\`\` deeper`;
  const markdown = await exported([answer(text), user("after\n```\nopen"), user("last <u>one</u>")], {
    format: "markdown",
  });
  expect(markdown).toContain("&lt;img onerror=x>");
  expect(markdown).toContain("[a](unsafe:alert(1)) [b]: unsafe:text/html,x");
  expect(markdown).toContain("`````js\n<code> stays\n```` deeper\n`````");
  expect(markdown).toContain("```\nopen\n```\n\n### User");
  expect(markdown).toContain("last &lt;u>one&lt;/u>");
});

test("R5.1 JSONL is the tape again", async () => {
  const entries = [user("one"), answer("two"), entry("event", { name: "run" })];
  const ids: number[] = [];
  const lines = await exported(entries, { format: "jsonl", onEntry: (id) => ids.push(id) });
  expect(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(entries.map((one) => JSON.parse(JSON.stringify(one))));
  expect(ids).toHaveLength(3);
});

test.each(["02", "08", "10"])("R3.1 R5.1 Python Bub's tape of 2026-%s is exported", async (month) => {
  const file = new URL(`../../test/fixtures/bub-tapes/tape-2026-${month}.jsonl`, import.meta.url);
  const entries = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => parseEntry(JSON.parse(line)) ?? []);
  const markdown = await exported(entries, { format: "markdown" });
  expect(markdown).toMatch(/### Call of bash/);
  const html = await exported(entries, { format: "html" });
  expect(foreignTags(html)).toEqual([]);
  if (month === "08") expect(html).toContain('<img src="data:image/png;base64,iVBOR');
});
