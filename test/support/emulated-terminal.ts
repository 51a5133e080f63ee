// A terminal without a window, for tests: it wraps its lines anew as real ones do, and what is written to it arrives when the test says so.
import xterm from "@xterm/headless";
import type { MeasuredTerminal } from "../../src/channels/terminal/size-watch.ts";

export interface EmulatedTerminalOptions {
  columns: number;
  rows: number;
  /** Whether it answers when it is asked something; default: true. */
  answers?: boolean;
  /** Whether it wraps its lines anew when its width changes; xterm, as which it answers then, cuts them. Default: true. */
  reflows?: boolean;
}

export class EmulatedTerminal implements MeasuredTerminal {
  readonly #emulator: xterm.Terminal;
  /** As the system has it. */
  #size: readonly [columns: number, rows: number];
  #written: string[] = [];
  #replies: string[] = [];
  #isRead = false;
  #onInput: (data: string) => void = () => undefined;
  #onResize: () => void = () => undefined;

  constructor({ columns, rows, answers = true, reflows = true }: EmulatedTerminalOptions) {
    this.#size = [columns, rows];
    this.#emulator = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 10_000,
      allowProposedApi: true,
      // Shells draw their line anew themselves, and so it is left alone by default.
      reflowCursorLine: true,
      // An early one of these leaves the lines as they are.
      ...(reflows ? {} : { windowsPty: { backend: "conpty", buildNumber: 19_000 } }),
    });
    this.#emulator.parser.registerCsiHandler({ prefix: ">", final: "q" }, () => {
      if (answers) this.#replies.push(`\u001bP>|${reflows ? "emulated" : "XTerm(379)"}\u001b\\`);
      return true;
    });
    if (answers) this.#emulator.onData((data) => this.#replies.push(data));
  }

  get columns(): number {
    return this.#size[0];
  }

  get rows(): number {
    return this.#size[1];
  }

  get kittyProtocolActive(): boolean {
    return false;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput;
    this.#onResize = onResize;
    this.#isRead = true;
  }

  write(data: string): void {
    if (data !== "") this.#written.push(data);
  }

  /** The terminal gets its new size and wraps its lines anew; nobody is told. */
  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
  }

  /** The system hears of the terminal's size, and so does the program. */
  tell(): void {
    this.#size = [this.#emulator.cols, this.#emulator.rows];
    this.#onResize();
  }

  /** What was written reaches the terminal. */
  async arrive(): Promise<void> {
    const data = this.#written.splice(0).join("");
    await new Promise<void>((done) => this.#emulator.write(data, done));
  }

  /** What the terminal answered reaches the program. */
  reply(): void {
    if (this.#isRead) for (const data of this.#replies.splice(0)) this.#onInput(data);
  }

  /** Answers that nobody has read. */
  get owed(): number {
    return this.#replies.length;
  }

  /** All that was ever shown and the screen, with wrapped rows joined. */
  text(): string {
    const lines: string[] = [];
    const { active } = this.#emulator.buffer;
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? "";
      if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
    }
    return lines.join("\n").trimEnd();
  }

  stop(): void {
    this.#isRead = false;
  }

  async drainInput(): Promise<void> {}
  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}
  setProgramStatus(): void {}
}
