// A question to the person, answered by one key: shown folded above the input until it is answered or withdrawn.
import { type Component, matchesKey } from "@earendil-works/pi-tui";
import { neutralise } from "../../base/terminal-text.ts";
import type { Ask } from "../../kernel/envelope.ts";
import { fold, paintDiff } from "./folded.ts";
import type { Palette } from "./styled-line.ts";

/** Keys count only after nothing was typed for so long: who was writing a message shall not answer by accident. */
const quietMs = 400;

interface Pending {
  readonly lines: readonly string[];
  readonly choices: readonly string[];
  readonly answer: (choice: string | undefined) => void;
  isUnfolded: boolean;
}

export interface QuestionPlace {
  redraw: () => void;
  /** Gets the question with its answer, for the scrollback. */
  settle: (lines: readonly string[]) => void;
}

export class Questions implements Component {
  readonly #palette: Palette;
  readonly #place: QuestionPlace;
  readonly #pending: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(palette: Palette, place: QuestionPlace) {
    this.#palette = palette;
    this.#place = place;
  }

  readonly ask: Ask = (text, choices, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const withdraw = () => {
        this.#remove(pending);
        reject(signal.reason);
      };
      const answer = (choice: string | undefined) => {
        signal.removeEventListener("abort", withdraw);
        this.#remove(pending);
        this.#place.settle([...this.#shownLines(pending), this.#palette.bold(`→ ${choice}`)]);
        resolve(choice);
      };
      const pending: Pending = { lines: neutralise(text).split("\n"), choices, answer, isUnfolded: false };
      signal.addEventListener("abort", withdraw, { once: true });
      this.#pending.push(pending);
      this.#waitForQuiet();
      this.#place.redraw();
    });

  /** True when the key was for the question. */
  takeKey(key: string): boolean {
    const [pending] = this.#pending;
    if (pending === undefined || matchesKey(key, "ctrl+c") || matchesKey(key, "ctrl+d")) return false;
    if (this.#timer !== undefined) {
      this.#waitForQuiet();
      return false;
    }
    const choice = pending.choices.find((name) => name.startsWith(key));
    if (key === "f") pending.isUnfolded = !pending.isUnfolded;
    else if (choice !== undefined) pending.answer(choice);
    this.#place.redraw();
    return true;
  }

  render(): string[] {
    const [pending] = this.#pending;
    if (pending === undefined) return [];
    const keys = pending.choices.map((name) => `[${name[0]}]${name.slice(1)}`).join("  ");
    return ["", ...this.#shownLines(pending), this.#timer === undefined ? this.#palette.bold(keys) : ""];
  }

  invalidate(): void {}

  #shownLines({ lines: [first = "", ...rest], isUnfolded }: Pending): string[] {
    const shown = isUnfolded ? rest : fold(rest, "f shows all");
    return [this.#palette.bold(first), ...shown.map((line) => paintDiff(line, this.#palette))];
  }

  #remove(pending: Pending): void {
    const index = this.#pending.indexOf(pending);
    if (index >= 0) this.#pending.splice(index, 1);
    if (this.#pending.length > 0) this.#waitForQuiet();
    this.#place.redraw();
  }

  #waitForQuiet(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#place.redraw();
    }, quietMs);
    this.#timer.unref();
  }
}
