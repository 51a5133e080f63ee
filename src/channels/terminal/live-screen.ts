// The bottom of the terminal that is drawn again and again; what is finished is written above it once and never touched.
import { TuiBase } from "@earendil-works/pi-tui/dist/tui.js";
import {
  type Drawing,
  type DrawnLines,
  linesBeyond,
  linesUpTo,
  move,
  noLines,
  outcomeOf,
  rowsAbove,
  rowsOf,
  wordsOf,
} from "./drawn-lines.ts";
import { type MeasuredTerminal, type Place, SizeWatch } from "./size-watch.ts";
import { fitLine, trimLine } from "./styled-line.ts";

/** Finished lines that are kept, should something be drawn over them. */
const mostRecent = 200;

/**
 * Unlike pi-tui's own main screen, this one never clears the scrollback: a resize leaves finished lines to the terminal,
 * which wraps them again, and draws only the live part anew.
 *
 * A drawing may reach the terminal just after that has become narrower or wider, and then stands in the wrong place.
 * Nothing can tell beforehand, so the terminal is asked for its width behind each drawing; what its answer shows to be
 * misplaced is drawn over.
 */
export class LiveScreen extends TuiBase {
  readonly mode = "regular";
  readonly #watch: SizeWatch;
  #finished: string[] = [];
  /** The last frame, and the width it was drawn for. */
  #drawn = noLines;
  #columns = 0;
  /** What stands there as far as the terminal has answered. */
  #shown = noLines;
  /** Whether that is not what was meant, and not drawn over yet. */
  #isMisplaced = false;
  /** How many lines of it have left the screen at its top. */
  #gone = 0;
  /** Finished lines that have to be written once more: those that were written over, and those in the wrong place. */
  #lost: string[] = [];
  #again: string[] = [];
  /** The finished lines above the live part. */
  #recent: string[] = [];
  #isDrawing = false;
  #corrections = 0;

