// The view of a real terminal: answers stream above a live part with the spinner, the input and the bottom line.
import { ProcessTerminal, setCapabilities, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { StreamEvent } from "../../base/events.ts";
import type { JsonObject } from "../../base/json.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { StreamOutput, TextOutput } from "../../base/text-output.ts";
import { renderToolLine } from "../../base/tool-line.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { Activity } from "./activity.ts";
import { AnswerStream } from "./answer-stream.ts";
import { BottomLine } from "./bottom-line.ts";
import { LiveScreen } from "./live-screen.ts";
import { MessageEditor } from "./message-editor.ts";
import { createPalette, markdownTheme, type Palette } from "./styled-line.ts";
import type { ChatView, ViewKeys } from "./view.ts";

export interface ScreenViewOptions extends ViewKeys {
  /** The terminal that is drawn on. */
  answers: TextOutput;
  /** Gets what is to be said while the screen is not open. */
  progress: StreamOutput;
}

/** Dispose it: that gives the terminal back. */
export function createScreenView(options: ScreenViewOptions): ChatView {
  // Links that go elsewhere than they say, and pictures, are not for what models write.
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  return new ScreenView(options);
}

class ScreenView implements ChatView {
  readonly isInteractive = true;
  readonly lines = new AsyncQueue<string>();
  readonly notices: StreamOutput;
  readonly ask = undefined;
  readonly #palette: Palette;
  readonly #screen = new LiveScreen(new ProcessTerminal());
  readonly #editor: MessageEditor;
  readonly #activity: Activity;
  readonly #bottom: BottomLine;
  readonly #answer: AnswerStream;
  /** Calls that run, by id. */
  readonly #calls = new Map<string, { name: string; arguments: JsonObject }>();
  #isOpen = false;
  /** What has streamed since the last line of something else. */
  #streamed = "";
  #shownText = "";
  #shownError: string | undefined;

  constructor({ answers, progress, onInterrupt }: ScreenViewOptions) {
    this.#palette = createPalette(answers.hasColours);
    this.#answer = new AnswerStream(markdownTheme(this.#palette));
    this.#activity = new Activity(this.#palette, () => this.#screen.requestRender());
    this.#bottom = new BottomLine(this.#palette, this.#activity);
    this.#editor = new MessageEditor(this.#screen, this.#palette, {
      onMessage: (text) => this.#hear(text),
      onInterrupt,
      onLeave: () => this.lines.end(),
      onSuspend: () => this.#suspend(),
    });
    const open = { render: (columns: number) => this.#renderOpen(columns), invalidate: () => undefined };
    for (const part of [open, this.#activity, this.#editor, this.#bottom]) this.#screen.addChild(part);
    const write = (text: string) => {
      if (this.#isOpen && progress.isTerminal) this.#write(text.replace(/\n$/, ""));
      else progress.write(text);
    };
    this.notices = Object.create(progress, { write: { value: write } }) as StreamOutput;
  }

  async open(runtime: Runtime): Promise<void> {
    this.#bottom.model = runtime.settings.model;
    this.#isOpen = true;
    this.#screen.start();
    this.#screen.setFocus(this.#editor);
  }

  prompt(): void {
    this.#endText();
    this.#activity.stop();
  }

  started(): void {
    this.#activity.start("thinking");
  }

  show(event: StreamEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#streamed += event.delta;
        this.#answer.push(neutralise(event.delta));
        this.#activity.say("answering");
        break;
      case "reasoning-delta":
        this.#activity.say("thinking");
        break;
      case "tool-call":
        this.#calls.set(event.id, { name: event.name, arguments: event.arguments });
        this.#sayCalls();
        break;
      case "tool-result":
        this.#showResult(event);
        break;
      case "usage":
        this.#bottom.add(event.usage);
        break;
      case "notice":
        this.note(event.message);
        break;
      case "error":
        this.#showError(event.message);
        break;
      case "subagent-started":
        this.#bottom.children += 1;
        break;
      case "subagent-finished":
        this.#bottom.children -= 1;
        break;
      case "step-finished":
        this.#endText();
        this.#activity.say("thinking");
        break;
      case "final":
        this.#endText();
        this.#calls.clear();
        break;
    }
    this.#screen.requestRender();
  }

  answer(text: string): void {
    this.#endText();
    if (text === "" || this.#shownText.trim() === text.trim()) return;
    this.#answer.push(neutralise(text));
    this.#endText();
  }

  error(text: string): void {
    if (this.#shownError !== text) this.#showError(text);
  }

  note(text: string): void {
    this.#write(text, this.#palette.dim);
  }

  [Symbol.dispose](): void {
    this.#activity.stop();
    if (!this.#isOpen) return;
    this.#endText();
    this.#isOpen = false;
    this.#screen.stop();
  }

  #hear(text: string): void {
    this.#shownError = undefined;
    this.#shownText = "";
    const [first = "", ...rest] = neutralise(text).split("\n");
    this.#write([`> ${first}`, ...rest.map((line) => `  ${line}`)].join("\n"), this.#palette.bold);
    this.lines.push(text);
  }

  #renderOpen(columns: number): readonly string[] {
    const finished = this.#answer.takeFinished(columns);
    this.#screen.finish(finished);
    const lines = this.#answer.renderOpen(columns);
    const most = Math.max(3, Math.min(16, this.#screen.terminal.rows - 8));
    return lines.slice(-most);
  }

  #sayCalls(): void {
    this.#endText();
    const [call] = this.#calls.values();
    if (call === undefined) this.#activity.say("thinking");
    else this.#activity.say(renderToolLine(call, 400));
  }

  #showResult({ id, name, text, is_error: isError, elapsed_ms: elapsedMs }: StreamEvent & { type: "tool-result" }) {
    const args = this.#calls.get(id)?.arguments ?? {};
    this.#calls.delete(id);
    const columns = this.#screen.room - 2;
    const line = renderToolLine({ name, arguments: args, result: { text, isError, elapsedMs } }, columns);
    this.#endText();
    this.#screen.finish([isError ? this.#palette.red(`  ${line}`) : this.#palette.dim(`  ${line}`)]);
    this.#sayCalls();
  }

  #showError(text: string): void {
    this.#shownError = text;
    this.#write(`bub: ${text}`, this.#palette.red);
  }

  /** Text that is not the answer, below what the answer said so far. */
  #write(text: string, paint = (line: string) => line): void {
    this.#endText();
    const lines = neutralise(text).split("\n");
    this.#screen.finish(lines.flatMap((line) => wrapTextWithAnsi(line, this.#screen.room)).map(paint));
  }

  #endText(): void {
    if (this.#streamed.trim() !== "") this.#shownText = this.#streamed;
    this.#streamed = "";
    if (!this.#isOpen) return;
    this.#screen.finish(this.#answer.end(this.#screen.room));
  }

  #suspend(): void {
    this.#screen.stop();
    process.once("SIGCONT", () => {
      if (!this.#isOpen) return;
      this.#screen.start();
    });
    process.kill(process.pid, "SIGTSTP");
  }
}
