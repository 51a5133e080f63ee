// The bottom of the terminal that is drawn again and again; what is finished is written above it once and never touched.
import { stripTerminalSequences, type Terminal, visibleWidth } from "@earendil-works/pi-tui";
import { TuiBase } from "@earendil-works/pi-tui/dist/tui.js";
import { fitLine, trimLine } from "./styled-line.ts";

export interface MeasuredTerminal extends Terminal {
  /** Finds out its size as it is now. */
  measure?(): void;
}

interface Frame {
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** A width has to hold for so long before something is drawn (milliseconds). */
const stillMs = 300;

const emptyFrame: Frame = { lines: [], row: 0, column: 0 };

/**
 * Unlike pi-tui's own main screen, this one never clears the scrollback: a resize leaves finished lines to the terminal,
 * which wraps them again, and draws only the live part anew.
 */
export class LiveScreen extends TuiBase {
  readonly mode = "regular";
  #finished: string[] = [];
  #drawn = emptyFrame;
  #columns = 0;
  #isStarted = false;
  /** The width that was found last, and whether it has held for long enough. */
  #seenColumns = 0;
  #isSettled = true;
  #stillTimer: NodeJS.Timeout | undefined;

  constructor(override readonly terminal: MeasuredTerminal) {
    super(terminal, true);
  }

  /** Columns that a line may take. One stays free: a full line would leave the cursor between two lines. */
  get room(): number {
    return Math.max(this.terminal.columns - 1, 1);
  }

  /** Writes lines above the live part with the next frame, for good. */
  finish(lines: readonly string[]): void {
    for (const line of lines) this.#finished.push(line);
    if (lines.length > 0) this.requestRender();
  }

  protected override doRender(): void {
    if (!this.#isStarted) return;
    this.terminal.measure?.();
    const { columns } = this.terminal;
    if (!this.#isStill(columns)) return;
    // Rendering may finish lines, so it comes first.
    const frame = this.#buildFrame();
    // That took its time, and what is drawn for another width stands in the wrong place for good.
    this.terminal.measure?.();
    if (!this.#isStill(this.terminal.columns)) return;
    const finished = this.#finished.map(trimLine);
    this.#finished = [];
    const from = finished.length > 0 || columns !== this.#columns ? 0 : this.#firstChange(frame);
    const up = columns === this.#columns ? this.#drawn.row : rowsAbove(this.#drawn, columns);
    const rewritten = [...finished, ...frame.lines.slice(from)];
    const below = Math.max(0, finished.length + frame.row + 1 - from);
    const last = frame.lines.length - 1;
    this.terminal.write(
      [
        "\x1b[?2026h\x1b[?25l",
        move((rewritten.length > 0 ? from : frame.row) - up),
        "\r",
        // A row is cleared from its beginning: tmux counts blanks that were cleared behind a text when it wraps anew.
        // Below the cursor nothing wraps: on a terminal that has become narrower meanwhile the way back up would be too short.
        rewritten.map((line, index) => `${index === below ? "\x1b[?7l" : ""}\x1b[K${line}`).join("\r\n"),
        rewritten.length > 0 ? "\x1b[J" : "",
        rewritten.length > 0 ? move(frame.row - last) : "",
        `\x1b[?7h\x1b[${frame.column + 1}G\x1b[?25h\x1b[?2026l`,
      ].join(""),
    );
    this.#drawn = frame;
    this.#columns = columns;
  }

  protected override beforeTerminalStart(): void {
    this.#isStarted = true;
    this.#drawn = emptyFrame;
    this.#columns = this.terminal.columns;
    this.#seenColumns = this.#columns;
  }

  /**
   * While the width changes, nothing is drawn: tmux tells programs of one that follows another up to 250 ms after it has
   * wrapped the lines anew, and what is drawn by then would stand in the wrong place, for good.
   */
  #isStill(columns: number): boolean {
    if (columns === this.#columns && this.#stillTimer === undefined) return true;
    if (columns !== this.#seenColumns) {
      this.#seenColumns = columns;
      clearTimeout(this.#stillTimer);
      this.#stillTimer = setTimeout(() => {
        this.#stillTimer = undefined;
        this.#isSettled = true;
        this.requestRender();
      }, stillMs);
      this.#isSettled = false;
    }
    return this.#isSettled;
  }

  /** Takes the live part away, so that what comes next stands below what is finished. */
  protected override beforeTerminalStop(): void {
    const up =
      this.terminal.columns === this.#columns ? this.#drawn.row : rowsAbove(this.#drawn, this.terminal.columns);
    const finished = this.#finished.map((line) => `${trimLine(line)}\r\n`).join("");
    this.#finished = [];
    this.#isStarted = false;
    clearTimeout(this.#stillTimer);
    this.#stillTimer = undefined;
    this.terminal.write(`${move(-up)}\r\x1b[J${finished}`);
    this.#drawn = emptyFrame;
  }

  #buildFrame(): Frame {
    const room = this.room;
    const lines = this.resolveFakeCursors(this.render(room));
    const cursor = this.extractCursorPosition(lines, lines.length);
    const fitted = lines.map((line) => fitLine(trimLine(line), room));
    // The upper part gives way: a frame higher than the screen could not be drawn over.
    const over = Math.max(0, fitted.length - Math.max(this.terminal.rows - 1, 1));
    const row = Math.max(0, (cursor?.row ?? fitted.length - 1) - over);
    return { lines: fitted.slice(over), row, column: Math.min(cursor?.col ?? 0, room) };
  }

  /** The first line to write again; at most the last one that is drawn, from where further ones go on. */
  #firstChange({ lines }: Frame): number {
    const drawn = this.#drawn.lines;
    let index = 0;
    while (index < lines.length && index < drawn.length && lines[index] === drawn[index]) index += 1;
    if (index === lines.length && index === drawn.length) return index;
    return Math.max(0, Math.min(index, drawn.length - 1, lines.length - 1));
  }
}

/** Rows between the frame's top and its cursor, after the terminal has wrapped the frame's lines to so many columns. */
function rowsAbove({ lines, row, column }: Frame, columns: number): number {
  let rows = Math.floor(column / columns);
  for (const line of lines.slice(0, row)) rows += rowsOf(line, columns);
  return rows;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A wide character that does not fit at the end of a row goes to the next one, and leaves a column free. */
export function rowsOf(line: string, columns: number): number {
  if (visibleWidth(line) <= columns) return 1;
  let rows = 1;
  let column = 0;
  for (const { segment } of graphemes.segment(stripTerminalSequences(line))) {
    const width = visibleWidth(segment);
    if (column + width > columns) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
}

function move(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? `\x1b[${rows}B` : `\x1b[${-rows}A`;
}
