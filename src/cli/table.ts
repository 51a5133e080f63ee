// Lines of aligned columns.
import { widthOf } from "../base/terminal-text.ts";

/** Indented by two; the last column may be as long as it likes. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  return rows.map((row) => `  ${row.map((cell, index) => padded(cell, widths[index] ?? 0)).join("  ")}`.trimEnd());
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(width - widthOf(cell), 0));
}
