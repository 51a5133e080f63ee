// The terminal of this process, as large as it is now.
import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { MeasuredTerminal } from "./live-screen.ts";

export class ScreenTerminal extends ProcessTerminal implements MeasuredTerminal {
  #size: readonly [columns: number, rows: number] | undefined;

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
