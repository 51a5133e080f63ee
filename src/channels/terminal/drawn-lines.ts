// What a terminal shows of the lines that were drawn, after it has wrapped them anew.
import { stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";

/** Lines one below the other, with the cursor in one of them. */
export interface DrawnLines {
  readonly lines: readonly string[];
  /** The cursor's line, and its column counted from that line's beginning. */
  readonly row: number;
  readonly column: number;
}

/** What is written at once: lines for good, and below them the live part. */
export interface Drawing {
  /** Columns of the terminal that it is made for. */
  readonly columns: number;
  /** Rows from the cursor to the top of what the live part was before. */
  readonly up: number;
  readonly finished: readonly string[];
  readonly frame: DrawnLines;
  /** The first line of the frame that is written; those before it stand there already. */
  readonly from: number;
}

export interface Outcome {
  /** What stands there, from the top of what was drawn before. */
  readonly shown: DrawnLines;
  /** Whether the drawing stands where it was meant to. */
  readonly isInPlace: boolean;
  /** Rows above the top of what was drawn before that it has written over. */
  readonly lost: number;
}

export const noLines: DrawnLines = { lines: [], row: 0, column: 0 };

/** The terminal's words for a drawing. @param question to be asked before and behind it, somewhere in the cursor's row */
export function wordsOf({ up, finished, frame, from }: Drawing, question: string): string {
  const written = [...finished, ...frame.lines.slice(from)];
  const below = finished.length + frame.row + 1 - from;
  return [
    `\x1b[?2026h\x1b[?25l${question}`,
    move(from - up),
    // All rows at once: a line goes on in further ones on a terminal that has become narrower meanwhile. From their
    // beginning: tmux counts blanks that were cleared behind a text when it wraps anew. And not downwards from the upper
    // left corner, where it moves everything to the scrollback.
    "\r\x1b7\x1b[K\x1b[B\x1b[J\x1b8",
    // Below the cursor nothing wraps: the way back up would be too short.
    written.map((line, index) => `${index === below ? "\x1b[?7l" : ""}${line}`).join("\r\n"),
    move(frame.row - (frame.lines.length - 1)),
    `\x1b[?7h${question}\x1b[${frame.column + 1}G\x1b[?25h\x1b[?2026l`,
  ].join("");
}

/** Where a drawing was written. */
export interface Ground {
  /** That the terminal really had. */
  readonly columns: number;
  /** Rows of the screen above the cursor before it was written. */
  readonly aboveBefore: number;
  /** False when the terminal wraps what is written, and cuts what stands there when it becomes narrower. */
  readonly reflows: boolean;
}

/**
 * What a terminal shows after a drawing reached it that was made for another width, maybe.
 * @param before what stood there, as it was drawn
 */
export function outcomeOf(before: DrawnLines, drawing: Drawing, ground: Ground): Outcome {
  const { up, finished, frame, from } = drawing;
  const { columns, aboveBefore, reflows } = ground;
  const standing = reflows ? columns : Number.POSITIVE_INFINITY;
  // The cursor stops at the upper edge.
  const start = rowsAbove(before, standing) - aboveBefore + Math.max(0, aboveBefore + from - up);
  const kept = linesUpTo(before.lines, start, standing);
  const above = [...finished, ...frame.lines.slice(from, frame.row)];
  // The way back up ends in the last row of the cursor's line.
  const rows = wrapped(frame.lines[frame.row] ?? "", columns);
  const column = Math.min(frame.column, columns - 1);
  const below = frame.lines.slice(frame.row + 1);
  const fits = frame.lines.slice(from, frame.row + 1).every((line) => visibleWidth(line) <= columns);
  const state = { isInPlace: start === from && (reflows || fits), lost: Math.max(0, -start) };
  if (!reflows) {
    const lines = [...kept, ...above.flatMap((line) => wrapped(line, columns)), ...rows];
    return { ...state, shown: { lines: [...lines, ...below], row: lines.length - 1, column } };
  }
  const lines = [...kept, ...above, rows.join("")];
  const shown = { lines: [...lines, ...below], row: lines.length - 1, column: (rows.length - 1) * columns + column };
  return { ...state, shown };
}

/** The lines that so many rows at the top show; the last one may be cut. */
export function linesUpTo(lines: readonly string[], rows: number, columns: number): string[] {
  let left = rows;
  const upTo: string[] = [];
  for (const line of lines) {
    if (left <= 0) break;
    const own = wrapped(line, columns);
    upTo.push(own.length > left ? own.slice(0, left).join("") : line);
    left -= own.length;
  }
  return upTo;
}

/** Rows between the top and the cursor, after the terminal has wrapped the lines to so many columns. */
export function rowsAbove({ lines, row, column }: DrawnLines, columns: number): number {
  let rows = Math.floor(column / columns);
  for (const line of lines.slice(0, row)) rows += rowsOf(line, columns);
  return rows;
}

/** How many lines at the top do not fit into so many rows above the cursor. */
export function linesBeyond({ lines, row, column }: DrawnLines, columns: number, above: number): number {
  let count = 0;
  while (count < row && rowsAbove({ lines: lines.slice(count), row: row - count, column }, columns) > above) count += 1;
  return count;
}

/** A wide character that does not fit at the end of a row goes to the next one, and leaves a column free. */
export function rowsOf(line: string, columns: number): number {
  return wrapped(line, columns).length;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The rows of a line, without its colours when there are several. */
function wrapped(line: string, columns: number): string[] {
  if (visibleWidth(line) <= columns) return [line];
  const rows = [""];
  let column = 0;
  for (const { segment } of graphemes.segment(stripTerminalSequences(line))) {
    const width = visibleWidth(segment);
    if (column + width > columns) {
      rows.push("");
      column = 0;
    }
    rows.push(`${rows.pop()}${segment}`);
    column += width;
  }
  return rows;
}

/** Down, or up when negative. */
export function move(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? `\x1b[${rows}B` : `\x1b[${-rows}A`;
}
