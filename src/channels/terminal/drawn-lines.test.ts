import { expect, test } from "vitest";
import { linesUpTo, rowsOf } from "./drawn-lines.ts";

test("R5.2 rows of a line that a terminal wraps: wide characters leave a column free, marks take none", () => {
  expect(rowsOf("", 10)).toBe(1);
  expect(rowsOf("a".repeat(10), 10)).toBe(1);
  expect(rowsOf("a".repeat(11), 10)).toBe(2);
  expect(rowsOf("三".repeat(10), 10)).toBe(2);
  // Four to a row, not four and a half.
  expect(rowsOf("三".repeat(9), 9)).toBe(3);
  expect(rowsOf("e\u0301".repeat(10), 10)).toBe(1);
  expect(rowsOf(`\u001b[1m${"a".repeat(11)}\u001b[22m`, 10)).toBe(2);
});

test("R5.2 lines of some rows: the last one is cut where they end", () => {
  expect(linesUpTo(["one", "a".repeat(25), "two"], 3, 10)).toEqual(["one", "a".repeat(20)]);
  expect(linesUpTo(["one", "a".repeat(25), "two"], 4, 10)).toEqual(["one", "a".repeat(25)]);
  expect(linesUpTo(["one"], 3, 10)).toEqual(["one"]);
  expect(linesUpTo(["one"], 0, 10)).toEqual([]);
});
