// The view of a real terminal: answers stream above a live part with the spinner, the input and the bottom line.
import { ProcessTerminal, setCapabilities, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { StreamEvent, SubagentTask } from "../../base/events.ts";
import type { JsonObject } from "../../base/json.ts";
import { renderTaskLine } from "../../base/task-line.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { StreamOutput, TextOutput } from "../../base/text-output.ts";
import { renderToolLine } from "../../base/tool-line.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { Activity } from "./activity.ts";
import { AnswerStream } from "./answer-stream.ts";
import { BottomLine } from "./bottom-line.ts";
import { Children } from "./children.ts";
import { createCompletion } from "./completion.ts";
import { diffOfEdit, fold, paintDiff } from "./folded.ts";
import { History } from "./history.ts";
import { LiveScreen } from "./live-screen.ts";
import { MessageEditor } from "./message-editor.ts";
import { Questions } from "./question.ts";
import { Reasoning } from "./reasoning.ts";
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
  readonly ask: ChatView["ask"];
  readonly #palette: Palette;
  readonly #questions: Questions;
  readonly #reasoning = new Reasoning();
  readonly #screen = new LiveScreen(new ProcessTerminal());
  readonly #editor: MessageEditor;
  readonly #activity: Activity;
  readonly #children: Children;
  readonly #bottom: BottomLine;
  readonly #answer: AnswerStream;
  /** Calls that run, by id. */
  readonly #calls = new Map<string, { name: string; arguments: JsonObject }>();
  #history: History | undefined;
  /** The one command that is about the screen alone. */
  #thinkingCommand = "";
  #isOpen = false;
  /** What has streamed since the last line of something else. */
  #streamed = "";
  #shownText = "";
  /** Lines that came from beside the run; they do not cut an answer that streams in two. */
  readonly #aside: string[] = [];
  #shownError: string | undefined;

  constructor({ answers, progress, onInterrupt }: ScreenViewOptions) {
    this.#palette = createPalette(answers.hasColours);
    this.#answer = new AnswerStream(markdownTheme(this.#palette));
    this.#activity = new Activity(this.#palette, () => this.#screen.requestRender());
    this.#children = new Children(this.#palette, () => this.#screen.requestRender());
    this.#bottom = new BottomLine(this.#palette, this.#activity, this.#children);
    this.#questions = new Questions(this.#palette, {
      redraw: () => this.#screen.requestRender(),
      settle: (lines) => this.#writeLines(["", ...lines]),
    });
    this.ask = this.#questions.ask;
    this.#editor = new MessageEditor(this.#screen, this.#palette, {
      takeKey: (key) => this.#questions.takeKey(key),
      onMessage: (text) => this.#hear(text),
      onInterrupt,
      onLeave: () => this.lines.end(),
      onSuspend: () => this.#suspend(),
    });
    const open = { render: (columns: number) => this.#renderOpen(columns), invalidate: () => undefined };
    const parts = [open, this.#questions, this.#children, this.#activity, this.#editor, this.#bottom];
    for (const part of parts) this.#screen.addChild(part);
    const write = (text: string) => {
      if (this.#isOpen && progress.isTerminal) this.#write(text.replace(/\n$/, ""));
      else progress.write(text);
    };
    this.notices = Object.create(progress, { write: { value: write } }) as StreamOutput;
  }

  async open(runtime: Runtime): Promise<void> {
    this.#bottom.model = runtime.settings.model;
    this.#thinkingCommand = `${runtime.settings.commandPrefix}thinking`;
    this.#history = new History(runtime.settings.home, runtime.workspace);
    this.#editor.remember(await this.#history.load());
    this.#editor.complete(createCompletion(runtime), runtime.settings.commandPrefix);
    // A child may outlive the turn that started it, so the turn's own events are not enough.
    runtime.events.on("subagent-started", ({ task }) => this.#children.begin(task));
    runtime.events.on("subagent-finished", ({ task }) => this.#endChild(task));
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
        if (this.#streamed === "") this.#beginText();
        this.#streamed += event.delta;
        this.#answer.push(neutralise(event.delta));
        this.#activity.say("answering");
        break;
      case "reasoning-delta":
        if (this.#streamed !== "") this.#endText();
        this.#reasoning.push(event.delta);
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
    this.#beginText();
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
    this.#children.stop();
    if (!this.#isOpen) return;
    this.#endText();
    this.#isOpen = false;
    this.#screen.stop();
  }

  #hear(text: string): void {
    this.#shownError = undefined;
    this.#shownText = "";
    if (text.trim() === this.#thinkingCommand) {
      this.#toggleReasoning();
      return;
    }
    const [first = "", ...rest] = fold(neutralise(text).split("\n"));
    this.#write("");
    this.#write([`> ${first}`, ...rest.map((line) => `  ${line}`)].join("\n"), this.#palette.bold);
    this.#history?.add(text);
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
    const diff = isError ? undefined : diffOfEdit(args)?.map((changed) => paintDiff(changed, this.#palette));
    this.#screen.finish([isError ? this.#palette.red(`  ${line}`) : this.#palette.dim(`  ${line}`)]);
    this.#writeLines(diff?.map((changed) => `    ${changed}`) ?? []);
    this.#sayCalls();
  }

  #endChild(task: SubagentTask): void {
    this.#children.end(task);
    if (!this.#isOpen) return;
    const line = `  ${renderTaskLine(task, this.#screen.room - 2)}`;
    this.#aside.push(task.status === "failed" ? this.#palette.red(line) : this.#palette.dim(line));
    if (this.#streamed === "") this.#endText();
  }

  #showError(text: string): void {
    this.#shownError = text;
    this.#write(`bub: ${text}`, this.#palette.red);
  }

  /** Text that is not the answer, below what the answer said so far. */
  #write(text: string, paint = (line: string) => line): void {
    this.#endText();
    this.#writeLines(neutralise(text).split("\n").map(paint));
  }

  #writeLines(lines: readonly string[]): void {
    this.#screen.finish(lines.flatMap((line) => wrapTextWithAnsi(line, this.#screen.room)));
  }

  #endReasoning(): void {
    const lines = this.#reasoning.take(this.#thinkingCommand);
    if (this.#isOpen) this.#writeLines(lines.map(this.#palette.dim));
  }

  #toggleReasoning(): void {
    this.#reasoning.isShown = !this.#reasoning.isShown;
    if (!this.#reasoning.isShown) this.note("thinking is folded from now on");
    else this.#write(["thinking is shown from now on", ...this.#reasoning.lastLines()].join("\n"), this.#palette.dim);
  }

  /** A blank line stands above each piece of an answer. */
  #beginText(): void {
    this.#endReasoning();
    this.#write("");
  }

  #endText(): void {
    this.#endReasoning();
    if (this.#streamed.trim() !== "") this.#shownText = this.#streamed;
    this.#streamed = "";
    if (!this.#isOpen) return;
    this.#screen.finish([...this.#answer.end(this.#screen.room), ...this.#aside.splice(0)]);
  }

  #suspend(): void {
    this.#screen.stop();
    // Nothing else is waited for meanwhile, and the process would end.
    const held = setInterval(() => undefined, 1 << 30);
    process.once("SIGCONT", () => {
      clearInterval(held);
      if (!this.#isOpen) return;
      this.#screen.start();
      // A frame that was asked for before the stop still counts as on its way.
      this.#screen.renderNow();
    });
    process.kill(process.pid, "SIGTSTP");
  }
}
