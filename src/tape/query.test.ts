import { describe, expect, test } from "vitest";
import { messageEntry } from "../../test/support/tape-entries.ts";
import type { TapeEntry } from "./entry.ts";
import { buildFilter, parseDate } from "./query.ts";

describe("R3.6 text", () => {
  test("T6.3 is looked for in kind, date, payload and meta, whatever its case", () => {
    const found = (text: string) =>
      buildFilter({ text }).passes(messageEntry({ content: 'Ärger «磁带» said "Hi"' }, { meta: { run_id: "run-ab" } }));
    for (const text of ["MESSAGE", "2026-01-02T03", "ärger", "磁带", "RUN-AB", '\\"hi\\"', ""])
      expect(found(text)).toBe(true);
    for (const text of ["rose", '"id":1']) expect(found(text)).toBe(false);
  });

  test("R3.6 a predicate decides in its place, beside kinds and dates", () => {
    const first = { passes: ({ id }: TapeEntry) => id === 1 };
    const filter = buildFilter({ text: "nowhere", matches: first, kinds: ["message"] });
    expect(filter.passes(messageEntry({}))).toBe(true);
    expect(filter.passes(messageEntry({}, { kind: "event" }))).toBe(false);
    expect(filter.passes(messageEntry({}, { id: 2 }))).toBe(false);
  });
});

describe("T6.4 dates", () => {
  test("T6.4 a date, a date-time with or without seconds, fraction and offset are read; naive ones are UTC", () => {
    const expected: Record<string, string> = {
      "2026-01-02": "2026-01-02T00:00:00.000Z",
      "2026-01-02T03:04": "2026-01-02T03:04:00.000Z",
      "2026-01-02 03:04:05": "2026-01-02T03:04:05.000Z",
      "2026-01-02T03:04:05.678901": "2026-01-02T03:04:05.678Z",
      "2026-01-02T03:04:05,5Z": "2026-01-02T03:04:05.500Z",
      "2026-01-02T03:04:05+02:00": "2026-01-02T01:04:05.000Z",
      "2026-01-02T03:04:05-0330": "2026-01-02T06:34:05.000Z",
      "2026-01-02T03+01": "2026-01-02T02:00:00.000Z",
      "2024-02-29": "2024-02-29T00:00:00.000Z",
    };
    for (const [text, date] of Object.entries(expected)) expect(new Date(parseDate(text)).toISOString()).toBe(date);
    expect(new Date(parseDate("2026-01-02", { endOfDay: true })).toISOString()).toBe("2026-01-02T23:59:59.999Z");
    expect(parseDate("2026-01-02T10:00", { endOfDay: true })).toBe(parseDate("2026-01-02T10:00"));
  });

  test("T6.4 anything else is named in the error", () => {
    for (const text of [
      "yesterday",
      "2026-02-30",
      "2025-02-29",
      "2026-13-01",
      "2026-01-02T25:00",
      "26-01-02",
      "",
      "2026-01-02Z",
    ]) {
      expect(() => parseDate(text)).toThrow(`Invalid ISO date or datetime: '${text}'.`);
    }
    expect(() => buildFilter({ dates: { start: "2026-01-03", end: "2026-01-02" } })).toThrow("is after");
  });

  test("T6.4 bounds are inclusive, and either alone is fine", () => {
    const within = (start?: string, end?: string) => buildFilter({ dates: { start, end } }).passes(messageEntry({}));
    expect(within("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z")).toBe(true);
    expect(within(undefined, "2026-01-02")).toBe(true);
    expect(within("2026-01-02")).toBe(true);
    expect(within("2026-01-03")).toBe(false);
    expect(within(undefined, "2026-01-01")).toBe(false);
    expect(buildFilter({ dates: { start: "2026-01-01" } }).passes(messageEntry({}, { date: "sometime" }))).toBe(false);
  });
});
