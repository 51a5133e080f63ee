import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withMentionedFiles } from "./mentions.ts";

function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), "bub-mentions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src", "a.ts"), "let a;");
  writeFileSync(join(folder, "raw.bin"), new Uint8Array([0xff, 0xfe, 0x00]));
  return folder;
}

test("R5.0 @path in a chat message attaches the file, once, also at the end of a sentence", async () => {
  const text = "compare @src/a.ts with (@src/a.ts).";
  expect(await withMentionedFiles(text, workspace())).toEqual({
    content: [
      { type: "text", text },
      { type: "text", text: "File a.ts:\n\nlet a;" },
    ],
    attached: ["a.ts (text)"],
  });
});

test("R5.0 a name with blanks stands in quotes", async () => {
  const folder = workspace();
  writeFileSync(join(folder, "my notes.md"), "x");
  const { attached } = await withMentionedFiles('see @"my notes.md", and @"no such file"', folder);
  expect(attached).toEqual(["my notes.md (text)"]);
});

test("R5.0 what names no file stays a word: folders, addresses, names", async () => {
  const text = "ask @someone, mail a@src/a.ts, see @src and @none.txt";
  expect(await withMentionedFiles(text, workspace())).toEqual({ content: text, attached: [] });
});

test("R5.0 a file that cannot be attached is an error that names it", async () => {
  await expect(withMentionedFiles("see @raw.bin", workspace())).rejects.toThrow(/raw\.bin/);
});
