import { expect, test } from "vitest";
import { parseAge } from "./age.ts";
import { UsageError } from "./command-context.ts";

const now = new Date("2026-03-31T12:00:00.000Z");

test.each([
  ["12h", "2026-03-31T00:00:00.000Z"],
  ["30d", "2026-03-01T12:00:00.000Z"],
  [" 2 W ", "2026-03-17T12:00:00.000Z"],
  ["1y", "2025-03-31T12:00:00.000Z"],
  ["0d", now.toISOString()],
])("the age %j began at %s", (text, date) => {
  expect(parseAge(text, now)?.toISOString()).toBe(date);
});

test("what is no age is undefined, and one before all time is refused", () => {
  for (const text of ["", "30", "d", "-3d", "1.5d", "3m", "2026-01-01"]) expect(parseAge(text, now)).toBeUndefined();
  for (const text of ["3000y", "999999999y"]) expect(() => parseAge(text, now)).toThrow(UsageError);
});
