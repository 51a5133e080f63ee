// Every sentence that the page on troubleshooting quotes is one that the code says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFiles, root } from "./support/source-files.ts";

const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
const sentences = [...page.matchAll(/^### `(.+)`$/gm)].map(([, sentence = ""]) => sentence);

/** The files with their quotes as a reader sees them, and `…` for what is filled in. */
const sources = listFiles("src")
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(root, file), "utf8").replace(/\\(["'`])/g, "$1"));

test("every heading of a symptom is a quoted sentence", () => {
  expect(sentences.length).toBeGreaterThan(30);
  expect(page.match(/^### .*/gm)).toHaveLength(sentences.length);
  expect(new Set(sentences).size).toBe(sentences.length);
});

test.each(sentences)("the code says: %s", (sentence) => {
  const parts = sentence
    .replace(/^bub: /, "")
    .split("…")
    .map((part) => part.replace(/^[\s:;,.]+|[\s:;,.]+$/g, ""))
    .filter((part) => /\w{3}/.test(part));
  expect(parts.length, "something to look for").toBeGreaterThan(0);
  expect(sources.some((text) => parts.every((part) => text.includes(part)))).toBe(true);
});
