import { expect, test } from "vitest";
import { findClosestLine } from "./closest-line.ts";

const text = ["import a from 'a';", "", "export function total(items) {", "\treturn items.length;", "}"].join("\r\n");

test("T3.5 the closest line is the one most like what was looked for", () => {
  expect(findClosestLine(text, "    return items.length;", 0)).toEqual({ line: 3, text: "\treturn items.length;" });
  expect(findClosestLine(text, "export function totals(items) {", 0)?.line).toBe(2);
});

test("T3.5 no line is named when none is near", () => {
  expect(findClosestLine(text, "const database = connect();", 0)).toBeUndefined();
  expect(findClosestLine("", "a", 0)).toBeUndefined();
  expect(findClosestLine(text, "\n \n", 0)).toBeUndefined();
  expect(findClosestLine(text, "return items.length;", 4)).toBeUndefined();
});

test("T3.5 of several lines the first that is missing is looked for", () => {
  const wanted = "export function total(items) {\n\treturn items.size;\n}";
  expect(findClosestLine(text, wanted, 0)?.line).toBe(3);
});

test("T3.5 lines that are all there, but apart, name the first of them", () => {
  expect(findClosestLine(text, "}\nimport a from 'a';", 0)?.line).toBe(4);
});

test("T3.5 a long line is shown in part", () => {
  const line = `const data = "${"x".repeat(5_000)}";`;
  expect(findClosestLine(`\n${line}`, line.replace("data", "date"), 0)?.text).toHaveLength(200);
});

test("T3.5 a hundred thousand lines in another order, or with another indentation, are compared all the same", () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `  line ${index}`);
  const turned = lines.toReversed();
  expect(findClosestLine(lines.join("\n"), turned.join("\n"), 0)).toEqual({ line: 99_999, text: "  line 99999" });
  const flat = turned.map((line) => line.trim()).join("\n");
  expect(findClosestLine(lines.join("\n"), flat, 0)?.line).toBe(99_999);
});
