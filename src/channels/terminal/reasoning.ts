// What the model thinks before it answers: one line that says how much, or all of it when the person wants to read it.
import { counted } from "../../base/amounts.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { renderDuration } from "../../base/tool-line.ts";

export class Reasoning {
  /** Whether it is shown in full. */
  isShown = false;
  #text = "";
  #startedAt = 0;
  #last = "";

  push(delta: string): void {
    if (this.#text === "") this.#startedAt = performance.now();
    this.#text += delta;
  }

  /** The lines for what was thought since the last call; none when there was nothing. @param how to see all */
  take(how: string): string[] {
    if (this.#text.trim() === "") return [];
    this.#last = neutralise(this.#text.trim());
    this.#text = "";
    if (this.isShown) return this.lastLines();
    const count = this.#last.split("\n").length;
    const time = renderDuration(performance.now() - this.#startedAt);
    return [`thought for ${time}, ${counted(count, "line")} (${how} shows)`];
  }

  /** What was thought last, in full. */
  lastLines(): string[] {
    return this.#last === "" ? [] : this.#last.split("\n");
  }
}
