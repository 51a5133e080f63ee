import fc from "fast-check";
import { expect, test } from "vitest";
import { PasteCollector } from "./paste-collector.ts";

const [begin, end] = ["\u001b[200~", "\u001b[201~"];

test("R5.2 a paste that comes in pieces is read at once; keys before and after pass", () => {
  const collector = new PasteCollector();
  expect(collector.push("a")).toBe("a");
  expect(collector.push(`b${begin}one`)).toBeUndefined();
  expect(collector.push(" two \u001b[2")).toBeUndefined();
  expect(collector.push("01~c")).toBe(`b${begin}one two ${end}c`);
  expect(collector.push("d")).toBe("d");
  expect(collector.push(`${begin}x${end}`)).toBe(`${begin}x${end}`);
});

test("R5.2 whatever the pieces of a paste are, nothing of it is lost or doubled", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 9 })), (text, sizes) => {
      const whole = `x${begin}${text}${end}y`;
      const collector = new PasteCollector();
      let read = "";
      let from = 0;
      for (const size of [...sizes, whole.length]) {
        read += collector.push(whole.slice(from, from + size)) ?? "";
        from += size;
      }
      expect(read).toBe(whole);
    }),
  );
});
