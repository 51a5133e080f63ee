// Notices a run that makes the same call with the same result again and again.

/** Tools whose repetition is waiting, not looping. */
const waitingTools = new Set(["bash.output", "subagent.wait"]);

export type GuardVerdict = "go" | "warn" | "stop";

export class LoopGuard {
  #last = "";
  #count = 0;

  /** @param limit the repetition that is warned of; the next one stops the run; 0 never does */
  constructor(readonly limit: number) {}

  /** Judges one finished call, in the order of the calls. */
  see(tool: string, args: unknown, result: string): GuardVerdict {
    if (this.limit === 0 || waitingTools.has(tool)) return "go";
    const seen = JSON.stringify([tool, args, result]);
    this.#count = seen === this.#last ? this.#count + 1 : 1;
    this.#last = seen;
    if (this.#count > this.limit) return "stop";
    return this.#count === this.limit ? "warn" : "go";
  }

  /** What the warned result carries. */
  get warning(): string {
    return `[warning] This call gave the same result ${this.limit} times in a row. Do something else: the run ends if it happens again.`;
  }
}
