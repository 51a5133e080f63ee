// How wide the terminal is, as it says itself, and whether its size holds still.
import type { Terminal } from "@earendil-works/pi-tui";

export interface MeasuredTerminal extends Terminal {
  /** Finds out its size as the system has it now. */
  measure?(): void;
}

/** How wide the terminal was when something was written, and how many rows of the screen stood above the cursor. */
export interface Place {
  readonly columns: number;
  readonly aboveBefore: number;
  readonly aboveAfter: number;
}

/** To the right margin, and where is that? (`CUF`, and `DSR` 6 of ECMA-48.) It leaves the cursor there. */
const question = "\x1b[9999C\x1b[6n";

/** F3 with modifiers looks like an answer from the first row, and one of the first columns. */
const mostModifiers = 16;

/** `CSI > q` asks for the terminal's name (xterm's control sequences). */
const nameQuestion = "\x1b[>q";
const nameStart = "\x1bP>|";

/** A size has to hold for so long before something is drawn (milliseconds). */
const stillMs = { answered: 150, unanswered: 300 };

/** A terminal that owes an answer and is silent for so long is not asked again (milliseconds). */
const silentMs = 2_000;

/**
 * A terminal wraps its lines anew before the system knows of its size: tmux tells up to 250 ms later. Only what it
 * answers between what is drawn tells how wide it was when that reached it. Of a terminal that gives no answers the
 * system's word is taken, once it has held for longer.
 */
export class SizeWatch {
  readonly #terminal: MeasuredTerminal;
  readonly #onStill: (place: Place) => void;
  /** Unknown until the first answer. */
  #isAnswering: boolean | undefined;
  #name = "";
  #told = { columns: 0, rows: 0 };
  #columns = 0;
  #isStill = true;
  #stillTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  /** Who waits for answers, in the order of the questions: two each. */
  readonly #owed: ((place: Place) => void)[] = [];
  /** Of the first answer of two. */
  #aboveBefore: number | undefined;
  #onQuiet: () => void = () => undefined;

  /** @param onStill told where the cursor is when the size has changed and holds still again */
  constructor(terminal: MeasuredTerminal, onStill: (place: Place) => void) {
    this.#terminal = terminal;
    this.#onStill = onStill;
    this.#measure();
    this.#columns = this.#told.columns;
  }

  get columns(): number {
    return this.#columns;
  }

  get rows(): number {
    return this.#told.rows;
  }

  /** Columns that what stands there is wrapped to: xterm wraps only what is written, and cuts it later. */
  get standingColumns(): number {
    return this.reflows ? this.#columns : Number.POSITIVE_INFINITY;
  }

  get reflows(): boolean {
    return !this.#name.startsWith("XTerm(");
  }

  /** Begins, with a first question. */
  start(): void {
    this.#measure();
    this.#columns = this.#told.columns;
    this.#isAnswering = undefined;
    this.#isStill = true;
    this.#owed.push(() => undefined);
    this.#terminal.write(`${nameQuestion}${inPlace(question + question)}`);
    this.#expectAnswer();
  }

  stop(): void {
    clearTimeout(this.#stillTimer);
    clearTimeout(this.#silenceTimer);
    this.#owed.length = 0;
    this.#aboveBefore = undefined;
  }

  /** Whether the size holds still, as far as is known now. */
  isStill(): boolean {
    if (this.#measure()) {
      if (this.#isAnswering !== true) this.#columns = this.#told.columns;
      this.#beginStill();
    }
    return this.#isStill;
  }

  /**
   * A question to be written before something and again behind it; it leaves the cursor at the right margin.
   * @param hear gets where that was written; at once what is believed, when the terminal gives no answers
   */
  ask(hear: (place: Place) => void): string {
    if (this.#isAnswering !== true) {
      hear(this.#believed());
      return "";
    }
    if (this.#owed.push(hear) === 1) this.#expectAnswer();
    return question;
  }

  /** Takes an answer out of what is typed. */
  take(data: string): boolean {
    if (data.startsWith(nameStart)) {
      this.#name = data.slice(nameStart.length);
      return true;
    }
    const [row, columns] = numbersOf(data);
    if (row === undefined || columns === undefined || (row === 1 && columns <= mostModifiers)) return false;
    // It comes too late, and is no key either.
    if (this.#owed.length === 0) return true;
    if (this.#aboveBefore === undefined) {
      this.#aboveBefore = row - 1;
      return true;
    }
    this.#isAnswering ??= columns === this.#columns;
    if (this.#isAnswering && columns !== this.#columns) {
      this.#columns = columns;
      this.#beginStill();
    }
    const place = { columns: this.#columns, aboveBefore: this.#aboveBefore, aboveAfter: row - 1 };
    this.#aboveBefore = undefined;
    this.#owed.shift()?.(place);
    clearTimeout(this.#silenceTimer);
    if (this.#owed.length === 0) this.#onQuiet();
    else this.#expectAnswer();
    return true;
  }

  /** Resolves when no answer is on its way any more that would reach whoever reads the terminal next. */
  async quiet(): Promise<void> {
    if (this.#owed.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
  }

  /** Whether the system has another size than before. */
  #measure(): boolean {
    this.#terminal.measure?.();
    const { columns, rows } = this.#terminal;
    const isNew = columns !== this.#told.columns || rows !== this.#told.rows;
    this.#told = { columns, rows };
    return isNew;
  }

  #beginStill(): void {
    this.#isStill = false;
    clearTimeout(this.#stillTimer);
    const ms = stillMs[this.#isAnswering === true ? "answered" : "unanswered"];
    const timer = setTimeout(() => this.#endStill(timer), ms);
    this.#stillTimer = timer;
  }

  /** What is drawn next has to be made for the width of this moment, so that is asked for once more. */
  #endStill(timer: NodeJS.Timeout): void {
    const words = this.ask((place) => {
      if (this.#stillTimer !== timer) return;
      this.#isStill = true;
      this.#onStill(place);
    });
    if (words !== "") this.#terminal.write(inPlace(words + words));
  }

  #expectAnswer(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => this.#giveUp(), silentMs);
  }

  #giveUp(): void {
    this.#isAnswering = false;
    this.#columns = this.#told.columns;
    this.#aboveBefore = undefined;
    for (const hear of this.#owed.splice(0)) hear(this.#believed());
    this.#onQuiet();
  }

  #believed(): Place {
    return { columns: this.#columns, aboveBefore: this.rows, aboveAfter: this.rows };
  }
}

/** The row and the column of an answer, which begin at one; nothing of anything else. */
function numbersOf(data: string): number[] {
  if (!data.startsWith("\x1b[")) return [];
  return (/^(\d+);(\d+)R$/.exec(data.slice(2)) ?? []).slice(1).map(Number);
}

/** Leaves the cursor where it is. */
function inPlace(words: string): string {
  return `\x1b[?25l\x1b7${words}\x1b8\x1b[?25h`;
}
