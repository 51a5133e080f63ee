// Lines of aligned columns.
import { widthOf } from "../base/terminal-text.ts";
import type { TextOutput } from "../base/text-output.ts";
import { wrapWords } from "./wrapped-text.ts";

/** Indented by two; the last column may be as long as it likes. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  return rows.map((row) => `  ${row.map((cell, index) => padded(cell, widths[index] ?? 0)).join("  ")}`.trimEnd());
}

/**
 * As a table where that fits the terminal; else the last column goes below the others, indented. A pipe gets the table.
 */
export function renderFitting(rows: readonly (readonly string[])[], output: TextOutput): string[] {
  const table = renderTable(rows);
  if (!output.isTerminal || table.every((line) => widthOf(line) <= output.columns)) return table;
  return rows.flatMap((row) => {
    const last = row.at(-1) ?? "";
    const line = `  ${row.join("  ")}`;
    if (widthOf(line) <= output.columns) return [line];
    const first = wrapWords(row.slice(0, -1).join("  "), output.columns - 2).map((part) => `  ${part}`);
    return [...first, ...wrapWords(last, output.columns - 6).map((part) => `      ${part}`)];
  });
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(width - widthOf(cell), 0));
}
