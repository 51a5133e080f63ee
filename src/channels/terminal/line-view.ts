// The view of dumb terminals and pipes: a line is read, what comes is written below it.
import { untilAborted } from "../../base/abort.ts";
import type { StreamEvent } from "../../base/events.ts";
import { neutralise } from "../../base/terminal-text.ts";
import { type StreamOutput, styled, type TextOutput } from "../../base/text-output.ts";
import { TurnPrinter } from "../../base/turn-printer.ts";
import { type LineInput, openLineInput } from "./line-input.ts";
import { renderChoice, type SessionChoice } from "./session-choice.ts";
import type { ChatView, ViewKeys } from "./view.ts";

/** Sessions that are offered by number. */
const mostChoices = 20;

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
  readonly #input: LineInput;
  readonly #printer: TurnPrinter;
  /** One for all who read lines, one after the other. */
  readonly #lines: AsyncIterator<string>;

  constructor(input: LineInput, answers: TextOutput, progress: StreamOutput) {
    this.#input = input;
    this.#lines = input.lines[Symbol.asyncIterator]();
    this.notices = progress;
    // A line that is drawn over would fight with what is being typed.
    this.#printer = new TurnPrinter({ answers, progress, showsStatus: false });
  }

  get isInteractive(): boolean {
    return this.#input.isInteractive;
  }

  readonly lines: AsyncIterable<string> = { [Symbol.asyncIterator]: () => this.#lines };

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
    const lines = choices.slice(0, mostChoices).map((choice, index) => `${index + 1}. ${renderChoice(choice, width)}`);
    this.notices.write(`${[...lines, "Which session? Its number or its name; nothing for none."].join("\n")}\n`);
    this.prompt();
    const typed = await untilAborted(this.#lines.next(), signal).catch(() => undefined);
    const answer = typed === undefined || typed.done === true ? "" : typed.value.trim();
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

  [Symbol.dispose](): void {
    // Whatever comes next shall not stand behind the prompt.
    if (this.isInteractive) this.notices.write("\n");
    this.#input[Symbol.dispose]();
  }
}
