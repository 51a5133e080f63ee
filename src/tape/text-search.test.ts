import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageEntry } from "../../test/support/tape-entries.ts";
import type { TapeEntry } from "./entry.ts";
import { searchText, textTest } from "./text-search.ts";

describe("T6.3 what is searched", () => {
  test("T6.3 leaves out media data and meta.facts, and keeps everything else", () => {
    const image = { type: "image", media_type: "image/png", data: "aGVsbG8", bytes: 5 };
    const inline = { type: "image_url", image_url: { url: "data:image/gif;base64,d29ybGQ" } };
    const text = searchText(
      messageEntry({ content: [image, inline, { data: "kept" }] }, { meta: { facts: { entries: 1 }, turn_id: "t" } }),
    );
    expect(JSON.parse(text)).toEqual({
      kind: "message",
      date: "2026-01-02T03:04:05.678Z",
      payload: {
        content: [
          { type: "image", media_type: "image/png", bytes: 5 },
          { type: "image_url", image_url: { url: "data:image/gif;base64," } },
          { data: "kept" },
        ],
      },
      meta: { turn_id: "t" },
    });
  });

  test("T6.3 a substring counts in any case, and with fuzzy a near word, but not under 3 characters", () => {
    const said = messageEntry({ role: "user", content: "The DATABASE refused" });
    const finds = (text: string, fuzzy: boolean) => textTest(text, { fuzzy }).passes(said);
    expect(finds("tabase REF", false)).toBe(true);
    expect(finds("databse", false)).toBe(false);
    expect(finds("databse", true)).toBe(true);
    expect(finds("dx", true)).toBe(false);
    expect(finds("databse refusd", true)).toBe(true);
    expect(finds("zebra", true)).toBe(false);
  });
});

const words = [
  "kelvin",
  "K",
  "İstanbul",
  "ΟΔΟΣ",
  "οδος",
  "Straße",
  "磁带",
  "поиск",
  "ＡＢＣ",
  "a\u0301",
  "1e21",
  "😀",
  '"',
  "\\",
  "/",
  "\u2028",
];
const text = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.string({ maxLength: 6 }),
);
const texts = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(""));
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e21, 1e-7, 0.1),
);
const values = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null), fc.array(numbers, { maxLength: 3 }));
const payloads = fc.dictionary(fc.constantFrom("content", "role", "x y", "7"), values, { maxKeys: 3 });

/** The same entry as other writers put it on a line. */
const writers: Record<string, (entry: TapeEntry) => string> = {
  ours: (one) => JSON.stringify(one),
  "with blanks": (one) => JSON.stringify(one, null, 1).replaceAll("\n", " "),
  "in ASCII": (one) => JSON.stringify(one).replace(/[^\x20-\x7e]/g, escaped),
  "all escaped": (one) =>
    JSON.stringify(one)
      .replace(/[a-z](?=[^"]*"[,}\]])/g, escaped)
      .replaceAll("/", "\\/"),
  "with other numbers": (one) => JSON.stringify(one).replace(/:(-?\d+)(?=[,}\]])/g, (_, digits) => `:${digits}.0e0`),
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

test.each(Object.keys(writers))("T6.3 property: no line %s is passed over that holds the text, or nearly", (name) => {
  fc.assert(
    fc.property(payloads, fc.nat(), fc.nat({ max: 12 }), fc.boolean(), (payload, from, length, fuzzy) => {
      const one = messageEntry(payload);
      const line = Buffer.from(writers[name]?.(one) ?? "");
      // The raw line says the same, or the test says nothing.
      if (JSON.stringify(JSON.parse(line.toString())) !== JSON.stringify(one)) return;
      const all = searchText(one);
      const start = from % all.length;
      const wanted = all.slice(start, start + length + 1);
      const found = textTest(fuzzy ? wanted.replace(/[a-z]/, "") : wanted, { fuzzy });
      if (found.passes(one)) expect(found.mayHold?.(line, 0, line.length) ?? true).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test("T6.3 lines without the text are passed over", () => {
  const { mayHold } = textTest("orchid", { fuzzy: true });
  const line = Buffer.from(
    JSON.stringify(messageEntry({ role: "user", content: "nothing of \u001b[1m that kind, 磁带 or é" })),
  );
  expect(mayHold?.(line, 0, line.length)).toBe(false);
});
