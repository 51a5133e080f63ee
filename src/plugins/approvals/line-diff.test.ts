import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffLine, diffLines, renderDiff } from "./line-diff.ts";

const lineTexts = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "a\r\n", "\u2028\n"), { maxLength: 14 });
const texts = fc.tuple(lineTexts, fc.constantFrom("", "a", "z")).map(([lines, last]) => lines.join("") + last);

const sideOf = (diff: readonly DiffLine[], other: DiffLine["kind"]) =>
  diff
    .filter(({ kind }) => kind !== other)
    .map(({ text }) => text)
    .join("");

test("a diff holds both texts to the byte, with the fewest changed lines", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const diff = diffLines(before, after);
      expect(sideOf(diff, "added")).toBe(before);
      expect(sideOf(diff, "removed")).toBe(after);
      const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      const [old, fresh] = [linesOf(before), linesOf(after)];
      const changed = diff.filter(({ kind }) => kind !== "same").length;
      expect(changed).toBe(old.length + fresh.length - 2 * longestCommon(old, fresh));
    }),
    { numRuns: 500 },
  );
});

function longestCommon(one: readonly string[], other: readonly string[]): number {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let i = 1; i <= one.length; i++) {
    for (let j = 1; j <= other.length; j++) {
      const row = table[i] as number[];
      const above = table[i - 1] as number[];
      row[j] = one[i - 1] === other[j - 1] ? (above[j - 1] ?? 0) + 1 : Math.max(above[j] ?? 0, row[j - 1] ?? 0);
    }
  }
  return table[one.length]?.[other.length] ?? 0;
}

test("the hunks, put onto the text before, give the text after", () => {
  const plain = texts.map((text) => text.replaceAll("\r", ""));
  fc.assert(
    fc.property(plain, plain, (before, after) => {
      expect(applyHunks(before, renderDiff(diffLines(before, after)))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

/** As `patch` does it: by the numbers in the heads, each line of the text before compared. */
function applyHunks(before: string, hunks: readonly string[]): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const made: string[] = [];
  let taken = 0;
  hunks.forEach((line, index) => {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (head !== null) {
      const first = Number(head[2]) === 0 ? Number(head[1]) : Number(head[1]) - 1;
      made.push(...old.slice(taken, first));
      taken = first;
      expect(made.length).toBe(Number(head[4]) === 0 ? Number(head[3]) : Number(head[3]) - 1);
      return;
    }
    if (line.startsWith("\\")) return;
    const text = line.slice(1) + (hunks[index + 1]?.startsWith("\\") ? "" : "\n");
    if (line[0] !== "+") expect(old[taken++]).toBe(text);
    if (line[0] !== "-") made.push(text);
  });
  return [...made, ...old.slice(taken)].join("");
}

test("changes far apart are hunks of their own, with three lines around them", () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
  const after = before.replace("line 2\n", "second\n").replace("line 18\n", "");
  expect(renderDiff(diffLines(before, after))).toEqual([
    "@@ -1,5 +1,5 @@",
    " line 1",
    "-line 2",
    "+second",
    " line 3",
    " line 4",
    " line 5",
    "@@ -15,6 +15,5 @@",
    " line 15",
    " line 16",
    " line 17",
    "-line 18",
    " line 19",
    " line 20",
  ]);
});

test("what cannot be seen is shown: carriage returns, and a missing last newline", () => {
  expect(renderDiff(diffLines("a\r\nb\n", "a\nb"))).toEqual([
    "@@ -1,2 +1,2 @@",
    "-a␍",
    "-b",
    "+a",
    "+b",
    "\\ No newline at end of file",
  ]);
  expect(renderDiff(diffLines("same\n", "same\n"))).toEqual([]);
});

test("large texts cost by what differs, and very different ones are still exact", () => {
  const long = Array.from({ length: 200_000 }, (_, index) => `${index}\n`).join("");
  const started = performance.now();
  const near = diffLines(long, long.replace("\n100000\n", "\nhere\n"));
  expect(near.filter(({ kind }) => kind !== "same")).toEqual([
    { kind: "removed", text: "100000\n" },
    { kind: "added", text: "here\n" },
  ]);
  const other = long.replaceAll("\n", "!\n");
  const far = diffLines(long, other);
  expect(sideOf(far, "added")).toBe(long);
  expect(sideOf(far, "removed")).toBe(other);
  expect(performance.now() - started).toBeLessThan(5000);
});
