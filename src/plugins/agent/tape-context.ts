// Follows the tape during a run: the conversation so far, kept and extended, never built again without need.
import type { ModelCall, ModelMessage } from "../../model/model.ts";
import type { Tape } from "../../tape/tape.ts";
import { ContextBuilder } from "./context.ts";

export class TapeContext {
  readonly #tape: Tape;
  #builder = new ContextBuilder();
  #anchor: number | undefined;
  /** How many of the tape's recent entries are read. */
  #read = 0;
  #system: string | undefined;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  /** The same array from step to step, longer each time, until an anchor begins a new one. */
  get messages(): readonly ModelMessage[] {
    this.#follow();
    return this.#builder.messages;
  }

  get openCalls(): readonly ModelCall[] {
    this.#follow();
    return this.#builder.openCalls;
  }

  /** The system prompt that was recorded since the last anchor. */
  get system(): string | undefined {
    this.#follow();
    return this.#system;
  }

  #follow(): void {
    const { recent, lastAnchor } = this.#tape;
    if (lastAnchor?.id !== this.#anchor) {
      this.#builder = new ContextBuilder();
      this.#anchor = lastAnchor?.id;
      this.#system = undefined;
      this.#read = 0;
    }
    for (; this.#read < recent.length; this.#read++) {
      const entry = recent[this.#read];
      if (entry === undefined) continue;
      if (entry.kind === "system" && typeof entry.payload.content === "string") this.#system = entry.payload.content;
      this.#builder.push(entry);
    }
  }
}