  constructor(override readonly terminal: MeasuredTerminal) {
    super(terminal, true);
    this.#watch = new SizeWatch(terminal, (place) => {
      this.#noteGone(place);
      this.requestRender();
    });
    this.addInputListener((data) => (this.#watch.take(data) ? { consume: true } : undefined));
  }

  /** Columns that a line may take. One stays free: a full line would leave the cursor between two lines. */
  get room(): number {
    return Math.max(this.#watch.columns - 1, 1);
  }

  get rows(): number {
    return this.#watch.rows;
  }

  /** How many drawings stood in the wrong place, so far. */
  get corrections(): number {
    return this.#corrections;
  }

  /** Writes lines above the live part with the next frame, for good. */
  finish(lines: readonly string[]): void {
    for (const line of lines) this.#finished.push(line);
    if (lines.length > 0) this.requestRender();
  }

  /** Draws nothing from now on, and waits until the terminal has answered all: so that `stop` leaves nothing behind. */
  async settle(): Promise<void> {
    if (!this.#isDrawing) return;
    this.#isDrawing = false;
    await this.#watch.quiet();
  }

  protected override doRender(): void {
    if (!this.#isDrawing || !this.#watch.isStill()) return;
    // Rendering may finish lines, so it comes first.
    const frame = this.#buildFrame();
    // That took its time.
    if (!this.#watch.isStill()) return;
    if (this.#isMisplaced) this.#leaveUnreachable();
    const drawing = this.#newDrawing(frame);
    this.#isMisplaced = false;
    this.#drawn = frame;
    this.#columns = drawing.columns;
    this.terminal.write(
      wordsOf(
        drawing,
        this.#watch.ask((place) => this.#settleDrawing(drawing, place)),
      ),
    );
  }

  protected override beforeTerminalStart(): void {
    this.#drawn = this.#shown = noLines;
    this.#recent = [];
    this.#isMisplaced = false;
    this.#gone = 0;
  }

  protected override afterTerminalStart(): void {
    this.#watch.start();
    this.#columns = this.#watch.columns;
    this.#isDrawing = true;
  }

  /** Takes the live part away, so that what comes next stands below what is finished. */
  protected override beforeTerminalStop(): void {
    if (this.#isMisplaced) this.#leaveUnreachable();
    const finished = this.#takeFinished().map((line) => `${line}\r\n`);
    this.terminal.write(`${move(-this.#rowsUp())}\r\x1b[J${finished.join("")}`);
    this.#watch.stop();
    this.#isDrawing = false;
  }

  #rowsUp(): number {
    const columns = this.#watch.standingColumns;
    if (this.#isMisplaced) return rowsAbove(this.#shown, columns);
    return columns >= this.#columns ? this.#drawn.row : rowsAbove(this.#drawn, columns);
  }

  #takeFinished(): string[] {
    const lines = [...this.#lost, ...this.#again, ...this.#finished.map(trimLine)];
    this.#lost = [];
    this.#again = [];
    this.#finished = [];
    return lines;
  }

  #newDrawing(frame: DrawnLines): Drawing {
    const { columns } = this.#watch;
    const finished = this.#takeFinished();
    const isWhole = finished.length > 0 || this.#isMisplaced || columns !== this.#columns;
    return { columns, up: this.#rowsUp(), finished, frame, from: isWhole ? 0 : this.#firstChange(frame) };
  }

  /** @param place of the cursor, and how wide the terminal was, when the drawing had reached it */
  #settleDrawing(drawing: Drawing, place: Place): void {
    const { columns, aboveBefore } = place;
    const isAsMeant = !this.#isMisplaced && columns === drawing.columns;
    const outcome = isAsMeant
      ? undefined
      : outcomeOf(this.#shown, drawing, { columns, aboveBefore, reflows: this.#watch.reflows });
    if (outcome === undefined || (outcome.isInPlace && !this.#isMisplaced)) {
      this.#shown = drawing.frame;
      this.#recent = [...this.#recent, ...drawing.finished].slice(-mostRecent);
      return;
    }
    this.#isMisplaced = true;
    this.#corrections += 1;
    this.#shown = outcome.shown;
    if (outcome.lost > 0) this.#recover(outcome.lost, columns);
    this.#again.push(...drawing.finished);
    this.#noteGone(place);
    this.requestRender();
  }

  /** Finished lines in the rows above are gone, and at worst a part of one more. */
  #recover(rows: number, columns: number): void {
    const lines: string[] = [];
    let left = rows;
    while (left > 0) {
      const line = this.#recent.pop();
      if (line === undefined) break;
      lines.unshift(line);
      left -= rowsOf(line, columns);
    }
    const rest = linesUpTo(lines.slice(0, 1), -left, columns);
    this.#lost.unshift(...lines);
    this.#shown = { ...this.#shown, lines: [...rest, ...this.#shown.lines], row: this.#shown.row + rest.length };
  }

  #noteGone({ aboveAfter }: Place): void {
    if (!this.#isMisplaced) return;
    this.#gone = Math.max(this.#gone, linesBeyond(this.#shown, this.#watch.standingColumns, aboveAfter));
  }

  /** What has left the screen stays as it is; what is finished of it stands there. */
  #leaveUnreachable(): void {
    const { lines, row, column } = this.#shown;
    const count = this.#gone;
    this.#gone = 0;
    for (const line of lines.slice(0, count))
      if (line === this.#again[0]) this.#recent.push(...this.#again.splice(0, 1));
    this.#shown = { lines: lines.slice(count), row: row - count, column };
  }

  #buildFrame(): DrawnLines {
    const room = this.room;
    const lines = this.resolveFakeCursors(this.render(room));
    const cursor = this.extractCursorPosition(lines, lines.length);
    const fitted = (lines.length > 0 ? lines : [""]).map((line) => fitLine(trimLine(line), room));
    // The upper part gives way: a frame higher than the screen could not be drawn over.
    const over = Math.max(0, fitted.length - Math.max(this.rows - 1, 1));
    const row = Math.max(0, (cursor?.row ?? fitted.length - 1) - over);
    return { lines: fitted.slice(over), row, column: Math.min(cursor?.col ?? 0, room) };
  }

  /** The first line to write again: at most the cursor's, and the last one that is drawn, from where further ones go on. */
  #firstChange({ lines, row }: DrawnLines): number {
    const drawn = this.#drawn.lines;
    let index = 0;
    while (index < lines.length && index < drawn.length && lines[index] === drawn[index]) index += 1;
    return Math.max(0, Math.min(index, row, drawn.length - 1));
  }
}
