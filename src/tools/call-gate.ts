// Lets calls in by the order of their arrival: many at once up to a limit, an exclusive one alone.

interface Waiting {
  readonly exclusive: boolean;
  enter(): void;
}

/** One gate a step; code has its own for the calls that it makes. */
export class CallGate {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #inside = 0;
  #exclusiveInside = false;

  /** @param limit how many calls run at once */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = Math.max(1, limit);
  }

  /**
   * Runs `work` when its turn comes. An exclusive one waits for all that came earlier and holds all that come later.
   * What waits here is not cancelled: `work` itself looks at its signal when it is let in.
   */
  async pass<Value>(exclusive: boolean, work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ exclusive, enter });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      this.#exclusiveInside = false;
      this.#admit();
    }
  }

  #admit(): void {
    for (;;) {
      const first = this.#waiting[0];
      const full = this.#exclusiveInside || this.#inside >= this.#limit;
      if (first === undefined || full || (first.exclusive && this.#inside > 0)) return;
      this.#waiting.shift();
      this.#inside += 1;
      this.#exclusiveInside = first.exclusive;
      first.enter();
    }
  }
}
