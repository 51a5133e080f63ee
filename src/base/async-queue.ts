// Values handed from callbacks to one reader that waits for them.
export class AsyncQueue<Value> implements AsyncIterable<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  push(value: Value): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /** Lets the reader finish after what was pushed so far. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift() as Value;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
