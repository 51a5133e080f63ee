import fc from "fast-check";
import { expect, test } from "vitest";
import { widthOf } from "../base/terminal-text.ts";
import { wrapWords } from "./wrapped-text.ts";

test("breaks at blanks, and in a word that is longer than a line", () => {
  expect(wrapWords("one two three", 10)).toEqual(["one two", "three"]);
  expect(wrapWords("see https://example.com/long", 12)).toEqual(["see", "https://exam", "ple.com/long"]);
  expect(wrapWords("三個字三個字三個字", 10)).toEqual(["三個字三個", "字三個字"]);
  expect(wrapWords("", 10)).toEqual([""]);
});

test("no line is wider than asked for, and nothing but blanks is lost", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "三", "é", "\n"), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 10, max: 40 }), (words, columns) => {
      const lines = wrapWords(words, columns);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join("").replace(/\s/g, "")).toBe(words.replace(/\s/g, ""));
    }),
  );
});
