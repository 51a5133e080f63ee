// A line of a terminal that shows how far long work is; gone before anything else is written.
import { cutToWidth } from "../base/terminal-text.ts";
import { styled, type TextOutput } from "../base/text-output.ts";

export interface ProgressBarOptions {
  /** What is going on, for example `exporting`. */
  label: string;
  /** The value at which the work is done. */
  total: number;
  /** Milliseconds; default: of this process. */
  now?: () => number;
}

/** Work that is quicker than this shows no bar. */
const quietMs = 1_000;
const betweenMs = 100;
const widest = 30;

export class ProgressBar implements Disposable {
  readonly #output: TextOutput;
  readonly #options: Required<ProgressBarOptions>;
  #nextAt: number;
  #isDrawn = false;

  constructor(output: TextOutput, { now = () => performance.now(), ...options }: ProgressBarOptions) {
    this.#output = output;
    this.#options = { ...options, now };
    this.#nextAt = now() + quietMs;
  }

  /** Cheap enough for every entry of a tape. */
  update(done: number): void {
    if (!this.#output.hasCursor) return;
    const now = this.#options.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + betweenMs;
    this.#output.write(`\r\x1b[K${styled(this.#output, "dim", this.#line(done))}`);
    this.#isDrawn = true;
  }

  [Symbol.dispose](): void {
    if (this.#isDrawn) this.#output.write("\r\x1b[K");
    this.#isDrawn = false;
  }

  #line(done: number): string {
    const { label, total } = this.#options;
    const share = Math.min(1, total > 0 ? done / total : 1);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    // A terminal wraps after its last column.
    const columns = this.#output.columns - 1;
    const room = Math.min(widest, columns - label.length - percent.length - 2);
    if (room < 5) return cutToWidth(`${label}${percent}`, columns);
    const filled = Math.round(share * room);
    return `${label} ${"█".repeat(filled)}${"░".repeat(room - filled)} ${percent}`;
  }
}
