// The view of dumb terminals and pipes: a line is read, what comes is written below it.
import { untilAborted } from "../../base/abort.ts";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { StreamEvent } from "../../base/events.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { type StreamOutput, styled, type TextOutput } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import { type LineInput, openLineInput } from "./line-input.ts";
import { mostNumbered, renderChoice, type SessionChoice } from "./session-choice.ts";
import type { ChatView, ViewKeys } from "./view.ts";

export interface LineViewOptions extends ViewKeys {
  input: NodeJS.ReadableStream;
  /** Where typing is echoed; none for a pipe. */
  echo?: NodeJS.WritableStream;
  answers: TextOutput;
  /** Gets tool lines and notices when it is a terminal, errors always. */
  progress: StreamOutput;
}

/** Dispose it. */
export async function openLineView({ answers, progress, ...options }: LineViewOptions): Promise<ChatView> {
  return new LineView(await openLineInput(options), answers, progress);
}

class LineView implements ChatView {
  readonly ask = undefined;
  readonly isDrawn = false;
  readonly notices: StreamOutput;
  readonly lines = new AsyncQueue<string>();
  readonly #input: LineInput;
  readonly #printer: TurnPrinter;
  /** Gets the next line in place of the conversation. */
  #takeLine: ((line: string) => void) | undefined;

  constructor(input: LineInput, answers: TextOutput, progress: StreamOutput) {
    this.#input = input;
    void this.#read();
    this.notices = progress;
    // A line that is drawn over would fight with what is being typed.
    this.#printer = new TurnPrinter({ answers, progress, showsStatus: false });
  }

  get isInteractive(): boolean {
    return this.#input.isInteractive;
  }

  async open(): Promise<void> {}

  prompt(): void {
    this.#input.prompt();
  }

  enter(): void {}

  earlier(role: "user" | "assistant", text: string): void {
    this.note(role === "user" ? `> ${text}` : text);
  }

  /** By number, or by name. */
  async pick(choices: readonly SessionChoice[], signal: AbortSignal): Promise<string | undefined> {
    const width = Math.max(this.notices.columns - 6, 20);
    const lines = choices.slice(0, mostNumbered).map((choice, index) => `${index + 1}. ${renderChoice(choice, width)}`);
    this.notices.write(`${[...lines, "Which session? Its number or its name; nothing for none."].join("\n")}\n`);
    this.prompt();
    const typed = new Promise<string>((resolve) => {
      this.#takeLine = resolve;
    });
    const answer = (await untilAborted(typed, signal).catch(() => "")).trim();
    this.#takeLine = undefined;
    return choices[Number(answer) - 1]?.id ?? choices.find(({ id }) => id === answer)?.id;
  }

  refresh(): void {}

  toggleReasoning(): string {
    return "Reasoning is shown by a terminal that can be drawn on.";
  }

  started(): void {}

  show(event: StreamEvent): void {
    this.#printer.show(event);
  }

  answer(text: string): void {
    this.#printer.answer(text);
  }

  error(text: string): void {
    this.#printer.error(text);
  }

  note(text: string): void {
    const { notices } = this;
    if (notices.isTerminal) notices.write(`${styled(notices, "dim", neutralise(text))}\n`);
  }

  async #read(): Promise<void> {
    for await (const line of this.#input.lines) {
      if (this.#takeLine === undefined) this.lines.push(line);
      else this.#takeLine(line);
      this.#takeLine = undefined;
    }
    this.#takeLine?.("");
    this.lines.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whatever comes next shall not stand behind the prompt.
    if (this.isInteractive) this.notices.write("\n");
    this.#input[Symbol.dispose]();
  }
}
