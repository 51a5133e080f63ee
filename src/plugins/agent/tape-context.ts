// Follows the tape during a run: the conversation so far, kept and extended, never built again without need.
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { ModelCall, ModelMessage } from "../../model/model.ts";
import { eventData, type TapeEntry } from "../../tape/entry.ts";
import type { Tape } from "../../tape/tape.ts";
import { ContextBuilder } from "./context.ts";
import { mediaRejected, RejectedMedia } from "./rejected-media.ts";
import type { Measured } from "./tokens.ts";

export class TapeContext {
  readonly #tape: Tape;
  #builder = new ContextBuilder();
  /** The tape's array that is read: an anchor, or a reset, begins another one. */
  #recent: readonly TapeEntry[] | undefined;
  /** How many of its entries are read. */
  #read = 0;
  #system: string | undefined;
  #rejected = new RejectedMedia();
  /** The last answer that was written here, not copied here: only its usage speaks of this conversation. */
  #answer: { readonly runId: JsonValue | undefined; readonly messages: number } | undefined;
  #measured: Measured | undefined;

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

  /** Media that models refused since the last anchor. */
  get rejected(): RejectedMedia {
    this.#follow();
    return this.#rejected;
  }

  /** What a provider counted last, since the last anchor. */
  get measured(): Measured | undefined {
    this.#follow();
    return this.#measured;
  }

  #follow(): void {
    const { recent } = this.#tape;
    if (recent !== this.#recent) {
      this.#builder = new ContextBuilder();
      this.#recent = recent;
      this.#system = undefined;
      this.#rejected = new RejectedMedia();
      this.#answer = undefined;
      this.#measured = undefined;
      this.#read = 0;
    }
    for (; this.#read < recent.length; this.#read++) {
      const entry = recent[this.#read];
      if (entry === undefined) continue;
      if (entry.kind === "system" && typeof entry.payload.content === "string") this.#system = entry.payload.content;
      this.#builder.push(entry);
      this.#measure(entry);
      const rejection = eventData(entry, mediaRejected);
      if (rejection !== undefined) this.#rejected.add(rejection);
    }
  }

  #measure(entry: TapeEntry): void {
    const { kind, payload, meta } = entry;
    if (meta.carried === true || meta.context === false) return;
    const isAnswer = kind === "tool_call" || (kind === "message" && payload.role === "assistant");
    if (isAnswer) this.#answer = { runId: meta.run_id, messages: this.#builder.length };
    const tokens = tokensIn(eventData(entry, "run")?.usage);
    if (tokens !== undefined && this.#answer !== undefined && this.#answer.runId === meta.run_id)
      this.#measured = { tokens, messages: this.#answer.messages };
  }
}

/** Tokens of a request and its answer together. */
function tokensIn(usage: JsonValue | undefined): number | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { total_tokens: total, input_tokens: input, output_tokens: output } = usage;
  if (typeof total === "number") return total;
  return typeof input === "number" ? input + (typeof output === "number" ? output : 0) : undefined;
}
