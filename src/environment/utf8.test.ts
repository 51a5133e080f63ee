import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteOfCodePoint, countCodePoints, firstInvalidByte, Utf8Chunks } from "./utf8.ts";

const pieces = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 6 }),
  ),
  { maxLength: 12 },
);

describe("T2.6 UTF-8 in chunks", () => {
  test("T2.6 café☕ cut after byte 4 has no replacement character", () => {
    const bytes = Buffer.from("café☕");
    const chunks = new Utf8Chunks();
    const text = Buffer.concat([chunks.push(bytes.subarray(0, 4)), chunks.push(bytes.subarray(4)), chunks.end()]);
    expect(text.toString()).toBe("café☕");
  });

  test("T2.6 invalid bytes become U+FFFD, an unfinished end too", () => {
    const chunks = new Utf8Chunks();
    const text = Buffer.concat([chunks.push(Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x98])), chunks.end()]);
    expect(text.toString()).toBe("a\uFFFDb\uFFFD");
  });

  test("T2.6 any bytes in any chunks decode as they do in one piece", () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(8), { minLength: 1 }), (parts, sizes) => {
        const bytes = Buffer.concat(parts);
        const chunks = new Utf8Chunks();
        const out: Buffer[] = [];
        for (let start = 0, turn = 0; start < bytes.length; turn++) {
          const size = (sizes[turn % sizes.length] as number) + (turn % sizes.length === 0 ? 1 : 0);
          out.push(Buffer.from(chunks.push(bytes.subarray(start, start + size))));
          start += size;
        }
        out.push(chunks.end());
        expect(Buffer.concat(out).toString()).toBe(bytes.toString());
      }),
    );
  });
});

describe("T2.5 code points", () => {
  test("T2.5 are counted and found as a string's own iterator does it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, wanted) => {
        const bytes = Buffer.from(text);
        const points = [...bytes.toString()];
        expect(countCodePoints(bytes)).toBe(points.length);
        expect(byteOfCodePoint(bytes, wanted)).toBe(Buffer.byteLength(points.slice(0, wanted).join("")));
      }),
    );
  });
});

test("T3.3 the first invalid byte is the one that a byte by byte search finds", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const bytes = Buffer.concat(parts);
      expect(firstInvalidByte(bytes)).toBe(slowFirstInvalid(bytes));
    }),
  );
  expect(firstInvalidByte(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))).toBe(3);
});

function slowFirstInvalid(bytes: Buffer): number | undefined {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const isValid = (end: number): boolean => {
    try {
      strict.decode(bytes.subarray(0, end));
      return true;
    } catch {
      return false;
    }
  };
  if (isValid(bytes.length)) return undefined;
  let valid = 0;
  for (let end = 0; end < bytes.length; end++) if (isValid(end)) valid = end;
  return valid;
}
