// Puts a paste that arrives in many pieces together, so that whoever reads keys gets it at once.
const begin = "\u001b[200~";
const end = "\u001b[201~";

export class PasteCollector {
  /** Pieces since a paste began; undefined outside of one. */
  #pieces: string[] | undefined;
  /** The end of the last pieces: the closing bracket may be cut anywhere. */
  #tail = "";

  /** What can be read now; undefined in the midst of a paste. @param chunk as it came from the terminal */
  push(chunk: string): string | undefined {
    if (this.#pieces === undefined) {
      // A bracket that is itself cut in two is left to the reader, which puts up with it.
      const start = chunk.lastIndexOf(begin);
      if (start < 0 || chunk.indexOf(end, start) >= 0) return chunk;
      this.#pieces = [];
    }
    this.#pieces.push(chunk);
    this.#tail = (this.#tail + chunk).slice(-(chunk.length + end.length));
    if (!this.#tail.includes(end)) return undefined;
    const whole = this.#pieces.join("");
    this.#pieces = undefined;
    this.#tail = "";
    return whole;
  }
}
