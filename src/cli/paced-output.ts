// Writes much to a stream without holding it all: waits for whoever reads it.
import type { StreamOutput } from "../base/text-output.ts";

const mostWaiting = 256 * 1024;

export class PacedOutput {
  readonly #output: StreamOutput;
  #waiting = 0;

  constructor(output: StreamOutput) {
    this.#output = output;
  }

  /** Resolves when there is room for more. */
  async write(text: string): Promise<void> {
    this.#output.write(text);
    this.#waiting += text.length;
    if (this.#waiting < mostWaiting) return;
    await this.#output.drained();
    this.#waiting = 0;
  }
}
