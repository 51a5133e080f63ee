// A list of sessions to choose one from: typing filters it, Enter takes, Esc leaves.
import { type Component, CURSOR_MARKER, type Focusable, matchesKey } from "@earendil-works/pi-tui";
import { cutToWidth, neutralise } from "../../base/terminal-text.ts";
import { renderChoice, type SessionChoice } from "./session-choice.ts";
import type { Palette } from "./styled-line.ts";

export interface SessionPickerPlace {
  /** Rows of the screen. */
  rows: () => number;
  redraw: () => void;
  /** Gets the id, or undefined when none was wanted. */
  done: (id: string | undefined) => void;
}

const mostRows = 12;

export class SessionPicker implements Component, Focusable {
  focused = false;
  readonly #choices: readonly SessionChoice[];
  readonly #palette: Palette;
  readonly #place: SessionPickerPlace;
  #filter = "";
  #selected = 0;

  constructor(choices: readonly SessionChoice[], palette: Palette, place: SessionPickerPlace) {
    this.#choices = choices;
    this.#palette = palette;
    this.#place = place;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c") || matchesKey(data, "ctrl+d"))
      this.#place.done(undefined);
    else if (matchesKey(data, "enter")) this.#take();
    else if (matchesKey(data, "up") || matchesKey(data, "ctrl+p")) this.#move(-1);
    else if (matchesKey(data, "down") || matchesKey(data, "ctrl+n")) this.#move(1);
    else if (matchesKey(data, "pageUp")) this.#move(-mostRows);
    else if (matchesKey(data, "pageDown")) this.#move(mostRows);
    else if (matchesKey(data, "backspace")) this.#filterBy(this.#filter.slice(0, -1));
    else if (matchesKey(data, "ctrl+u")) this.#filterBy("");
    else this.#filterBy(this.#filter + typedText(data));
    this.#place.redraw();
  }

  render(columns: number): string[] {
    const { bold, dim } = this.#palette;
    const fitting = this.#fitting();
    this.#selected = Math.max(0, Math.min(this.#selected, fitting.length - 1));
    const rows = Math.max(1, Math.min(mostRows, this.#place.rows() - 6));
    const from = Math.max(0, Math.min(this.#selected - (rows >> 1), fitting.length - rows));
    const lines = fitting.slice(from, from + rows).map((choice, index) => {
      const isSelected = from + index === this.#selected;
      const line = `${isSelected ? "→ " : "  "}${renderChoice(choice, columns - 2)}`;
      return isSelected ? bold(line) : line;
    });
    return [
      "",
      bold(cutToWidth("Go on with which session?", columns)),
      cutToWidth(`> ${neutralise(this.#filter)}`, columns - 1) + CURSOR_MARKER,
      ...(lines.length === 0 ? [dim(cutToWidth("  no session fits", columns))] : lines),
      dim(
        cutToWidth(`${fitting.length} of ${this.#choices.length} · type to filter · Enter takes · Esc leaves`, columns),
      ),
    ];
  }

  invalidate(): void {}

  #fitting(): SessionChoice[] {
    const words = this.#filter.toLowerCase().split(/\s+/);
    return this.#choices.filter(({ id, title }) => {
      const text = `${id} ${title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #take(): void {
    const choice = this.#fitting()[this.#selected];
    if (choice !== undefined) this.#place.done(choice.id);
  }

  #move(rows: number): void {
    this.#selected += rows;
  }

  #filterBy(filter: string): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.#selected = 0;
  }
}

/** What is typed or pasted, without keys that are no text. */
function typedText(data: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys and brackets of a paste begin with them
  const text = data.replace(/\x1b\[20[01]~/g, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: any other key is none of ours
  return /\x1b/.test(text) ? "" : text.replace(/[\x00-\x1f\x7f]/g, "");
}
