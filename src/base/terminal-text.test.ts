import fc from "fast-check";
import { expect, test } from "vitest";
import { cutToWidth, jsonLine, neutralise, toOneLine, widthOf } from "./terminal-text.ts";

test.each([
  ["a colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
  ["a title by OSC", "\x1b]0;owned\x07", "␛]0;owned␇"],
  ["a link by OSC 8", "\x1b]8;;http://x\x1b\\here", "␛]8;;http://x␛\\here"],
  ["a C1 control sequence", "\u009b2J", "<U+009B>2J"],
  ["a bare carriage return", "100%\rfake", "100%␍fake"],
  ["a backspace and a bell", "a\b\x07", "a␈␇"],
  ["a direction override", "ab\u202edc", "ab<U+202E>dc"],
  ["a NUL and a DEL", "\0\x7f", "␀␡"],
])("hostile text: %s is shown, not obeyed", (_name, text, shown) => {
  expect(neutralise(text)).toBe(shown);
});

test("hostile text: lines, tabs and words of any language stay as they are", () => {
  const text = "one\n\ttwo\r\nдва 三 👩‍💻 é שלום";
  expect(neutralise(text)).toBe(text.replace("\r\n", "\n"));
});

test("hostile text: no piece of a stream lets a control through, wherever it is cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, at) => {
      const cut = at % (text.length + 1);
      const shown = neutralise(text.slice(0, cut)) + neutralise(text.slice(cut));
      expect(/(?![\t\n])\p{Cc}/u.test(shown)).toBe(false);
    }),
  );
});

test("hostile text: a JSON line holds no control and is read back unchanged", () => {
  const value = { text: "\x1b[2J\u009b\x7f\u2028\n", more: ["é"] };
  expect(/\p{Cc}/u.test(jsonLine(value))).toBe(false);
  expect(JSON.parse(jsonLine(value))).toEqual(value);
});

test("one line has single blanks", () => {
  expect(toOneLine("  a\n\n b\tc ")).toBe("a b c");
});

test("width counts columns: wide characters two, combining marks and joiners none", () => {
  expect(widthOf("abc")).toBe(3);
  expect(widthOf("三한👍")).toBe(6);
  expect(widthOf("e\u0301\u200d")).toBe(1);
});

test("a cut line never is wider than asked for", () => {
  expect(cutToWidth("abcdef", 6)).toBe("abcdef");
  expect(cutToWidth("abcdefg", 6)).toBe("abcde…");
  expect(cutToWidth("三三三三", 6)).toBe("三三…");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, columns) => {
      expect(widthOf(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
