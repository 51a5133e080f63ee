// Lines of aligned columns.
import { cutToWidth, widthOf } from "../base/terminal-text.ts";
import type { TextOutput } from "../base/text-output.ts";
import { wrapWords } from "./wrapped-text.ts";

export interface TableOptions {
  /** A cell that is wider moves the rest of its own row only. */
  widest?: number;
}

/** Indented by two; the last column may be as long as it likes. */
export function renderTable(
  rows: readonly (readonly string[])[],
  { widest = Number.POSITIVE_INFINITY }: TableOptions = {},
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (let index = 0; index < row.length - 1; index++)
      widths[index] = Math.max(widths[index] ?? 0, Math.min(widthOf(row[index] ?? ""), widest));
  }
  return rows.map((row) => renderRow(row, widths));
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

const widestName = 60;
const leastName = 10;
/** Less of what follows the facts says nothing. */
const leastMore = 10;

/**
 * Of rows that begin with a name: on a terminal each is one line, and names are cut so that the next `facts` cells have
 * room. Elsewhere nothing is cut.
 */
export function renderNamed(rows: readonly (readonly string[])[], output: TextOutput, { facts = 2 } = {}): string[] {
  if (!output.isTerminal) return renderTable(rows, { widest: widestName });
  let taken = 0;
  for (const row of rows)
    taken = Math.max(
      taken,
      row.slice(1, 1 + facts).reduce((sum, cell) => sum + widthOf(cell) + 2, 3),
    );
  const room = Math.max(leastName, Math.min(widestName, output.columns - taken));
  const widest = rows.reduce((most, [name = ""]) => Math.max(most, Math.min(widthOf(name), room)), 0);
  const hasMore = output.columns - taken - widest >= leastMore;
  const cut = rows.map(([name = "", ...rest]) => [cutToWidth(name, room), ...(hasMore ? rest : rest.slice(0, facts))]);
  return renderTable(cut).map((line) => cutToWidth(line, output.columns));
}

/** Lists can have thousands: a cell is measured only where another one follows. */
function renderRow(row: readonly string[], widths: readonly number[]): string {
  const last = row.length - 1;
  let line = "  ";
  for (let index = 0; index < last; index++) {
    const cell = row[index] as string;
    line += `${cell}  ${" ".repeat(Math.max((widths[index] as number) - widthOf(cell), 0))}`;
  }
  return (line + (row[last] ?? "")).trimEnd();
}
