// The children that run, a line each, with their time; part of what is drawn again and again.
import type { Component } from "@earendil-works/pi-tui";
import type { SubagentTask } from "../../base/events.ts";
import { cutToWidth, toOneLine } from "../../base/terminal-text.ts";
import { renderSeconds } from "./activity.ts";
import type { Palette } from "./styled-line.ts";

/** Lines that they may take at most. */
const mostLines = 4;
const redrawMs = 1000;

export class Children implements Component {
  readonly #palette: Palette;
  readonly #redraw: () => void;
  readonly #running = new Map<string, { label: string; startedAt: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(palette: Palette, redraw: () => void) {
    this.#palette = palette;
    this.#redraw = redraw;
  }

  get count(): number {
    return this.#running.size;
  }

  begin({ task_id: id, description }: SubagentTask): void {
    this.#running.set(id, { label: toOneLine(description), startedAt: performance.now() });
    this.#timer ??= setInterval(this.#redraw, redrawMs).unref();
    this.#redraw();
  }

  end({ task_id: id }: SubagentTask): void {
    this.#running.delete(id);
    if (this.#running.size === 0) this.stop();
    this.#redraw();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  render(columns: number): string[] {
    const running = [...this.#running.values()];
    const shown = running.length > mostLines ? running.slice(0, mostLines - 1) : running;
    const lines = shown.map(({ label, startedAt }) => {
      const elapsed = performance.now() - startedAt;
      const time = elapsed < 1000 ? "" : ` ${renderSeconds(elapsed)}`;
      return `${cutToWidth(`  subagent ${label}`, Math.max(columns - time.length, 1))}${time}`;
    });
    const more = running.length - shown.length;
    if (more > 0) lines.push(`  and ${more} more`);
    return lines.map((line) => this.#palette.dim(cutToWidth(line, columns)));
  }

  invalidate(): void {}
}
