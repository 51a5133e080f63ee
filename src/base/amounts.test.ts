import { expect, test } from "vitest";
import { counted, renderAge, renderBytes } from "./amounts.ts";

const now = new Date("2026-03-31T12:00:00.000Z");

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.0 KB"],
  [9_949, "9.9 KB"],
  [9_950, "10 KB"],
  [999_499, "999 KB"],
  [999_500, "1.0 MB"],
  [3.4e9, "3.4 GB"],
  [5e16, "50000 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(renderBytes(bytes)).toBe(text);
});

test.each([
  ["2026-03-31T11:59:01.000Z", "now"],
  ["2026-03-31T12:59:00.000Z", "now"],
  ["2026-03-31T11:59:00.000Z", "1 min"],
  ["2026-03-31T10:30:00.000Z", "1 h"],
  ["2026-03-30T11:00:00.000Z", "1 d"],
  ["2026-01-30T12:00:00.000Z", "2026-01-30"],
  ["never", "never"],
])("%s is as old as %s", (date, text) => {
  expect(renderAge(date, now)).toBe(text);
});

test("one thing has no s", () => {
  expect([counted(0, "anchor"), counted(1, "anchor"), counted(2, "anchor")]).toEqual([
    "0 anchors",
    "1 anchor",
    "2 anchors",
  ]);
  expect([counted(1, "entry", "entries"), counted(2, "entry", "entries")]).toEqual(["1 entry", "2 entries"]);
});
