import { expect, test } from "vitest";
import { beginningOf, isLongerThan, previewOf } from "./text-preview.ts";

test("T9.1 a preview is the first and the last 300 characters, and says how many lie between", () => {
  const text = `${"😀".repeat(300)}${"é😀".repeat(700)}${"z".repeat(300)}`;
  expect(previewOf(text)).toBe(`${"😀".repeat(300)}\n...[1,400 chars omitted]...\n${"z".repeat(300)}`);
});

test("T9.1 a text that has no characters between is its own preview", () => {
  const text = "😀".repeat(600);
  expect(previewOf(text)).toBe(text);
  expect(previewOf(`${text}x`)).toBe(`${"😀".repeat(300)}\n...[1 chars omitted]...\n${"😀".repeat(299)}x`);
});

test("T9.1 characters are code points", () => {
  expect(isLongerThan(3, "abc")).toBe(false);
  expect(isLongerThan(3, "abcd")).toBe(true);
  expect(isLongerThan(3, "😀😀😀")).toBe(false);
  expect(isLongerThan(3, "😀😀😀a")).toBe(true);
  expect(isLongerThan(3, "ab\ud83d")).toBe(false);
  expect(isLongerThan(0, "")).toBe(false);
});

test("the beginning of a text ends with a whole character", () => {
  expect(beginningOf("ab😀", 3)).toBe("ab");
  expect(beginningOf("ab😀", 4)).toBe("ab😀");
  expect(beginningOf("ab", 3)).toBe("ab");
});
