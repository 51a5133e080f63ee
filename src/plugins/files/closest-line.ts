// Finds the line that somebody probably meant when a text is not there.
import { beginningOf } from "../../base/text-preview.ts";

export interface ClosestLine {
  /** Zero-based. */
  readonly line: number;
  readonly text: string;
}

const longestCompared = 500;
const longestShown = 200;
/** How much of a file is looked at, in characters. */
const scanned = 2_000_000;
const leastLikeness = 0.6;
/** How many lines that are no whole line of the file are looked for in all of it. */
const mostParts = 100;

/** The line at or after `start` that is most like the first line of `wanted` that is missing; undefined when none is near. */
export function findClosestLine(text: string, wanted: string, start: number): ClosestLine | undefined {
  const lines = linesOf(text.slice(0, scanned));
  const target = missingLine(linesOf(wanted), lines.slice(start)).trim().slice(0, longestCompared);
  if (target === "") return undefined;
  const likeness = likenessTo(target);
  let best: { line: number; likeness: number } | undefined;
  for (let line = start; line < lines.length; line++) {
    const own = likeness((lines[line] ?? "").trim().slice(0, longestCompared));
    if (own >= leastLikeness && own > (best?.likeness ?? 0)) best = { line, likeness: own };
  }
  return best === undefined ? undefined : { line: best.line, text: beginningOf(lines[best.line] ?? "", longestShown) };
}

/** Lines of several can each be there without standing together; then the first one tells the most. */
function missingLine(wanted: readonly string[], lines: readonly string[]): string {
  const told = wanted.filter((line) => line.trim() !== "");
  const whole = new Set(lines);
  const text = lines.join("\n");
  const parts = told.filter((line) => !whole.has(line)).slice(0, mostParts);
  return parts.find((line) => !text.includes(line)) ?? told[0] ?? "";
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Answers, for any text, the share of neighbouring pairs of characters that it has in common with `target`: 0 to 1. */
function likenessTo(target: string): (text: string) => number {
  const wanted = pairsOf(target);
  const wantedCount = Math.max(0, target.length - 1);
  return (text) => {
    if (text === target) return 1;
    const count = Math.max(0, text.length - 1);
    const all = wantedCount + count;
    // Even if every pair of the shorter one were shared, it would not be near.
    if (all === 0 || (2 * Math.min(wantedCount, count)) / all < leastLikeness) return 0;
    let shared = 0;
    for (const [pair, times] of pairsOf(text)) shared += Math.min(times, wanted.get(pair) ?? 0);
    return (2 * shared) / all;
  };
}

/** How often each pair of neighbouring characters occurs. */
function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
