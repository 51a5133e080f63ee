// The last line of the screen: model, tokens, how much of them came from the provider's cache, children, elapsed time.
import type { Component } from "@earendil-works/pi-tui";
import { addUsage, type Usage } from "../../base/events.ts";
import { cutToWidth, neutralise } from "../../base/terminal-text.ts";
import { type Activity, renderSeconds } from "./activity.ts";
import type { Children } from "./children.ts";
import type { Palette } from "./styled-line.ts";

export class BottomLine implements Component {
  /** `provider:model`. */
  model = "";
  readonly #palette: Palette;
  readonly #activity: Activity;
  readonly #children: Children;
  readonly #usage: Usage = {};

  constructor(palette: Palette, activity: Activity, children: Children) {
    this.#palette = palette;
    this.#activity = activity;
    this.#children = children;
  }

  /** @param usage of one more model call */
  add(usage: Usage): void {
    addUsage(this.#usage, usage);
  }

  render(columns: number): string[] {
    // The model comes last where there is no room for all: it is the longest, and known.
    const facts = this.#facts();
    const room = columns - facts.reduce((sum, fact) => sum + fact.length + 3, 0);
    const model = room < 8 ? [] : [cutToWidth(neutralise(this.model), room)];
    return [this.#palette.dim(cutToWidth([...model, ...facts].join(" · "), columns))];
  }

  invalidate(): void {}

  #facts(): string[] {
    const { input_tokens: input = 0, output_tokens: output = 0, cached_tokens: cached = 0 } = this.#usage;
    const facts: string[] = [];
    if (input + output > 0) facts.push(`${renderCount(input)} in`, `${renderCount(output)} out`);
    if (input > 0) facts.push(`cache ${Math.round((cached / input) * 100)}%`);
    const { count } = this.#children;
    if (count > 0) facts.push(`${count} ${count === 1 ? "subagent" : "subagents"}`);
    const { elapsedMs } = this.#activity;
    if (elapsedMs >= 1000) facts.push(renderSeconds(elapsedMs));
    return facts;
  }
}

/** `950`, `1.2k`, `34k`, `1.2M`. */
function renderCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1_000_000 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
}
