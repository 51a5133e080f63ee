// Text that is shown in part: diffs and reasoning.
import type { JsonObject } from "../../base/json.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { Palette } from "./styled-line.ts";

const mostLines = 20;

/** The first lines, and how many are left out. @param how to see them, if there is a way */
export function fold(lines: readonly string[], how?: string): string[] {
  const left = lines.length - mostLines;
  if (left <= 1) return [...lines];
  return [...lines.slice(0, mostLines), `… ${left} more lines${how === undefined ? "" : ` (${how})`}`];
}

export function paintDiff(line: string, { red, green, dim }: Palette): string {
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  return line.startsWith("@@") || line.startsWith("…") ? dim(line) : line;
}

/** What an edit took away and put in its place; undefined for other calls. */
export function diffOfEdit({ path, old, new: replacement }: JsonObject): string[] | undefined {
  if (typeof path !== "string" || typeof old !== "string" || typeof replacement !== "string") return undefined;
  const before = linesOf(old);
  const after = linesOf(replacement);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const context = (lines: readonly string[]) => lines.map((line) => ` ${line}`);
  return fold([
    ...context(before.slice(Math.max(0, start - 2), start)),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...context(before.slice(before.length - end).slice(0, 2)),
  ]);
}

function linesOf(text: string): string[] {
  return neutralise(text.replace(/\n$/, "").replaceAll("\t", "  ")).split("\n");
}
