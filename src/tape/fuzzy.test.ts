import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { weightedRatio } from "./fuzzy.ts";

interface Pair {
  a: string;
  b: string;
  wratio: number;
}

const pairs: Pair[] = JSON.parse(readFileSync(new URL("../../test/fixtures/wratio.json", import.meta.url), "utf8"));

test(`T6.3 the weighted ratio of ${pairs.length} pairs is what RapidFuzz gives, to 6 decimals`, () => {
  expect(pairs.length).toBeGreaterThanOrEqual(400);
  for (const { a, b, wratio } of pairs)
    expect([a, b, weightedRatio(a, b).toFixed(6)]).toEqual([a, b, wratio.toFixed(6)]);
});

const words = fc.array(
  fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "磁", "😀"), minLength: 1, maxLength: 5 }),
    fc.constantFrom("abc", "ab"),
  ),
  { maxLength: 5 },
);
const texts = fc.tuple(words, fc.constantFrom(" ", "  ", "\u00a0")).map(([parts, gap]) => parts.join(gap));

test("T6.3 property: the weighted ratio is what its definition says, computed by hand", () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      expect(weightedRatio(a, b)).toBeCloseTo(naiveRatio([...a], [...b]), 9);
      expect(weightedRatio(b, a)).toBeCloseTo(weightedRatio(a, b), 9);
    }),
    { numRuns: 500 },
  );
});

test("T6.3 property: of texts longer than one machine word, too", () => {
  const long = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), minLength: 30, maxLength: 110 });
  fc.assert(
    fc.property(long, long, (a, b) => {
      expect(weightedRatio(a, b)).toBeCloseTo(naiveRatio([...a], [...b]), 9);
    }),
    { numRuns: 40 },
  );
});

type Characters = readonly string[];

function naiveRatio(a: Characters, b: Characters): number {
  if (a.length === 0 || b.length === 0) return 0;
  const lengths = Math.max(a.length, b.length) / Math.min(a.length, b.length);
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (lengths < 1.5) return Math.max(plain(a, b), 0.95 * Math.max(sorted(left, right), set(left, right)));
  const scale = lengths <= 8 ? 0.9 : 0.6;
  return Math.max(plain(a, b), scale * partial(a, b), scale * 0.95 * partialWords(left, right));
}

const wordsOf = (text: Characters): string[] => text.join("").split(/\s+/u).filter(Boolean);
const join = (parts: readonly string[]): Characters => [...[...parts].sort(byCodePoint).join(" ")];
const percent = (common: number, total: number) => (total === 0 ? 100 : (200 * common) / total);
const plain = (a: Characters, b: Characters) => percent(common(a, b), a.length + b.length);

function byCodePoint(left: string, right: string): number {
  const [a, b] = [left, right].map((one) => [...one].map((character) => character.codePointAt(0) as number));
  for (let at = 0; ; at++) {
    const [x, y] = [a?.[at] ?? -1, b?.[at] ?? -1];
    if (x !== y || x < 0) return x - y;
  }
}

function common(a: Characters, b: Characters): number {
  let above: number[] = new Array(b.length + 1).fill(0);
  for (const one of a) {
    const row = [0];
    for (const [at, other] of b.entries())
      row.push(one === other ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0));
    above = row;
  }
  return above[b.length] ?? 0;
}

/** Every stretch as long as the shorter text, and every beginning and end that is shorter. */
function partial(a: Characters, b: Characters): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const best = stretches(long, short.length).map((part) => plain(short, part));
  const swapped = a.length === b.length ? stretches(short, long.length).map((part) => plain(long, part)) : [];
  return Math.max(...best, ...swapped);
}

function stretches(text: Characters, size: number): Characters[] {
  const starts = Array.from({ length: text.length + size - 1 }, (_, index) => index - size + 1);
  return starts.map((start) => text.slice(Math.max(0, start), start + size));
}

function sorted(a: readonly string[], b: readonly string[]): number {
  return a.length === 0 || b.length === 0 ? 0 : plain(join(a), join(b));
}

function set(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [left, right] = [new Set(a), new Set(b)];
  const both = [...left].filter((word) => right.has(word));
  const [onlyLeft, onlyRight] = [
    [...left].filter((word) => !right.has(word)),
    [...right].filter((word) => !left.has(word)),
  ];
  if (both.length > 0 && (onlyLeft.length === 0 || onlyRight.length === 0)) return 100;
  const shared = join(both).length;
  const gap = shared > 0 ? 1 : 0;
  const [wholeLeft, wholeRight] = [shared + gap + join(onlyLeft).length, shared + gap + join(onlyRight).length];
  const rests = percent(shared + gap + common(join(onlyLeft), join(onlyRight)), wholeLeft + wholeRight);
  return shared === 0
    ? rests
    : Math.max(rests, percent(shared, shared + wholeLeft), percent(shared, shared + wholeRight));
}

function partialWords(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (a.some((word) => b.includes(word))) return 100;
  return Math.max(partial(join(a), join(b)), partial(join([...new Set(a)]), join([...new Set(b)])));
}
