// The terminal of this process: as large as it is now, and with pastes of any size in one piece.
import { ProcessTerminal } from "@earendil-works/pi-tui";
import { PasteCollector } from "./paste-collector.ts";
import type { MeasuredTerminal } from "./size-watch.ts";

export class ScreenTerminal extends ProcessTerminal implements MeasuredTerminal {
  #collect: ((chunk: string) => void) | undefined;
  #size: readonly [columns: number, rows: number] | undefined;

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin } = process;
    const before = stdin.listeners("data");
    super.start(onInput, onResize);
    const added = stdin.listeners("data").filter((listener) => !before.includes(listener));
    const collector = new PasteCollector();
    // The reader looks through all of a paste again with each piece of it, which takes seconds for megabytes.
    let isAhead = true;
    this.#collect = (chunk) => {
      // Until now Enter was a line feed, which is Ctrl-J from here on.
      const whole = collector.push(isAhead ? chunk.replaceAll("\n", "\r") : chunk);
      if (whole !== undefined) for (const listener of added) listener.call(stdin, whole);
    };
    for (const listener of added) stdin.off("data", listener as (chunk: string) => void);
    stdin.on("data", this.#collect);
    // What was typed before is read within one round of the event loop.
    setImmediate(() => setImmediate(() => (isAhead = false)));
  }

  override stop(): void {
    if (this.#collect !== undefined) process.stdin.off("data", this.#collect);
    this.#collect = undefined;
    super.stop();
  }

  /**
   * Asks the system. The process hears of a new size some time after the terminal has wrapped its lines anew, and what is
   * drawn over them by then would stand in the wrong place.
   */
  measure(): void {
    try {
      this.#size = process.stdout.getWindowSize();
    } catch {
      // A terminal that is gone has the size that it had.
    }
  }

  override get columns(): number {
    return this.#size?.[0] || super.columns;
  }

  override get rows(): number {
    return this.#size?.[1] || super.rows;
  }
}
