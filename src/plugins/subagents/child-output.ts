// What a child has said, for a task that does not come to its answer.
import type { StreamEvent } from "../../base/events.ts";

export class ChildOutput {
  #text = "";
  #step: string | undefined;

  see(event: StreamEvent): void {
    if (event.type !== "text-delta") return;
    // Each step begins its text anew; one without text leaves the one before.
    if (event.run_id !== this.#step) this.#text = "";
    this.#step = event.run_id;
    this.#text += event.delta;
  }

  /** The text of the last step that said something. */
  get text(): string {
    return this.#text;
  }
}
