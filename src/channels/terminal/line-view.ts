// The view of dumb terminals and pipes: a line is read, what comes is written below it.
import type { StreamEvent } from "../../base/events.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { type StreamOutput, styled, type TextOutput } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import { type LineInput, openLineInput } from "./line-input.ts";
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
  readonly notices: StreamOutput;
  readonly #input: LineInput;
  readonly #printer: TurnPrinter;

  constructor(input: LineInput, answers: TextOutput, progress: StreamOutput) {
    this.#input = input;
    this.notices = progress;
    // A line that is drawn over would fight with what is being typed.
    this.#printer = new TurnPrinter({ answers, progress, showsStatus: false });
  }

  get isInteractive(): boolean {
    return this.#input.isInteractive;
  }

  get lines(): AsyncIterable<string> {
    return this.#input.lines;
  }

  async open(): Promise<void> {}

  prompt(): void {
    this.#input.prompt();
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

  [Symbol.dispose](): void {
    // Whatever comes next shall not stand behind the prompt.
    if (this.isInteractive) this.notices.write("\n");
    this.#input[Symbol.dispose]();
  }
}
