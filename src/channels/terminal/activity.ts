// The line that says what goes on right now and for how long, with a spinner.
import type { Component } from "@earendil-works/pi-tui";
import { cutToWidth, neutralise } from "../../base/terminal-text.ts";
import { renderDuration } from "../../base/tool-line.ts";
import type { Palette } from "./styled-line.ts";

const pictures = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const pictureMs = 100;

/** Whole seconds: `2 s`, `1 min 5 s`. */
export function renderSeconds(milliseconds: number): string {
  return renderDuration(Math.floor(milliseconds / 1000) * 1000).replace(".0 s", " s");
}

export class Activity implements Component {
  readonly #palette: Palette;
  readonly #redraw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #text = "";
  /** Of what is said now, and of all since somebody began to wait. */
  #saidAt = 0;
  #startedAt: number | undefined;
  #lastElapsed = 0;

  constructor(palette: Palette, redraw: () => void) {
    this.#palette = palette;
    this.#redraw = redraw;
  }

  /** Milliseconds that the run takes, or the last one took. */
  get elapsedMs(): number {
    return this.#startedAt === undefined ? this.#lastElapsed : performance.now() - this.#startedAt;
  }

  get isOn(): boolean {
    return this.#startedAt !== undefined;
  }

  /** Begins, unless it has begun. */
  start(text: string): void {
    if (this.isOn) return;
    this.#startedAt = performance.now();
    this.say(text);
    this.#timer ??= setInterval(this.#redraw, pictureMs).unref();
  }

  /** Changes what is said; nothing when nothing runs. */
  say(text: string): void {
    if (!this.isOn || text === this.#text) return;
    this.#text = text;
    this.#saidAt = performance.now();
    this.#redraw();
  }

  stop(): void {
    this.#lastElapsed = this.elapsedMs;
    this.#startedAt = undefined;
    this.#text = "";
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#redraw();
  }

  render(columns: number): string[] {
    if (!this.isOn) return [""];
    const now = performance.now();
    const picture = pictures[Math.floor(now / pictureMs) % pictures.length];
    const time = ` ${renderSeconds(now - this.#saidAt)}`;
    const text = cutToWidth(neutralise(this.#text), columns - time.length - 2);
    return ["", this.#palette.dim(`${picture} ${text}${now - this.#saidAt < 1000 ? "" : time}`)];
  }

  invalidate(): void {}
}
