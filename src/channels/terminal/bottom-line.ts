// The last line of the screen: model, tokens, how much of them came from the provider's cache, cost, children, elapsed time.
import type { Component } from "@earendil-works/pi-tui";
import { counted } from "../../base/amounts.ts";
import { cutToWidth, neutralise, widthOf } from "../../base/terminal-text.ts";
import { type Activity, renderSeconds } from "./activity.ts";
import type { Children } from "./children.ts";
import type { Spending } from "./spending.ts";
import type { Palette } from "./styled-line.ts";

export interface BottomLineParts {
  readonly activity: Activity;
  readonly children: Children;
  readonly spending: Spending;
  /** What stands there instead while it is not empty. */
  readonly hint: () => string;
}

export class BottomLine implements Component {
  /** `provider:model`. */
  model = "";
  readonly #palette: Palette;
  readonly #parts: BottomLineParts;

  constructor(palette: Palette, parts: BottomLineParts) {
    this.#palette = palette;
    this.#parts = parts;
  }

  render(columns: number): string[] {
    const hint = this.#parts.hint();
    if (hint !== "") return [this.#palette.dim(cutToWidth(hint, columns))];
    // The model comes last where there is no room for all: it is the longest, and known.
    const facts = this.#facts();
    const room = columns - facts.reduce((sum, fact) => sum + widthOf(fact) + 3, 0);
    const model = room < 8 ? [] : [cutToWidth(neutralise(this.model), room)];
    return [this.#palette.dim(cutToWidth([...model, ...facts].join(" · "), columns))];
  }

  invalidate(): void {}

  #facts(): string[] {
    const { activity, children, spending } = this.#parts;
    const { input_tokens: input = 0, output_tokens: output = 0, cached_tokens: cached = 0 } = spending.usage;
    const facts: string[] = [];
    if (input + output > 0) facts.push(`${renderCount(input)} in`, `${renderCount(output)} out`);
    if (input > 0) facts.push(`cache ${Math.round((cached / input) * 100)}%`);
    if (spending.cost !== undefined) facts.push(spending.cost);
    const { count } = children;
    if (count > 0) facts.push(counted(count, "subagent"));
    const { elapsedMs } = activity;
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
