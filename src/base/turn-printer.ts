// Shows a turn's events to a person: the answer as it comes, a line for each tool call, notices and errors.
import type { StreamEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import { StatusLine } from "./status-line.ts";
import { renderTaskLine } from "./task-line.ts";
import { cutToWidth, neutralise } from "./terminal-text.ts";
import { styled, type TextOutput } from "./text-output.ts";
import { renderToolLine } from "./tool-line.ts";

export interface TurnPrinterOptions {
  /** Where the answer goes: whole and unchanged at the end, unless it streams. */
  answers: TextOutput;
  /** Where everything else goes. */
  progress: TextOutput;
  /** Tool lines, passing notices and the status line; other notices and errors are shown in any case. Default: when `progress` is a terminal. */
  showsProgress?: boolean;
  /** All that the model says is shown as it comes, made safe. Default: when `answers` is a terminal. */
  streams?: boolean;
  /** A line that is drawn over while something runs. Default true. */
  showsStatus?: boolean;
  /** Most lines of each tool's result to show, of its beginning and its end. Default 0. */
  resultLines?: number;
}

export class TurnPrinter implements Disposable {
  readonly #answers: TextOutput;
  readonly #progress: TextOutput;
  readonly #showsProgress: boolean;
  readonly #streams: boolean;
  readonly #status: StatusLine | undefined;
  readonly #resultLines: number;
  /** Calls that run, by id, oldest first. */
  readonly #running = new Map<string, { name: string; arguments: JsonObject }>();
  /** What has streamed since the last line of something else. */
  #streamed = "";
  /** The last text that streamed to its end. */
  #shownText = "";
  /** Lines from beside the run; they do not cut an answer that streams in two. */
  readonly #aside: string[] = [];
  #isBelowProgress = false;
  #shownError: string | undefined;

  constructor(options: TurnPrinterOptions) {
    const { answers, progress, showsProgress = progress.isTerminal, showsStatus = true } = options;
    this.#answers = answers;
    this.#progress = progress;
    this.#showsProgress = showsProgress;
    this.#streams = options.streams ?? answers.isTerminal;
    this.#resultLines = options.resultLines ?? 0;
    this.#status = showsProgress && showsStatus ? new StatusLine(progress) : undefined;
  }

  show(event: StreamEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#stream(event.delta);
        break;
      case "tool-call":
        this.#running.set(event.id, { name: event.name, arguments: event.arguments });
        this.#showRunning();
        break;
      case "tool-result":
        this.#showResult(event);
        break;
      case "notice":
        this.#showNotice(event);
        break;
      case "error":
        this.#showError(event.message);
        break;
      case "subagent-finished":
        this.#aside.push(`  ${renderTaskLine(event.task, this.#progress.columns - 2)}`);
        if (this.#streamed === "") this.#showAside();
        break;
      case "step-finished":
      case "final":
        this.#endLine();
        break;
    }
  }

  /** Says that the model has been asked and has not said anything yet. */
  waiting(): void {
    if (this.#streamed === "") this.#status?.show("thinking");
  }

  /** The answer as a channel delivers it; what has streamed already is not repeated. */
  answer(text: string): void {
    this.#endLine();
    if (text === "" || (this.#streams && this.#shownText.trim() === text.trim())) return;
    const line = this.#streams ? neutralise(text) : text;
    this.#answers.write(line.endsWith("\n") ? line : `${line}\n`);
  }

  /** An error as a channel delivers it; one that was an event already is not repeated. */
  error(text: string): void {
    if (this.#shownError !== text) this.#showError(text);
  }

  /** A line about what goes on, for whoever watches. */
  #note(text: string): void {
    if (this.#showsProgress) this.#writeProgress(styled(this.#progress, "dim", neutralise(text)));
  }

  [Symbol.dispose](): void {
    this.#endLine();
  }

  #stream(delta: string): void {
    if (!this.#streams) return;
    this.#status?.clear();
    if (this.#isBelowProgress) this.#answers.write("\n");
    this.#isBelowProgress = false;
    this.#streamed += delta;
    this.#answers.write(neutralise(delta));
  }

  #showRunning(): void {
    const [call] = this.#running.values();
    if (call === undefined) return;
    this.#endLine();
    this.#status?.show(renderToolLine(call, this.#progress.columns));
  }

  #showResult({
    id,
    name,
    text,
    is_error: isError,
    elapsed_ms: elapsedMs,
  }: StreamEvent & { type: "tool-result" }): void {
    const args = this.#running.get(id)?.arguments ?? {};
    this.#running.delete(id);
    if (this.#showsProgress) {
      const line = renderToolLine(
        { name, arguments: args, result: { text, isError, elapsedMs } },
        this.#progress.columns - 2,
      );
      this.#writeProgress(styled(this.#progress, isError ? "red" : "dim", `  ${line}`));
      for (const shown of this.#linesOf(text)) this.#writeProgress(styled(this.#progress, "dim", `  | ${shown}`));
    }
    this.#showRunning();
  }

  #linesOf(text: string): string[] {
    const lines = text.trimEnd().split("\n");
    const most = this.#resultLines;
    if (most === 0) return [];
    const tail = Math.floor(most / 3);
    const left = lines.length - most;
    const shown = left > 1 ? [...lines.slice(0, most - tail), `… ${left} lines`, ...lines.slice(-tail)] : lines;
    return shown.map((line) => cutToWidth(neutralise(line.replaceAll("\t", "  ")), this.#progress.columns - 5));
  }

  /** An answer that was cut, or another model's: also who reads a log has to know. */
  #showNotice({ message, is_passing: isPassing }: StreamEvent & { type: "notice" }): void {
    if (this.#showsProgress) this.#note(message);
    else if (!isPassing) this.#writeProgress(`bub: ${neutralise(message)}`);
  }

  #showError(text: string): void {
    this.#shownError = text;
    this.#writeProgress(styled(this.#progress, "red", `bub: ${neutralise(text)}`));
  }

  #writeProgress(line: string): void {
    this.#endLine();
    this.#progress.write(`${line}\n`);
    this.#isBelowProgress = true;
  }

  /** Whatever comes next starts on a line of its own. */
  #endLine(): void {
    this.#status?.clear();
    if (this.#streamed === "") return;
    if (!this.#streamed.endsWith("\n")) this.#answers.write("\n");
    this.#shownText = this.#streamed;
    this.#streamed = "";
    this.#showAside();
  }

  #showAside(): void {
    for (const line of this.#aside.splice(0)) this.#note(line);
  }
}
