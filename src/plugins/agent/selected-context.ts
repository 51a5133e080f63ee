// The conversation of another part of the tape than what follows the last anchor: after a named anchor, or all of it.
import type { ContextSelection } from "../../kernel/hooks.ts";
import type { ModelMessage } from "../../model/model.ts";
import type { TapeEntry } from "../../tape/entry.ts";
import type { Tape } from "../../tape/tape.ts";
import { ContextBuilder } from "./context.ts";

type Anchor = Exclude<ContextSelection["anchor"], "last">;

export class SelectedContext {
  readonly #tape: Tape;
  readonly #anchor: Anchor;
  #builder = new ContextBuilder();
  #entries: TapeEntry[] = [];
  #hasAnchor = false;
  /** The tape's entries as they were last read, by the array that holds the newest. */
  #recent: readonly TapeEntry[] | undefined;
  #lastId = 0;

  constructor(tape: Tape, anchor: Anchor) {
    this.#tape = tape;
    this.#anchor = anchor;
  }

  /**
   * Grows with the tape; a reset, or another anchor of the name, begins it anew.
   * @throws BubError `not_found` for an anchor that is not there
   */
  async read(signal: AbortSignal): Promise<{ entries: readonly TapeEntry[]; messages: readonly ModelMessage[] }> {
    if (this.#mustBeginAnew()) await this.#begin(signal);
    else for await (const entry of this.#tape.forward({ after: this.#lastId, signal })) this.#push(entry);
    this.#recent = this.#tape.recent;
    this.#lastId = this.#tape.lastId;
    return { entries: this.#entries, messages: this.#builder.messages };
  }

  #mustBeginAnew(): boolean {
    const { recent } = this.#tape;
    if (recent === this.#recent) return false;
    const [first] = recent;
    const isReset = this.#recent === undefined || (first?.id ?? 0) <= this.#lastId;
    return isReset || (this.#anchor !== null && first?.payload.name === this.#anchor.name);
  }

  async #begin(signal: AbortSignal): Promise<void> {
    this.#builder = new ContextBuilder({ anchors: this.#anchor === null });
    this.#entries = [];
    this.#hasAnchor = false;
    const query = this.#anchor === null ? {} : { afterAnchor: this.#anchor.name };
    for await (const entry of this.#tape.query(query, { signal })) this.#push(entry);
  }

  /** Copies behind an anchor repeat what stands before it; those behind the tape's first one repeat nothing. */
  #push(entry: TapeEntry): void {
    if (entry.kind === "anchor" && this.#entries.length > 0) this.#hasAnchor = true;
    this.#entries.push(entry);
    if (entry.meta.carried !== true || !this.#hasAnchor) this.#builder.push(entry);
  }
}
