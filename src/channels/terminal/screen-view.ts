// The view of a real terminal: answers stream above a live part with the spinner, the input and the bottom line.
import { type Component, setCapabilities, wrapTextWithAnsi } from "@earendil-works/pi-tui";
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
import { ScreenTerminal } from "./screen-terminal.ts";
import type { SessionChoice } from "./session-choice.ts";
import { SessionPicker } from "./session-picker.ts";
import { isShellLine } from "./shell-line.ts";
import { Spending } from "./spending.ts";
import { createPalette, markdownTheme, type Palette } from "./styled-line.ts";
import type { ChatView, ViewKeys } from "./view.ts";

export interface ScreenViewOptions extends ViewKeys {
  /** The terminal that is drawn on. */
  answers: TextOutput;
  /** Gets what is to be said while the screen is not open. */
  progress: StreamOutput;
}

const shellHint = "a shell command of yours; the model reads it and its output before your next message";

/** Dispose it: that gives the terminal back. */
export function createScreenView(options: ScreenViewOptions): ChatView {
  // Links that go elsewhere than they say, and pictures, are not for what models write.
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  return new ScreenView(options);
}

class ScreenView implements ChatView {
  readonly isInteractive = true;
  readonly isDrawn = true;
  readonly lines = new AsyncQueue<string>();
  readonly notices: StreamOutput;
  readonly ask: ChatView["ask"];
  readonly #palette: Palette;
  readonly #questions: Questions;
  readonly #reasoning = new Reasoning();
  readonly #screen = new LiveScreen(new ScreenTerminal());
  readonly #editor: MessageEditor;
  readonly #activity: Activity;
  readonly #children: Children;
  readonly #spending = new Spending();
  readonly #bottom: BottomLine;
  readonly #answer: AnswerStream;
  /** Calls that run, by id. */
  readonly #calls = new Map<string, { name: string; arguments: JsonObject }>();
  /** Calls that the person was asked about, and so has seen. */
  readonly #asked = new Set<string>();
  #picker: SessionPicker | undefined;
  #sessionId = "";
  #history: History | undefined;
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
    this.#bottom = new BottomLine(this.#palette, {
      activity: this.#activity,
      children: this.#children,
      spending: this.#spending,
      hint: () => (isShellLine(this.#editor.text) ? shellHint : ""),
    });
    this.#questions = new Questions(this.#palette, {
      redraw: () => this.#screen.requestRender(),
      settle: (lines) => this.#writeLines(["", ...lines]),
    });
    this.ask = (question, choices, signal, about) => {
      if (about !== undefined) this.#asked.add(about.callId);
      return this.#questions.ask(question, choices, signal);
    };
    this.#editor = new MessageEditor(this.#screen, this.#palette, {
      takeKey: (key) => this.#questions.takeKey(key),
      onMessage: (text) => this.#hear(text),
      onInterrupt,
      onLeave: () => this.lines.end(),
      onSuspend: () => void this.#suspend(),
    });
    const open = { render: (columns: number) => this.#renderOpen(columns), invalidate: () => undefined };
    const parts = [open, this.#questions, this.#children, this.#activity, this.#editor, this.#bottom];
    for (const part of parts) this.#screen.addChild(this.#unlessPicking(part));
    this.#screen.addChild({
      render: (columns) => this.#picker?.render(columns) ?? [],
      invalidate: () => undefined,
    });
    const write = (text: string) => {
      if (this.#isOpen && progress.isTerminal) this.#write(text.replace(/\n$/, ""));
      else progress.write(text);
    };
    this.notices = Object.create(progress, { write: { value: write } }) as StreamOutput;
  }

  async open(runtime: Runtime): Promise<void> {
    this.#spending.prices = runtime.settings.prices;
    this.#thinkingCommand = `${runtime.settings.commandPrefix}thinking`;
    this.#history = new History(runtime.settings.home, runtime.workspace);
    this.#editor.remember(await this.#history.load());
    this.#editor.complete(
      createCompletion(runtime, () => this.#sessionId),
      runtime.settings.commandPrefix,
    );
    this.#editor.workspace = runtime.workspace;
    runtime.events.on("run-started", ({ sessionId, model }) => this.#answeredBy(sessionId, model));
    runtime.events.on("model-call-started", ({ sessionId }) => {
      if (sessionId === this.#sessionId) this.#activity.say("thinking");
    });
    runtime.events.on("model-call-finished", ({ sessionId, model, usage }) => {
      this.#answeredBy(sessionId, model);
      if (sessionId !== this.#sessionId && usage !== undefined) this.#spending.addCost(usage, model);
    });
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

  enter({ id, model }: { id: string; model: string }): void {
    if (id !== this.#sessionId) this.#spending.reset();
    this.#sessionId = id;
    this.#bottom.model = model;
    this.#screen.requestRender();
  }

  earlier(role: "user" | "assistant", text: string): void {
    if (role === "user") this.#writeMessage(text);
    else this.answer(text);
  }

  pick(choices: readonly SessionChoice[], signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    let resolve: (id: string | undefined) => void = () => undefined;
    const picked = new Promise<string | undefined>((settle) => {
      resolve = settle;
    });
    const leave = () => done(undefined);
    const done = (id: string | undefined) => {
      signal.removeEventListener("abort", leave);
      this.#picker = undefined;
      this.#screen.setFocus(this.#editor);
      this.#screen.requestRender();
      resolve(id);
    };
    this.#picker = new SessionPicker(choices, this.#palette, {
      rows: () => this.#screen.rows,
      redraw: () => this.#screen.requestRender(),
      done,
    });
    this.#screen.setFocus(this.#picker);
    this.#screen.requestRender();
    signal.addEventListener("abort", leave, { once: true });
    return picked;
  }

  refresh(): void {
    this.#screen.requestRender();
  }

  toggleReasoning(): string {
    this.#reasoning.isShown = !this.#reasoning.isShown;
    if (!this.#reasoning.isShown) return "thinking is folded from now on";
    return ["thinking is shown from now on", ...this.#reasoning.lastLines()].join("\n");
  }

  started(what = "thinking"): void {
    this.#activity.start(what);
  }

  show(event: StreamEvent, { isPlain } = { isPlain: false }): void {
    switch (event.type) {
      case "text-delta":
        if (isPlain) {
          this.#write(`\n${event.delta}`);
          this.#shownText = event.delta;
          break;
        }
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
        this.#spending.add(event.usage, this.#bottom.model);
        break;
      case "notice":
        this.note(event.message);
        break;
      case "error":
        this.#showError(event.message);
        break;
      case "step-finished":
        this.#endText();
        // Until the model is asked again.
        this.#activity.say(this.#children.count > 0 ? "waiting for subagents" : "thinking");
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#activity.stop();
    this.#children.stop();
    if (!this.#isOpen) return;
    this.#endText();
    this.#isOpen = false;
    await this.#screen.settle();
    this.#screen.stop();
  }

  #hear(text: string): void {
    this.#shownError = undefined;
    this.#shownText = "";
    this.#writeMessage(text);
    this.#history?.add(text);
    this.lines.push(text);
  }

  #writeMessage(text: string): void {
    const [first = "", ...rest] = fold(neutralise(text).split("\n"));
    this.#write("");
    this.#write([`> ${first}`, ...rest.map((line) => `  ${line}`)].join("\n"), this.#palette.bold);
  }

  #unlessPicking(part: Component): Component {
    return {
      render: (columns) => (this.#picker === undefined ? part.render(columns) : []),
      invalidate: () => part.invalidate(),
    };
  }

  #answeredBy(sessionId: string, model: string): void {
    if (sessionId !== this.#sessionId) return;
    this.#bottom.model = model;
  }

  #renderOpen(columns: number): readonly string[] {
    const finished = this.#answer.takeFinished(columns);
    this.#screen.finish(finished);
    const lines = this.#answer.renderOpen(columns);
    // Half of the screen: what a window half as wide pushes beyond its top could not be drawn over.
    const most = Math.max(3, Math.min(16, (this.#screen.rows - 8) >> 1));
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
    // The question showed it already.
    const isSeen = this.#asked.delete(id);
    const diff = isError || isSeen ? undefined : diffOfEdit(args)?.map((changed) => paintDiff(changed, this.#palette));
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

  async #suspend(): Promise<void> {
    await this.#screen.settle();
    if (!this.#isOpen) return;
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
