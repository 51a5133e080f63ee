import fc from "fast-check";
import { expect, test } from "vitest";
import { offsetOfLine, replaceText } from "./replace-text.ts";

const replaced = (text: string, old: string, next: string, from = 0) => replaceText(text, { old, new: next }, from);

test("T3.5 every literal occurrence is replaced", () => {
  expect(replaced("a.b a.b axb", "a.b", "c")).toEqual({ text: "c c axb", count: 2 });
  expect(replaced("aaaa", "aa", "b")).toEqual({ text: "bb", count: 2 });
  expect(replaced("abc", "x", "y")).toEqual({ text: "abc", count: 0 });
  expect(replaced("(a|b)*[c]\\d{2}$^?+-/", "(a|b)*[c]\\d{2}$^?+-/", "x")).toEqual({ text: "x", count: 1 });
});

test("T3.5 a text of a megabyte is replaced as a short one is", () => {
  const long = "0123456789\n".repeat(100_000);
  expect(replaced(`a\n${long}b\n${long}`, long, "x")).toEqual({ text: "a\nxb\nx", count: 2 });
  const windows = long.replaceAll("\n", "\r\n");
  expect(replaced(`a\r\n${windows}b`, long, "x\n")).toEqual({ text: "a\r\nx\r\nb", count: 1 });
});

test("T3.5 half of a character matches no whole one, at neither end", () => {
  expect(replaced("a😀b", "a\ud83d", "x").count).toBe(0);
  expect(replaced("a😀b", "\ude00b", "x").count).toBe(0);
  expect(replaced("a\ud83d b", "a\ud83d", "x")).toEqual({ text: "x b", count: 1 });
});

test("T3.5 occurrences before the start are left alone", () => {
  const text = "a\na\r\na\ra";
  expect(replaced(text, "a", "b", offsetOfLine(text, 2)).text).toBe("a\na\r\nb\rb");
  expect(replaced(text, "a", "b", offsetOfLine(text, 9))).toEqual({ text, count: 0 });
});

test("T3.5 only \\n, \\r\\n and \\r end lines", () => {
  const text = "a\u2028b\fc\vd\u0085e\nf";
  expect([0, 1, 2].map((line) => offsetOfLine(text, line))).toEqual([0, 10, text.length]);
});

test("T3.5 $& and friends in the new text are literal", () => {
  for (const next of ["$&", "$$", "$1", "$`", "$'", "$<a>", "\\$&"])
    expect(replaced("a-b", "-", next).text).toBe(`a${next}b`);
});

test("T3.5 old given with \\n matches \\r\\n in a CRLF file, and new gets CRLF", () => {
  expect(replaced("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n").text).toBe("x\r\ny\r\nz\r\nc\r\n");
  expect(replaced("a\r\nb", "\nb", "").text).toBe("a");
  expect(replaced("a\r\nb", "\n", "\n\n").text).toBe("a\r\n\r\nb");
});

test("T3.5 new lines put into a CRLF file end as its lines do", () => {
  expect(replaced("a\r\nb\r\n", "b", "b\nc").text).toBe("a\r\nb\r\nc\r\n");
  expect(replaced("a\r\nb\n", "b", "b\nc").text).toBe("a\r\nb\nc\n");
  expect(replaced("a", "a", "b\nc").text).toBe("b\nc");
});

test("T3.5 line ends written out stay as they are written", () => {
  expect(replaced("a\r\nb\r\n", "a\r\nb", "x\r\ny").text).toBe("x\r\ny\r\n");
  expect(replaced("a\r\nb\r\n", "a\r\n", "a\n").text).toBe("a\nb\r\n");
  expect(replaced("a\nb\n", "\n", "\r\n").text).toBe("a\r\nb\r\n");
  expect(replaced("a\nb", "a\r\nb", "x").count).toBe(0);
});

test("T3.5 in a file of mixed line ends each occurrence keeps its own", () => {
  expect(replaced("a\nb a\r\nb", "a\nb", "x\ny").text).toBe("x\ny x\r\ny");
});

test("T3.5 half of a character matches nothing inside a whole one", () => {
  expect(replaced("a😀b", "\ude00", "x").count).toBe(0);
  expect(replaced("a😀b😀", "😀", "x").text).toBe("axbx");
});

const pieces = fc.constantFrom("a", "b", "\n", "\r\n", "\r", "\u2028", "\f", "\ufeff", "é", "😀", "$&", " ");
const texts = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));
const olds = fc.array(pieces, { minLength: 1, maxLength: 3 }).map((list) => list.join(""));

test("T3.5 every byte outside an edit's matches stays", () => {
  fc.assert(
    fc.property(texts, olds, fc.nat(6), (text, old, line) => {
      const from = offsetOfLine(text, line);
      // A mark that no text has, so that what stands between the marks is what was kept.
      const { text: changed, count } = replaced(text, old, "\u0000", from);
      const kept = changed.split("\u0000");
      expect(kept).toHaveLength(count + 1);
      let at = 0;
      for (const [index, part] of kept.entries()) {
        expect(text.startsWith(part, at)).toBe(true);
        at += part.length;
        if (index === count) break;
        expect(at).toBeGreaterThanOrEqual(from);
        at = endOfMatch(text, at, old);
      }
      expect(at).toBe(text.length);
    }),
    { numRuns: 3_000 },
  );
});

/** Checks that `old` stands at `at`, where each `\n` of it may be `\r\n`. */
function endOfMatch(text: string, at: number, old: string): number {
  let end = at;
  for (const character of old) {
    if (character === "\n" && text.startsWith("\r\n", end)) end += 1;
    expect(text.startsWith(character, end)).toBe(true);
    end += character.length;
  }
  return end;
}

test("T3.5 without line ends in old the result is that of a plain replacement", () => {
  const plain = fc.stringMatching(/^[ab$&\\.*]{1,3}$/);
  fc.assert(
    fc.property(texts, plain, plain, (text, old, next) => {
      expect(replaced(text, old, next).text).toBe(text.split(old).join(next));
    }),
  );
});
