// The one line of a terminal that says what is going on right now, and for how long; gone before anything else is written.
import { cutToWidth } from "./terminal-text.ts";
import { styled, type TextOutput } from "./text-output.ts";
import { renderDuration } from "./tool-line.ts";

export class StatusLine implements Disposable {
  readonly #output: TextOutput;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Shows the text with the time since now, from the first second on. Replaces what was shown. */
  show(text: string): void {
    this.clear();
    if (!this.#output.hasCursor) return;
    const started = performance.now();
    this.#timer = setInterval(() => this.#draw(text, performance.now() - started), 1000);
    this.#timer.unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn) this.#output.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  #draw(text: string, elapsed: number): void {
    const time = ` ${renderDuration(Math.floor(elapsed / 1000) * 1000)}`;
    const line = cutToWidth(text, this.#output.columns - time.length - 1) + time;
    this.#output.write(`\r\x1b[K${styled(this.#output, "dim", line)}`);
    this.#isDrawn = true;
  }
}
