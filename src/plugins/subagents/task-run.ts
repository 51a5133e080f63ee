// The run of one task: the child's turns, what is said to it meanwhile, its time-out and its end.
import { CancelledError } from "../../base/abort.ts";
import type { Content } from "../../base/content.ts";
import { contentFromJson } from "../../base/content.ts";
import { messageOf } from "../../base/errors.ts";
import type { StreamEvent } from "../../base/events.ts";
import type { Prompt } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { SessionSeat } from "../../kernel/session-seat.ts";
import type { ChildRequest } from "../../kernel/turn.ts";
import { isForTask } from "../../kernel/turn-inbox.ts";
import { ChildOutput } from "./child-output.ts";
import type { Task, TaskEnd } from "./task.ts";
import { timeLimit } from "./time-limit.ts";

export interface TaskRunOptions {
  readonly runtime: Runtime;
  readonly seat: SessionSeat;
  readonly request: Omit<ChildRequest, "prompt" | "signal" | "seat" | "sessionId">;
  readonly prompt: Content;
  readonly timeoutSeconds: number | undefined;
  /** Sees each event of the child's stream. */
  readonly onEvent: (event: StreamEvent) => void;
}

export class TaskRun {
  readonly #task: Task;
  readonly #options: TaskRunOptions;
  readonly #cancel = new AbortController();
  readonly #sending = new Set<Promise<unknown>>();
  /** Messages that somebody began to send. */
  #sends = 0;
  readonly #output = new ChildOutput();
  #timeoutError: string | undefined;
  /** No more is taken: what is said now would not be heard. */
  #isClosing = false;

  constructor(task: Task, options: TaskRunOptions) {
    this.#task = task;
    this.#options = options;
  }

  /** Aborts as soon as the run is told to end. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  cancel(reason: Error): void {
    this.#cancel.abort(reason);
  }

  /** Leaves a message for the child; false when it is too late for that. */
  async send(message: string): Promise<boolean> {
    if (this.#isClosing || this.signal.aborted) return false;
    const { storage, tapeId } = this.#options.seat;
    const meta = { task: this.#task.id };
    const sent = storage.inboxes.put(tapeId, { kind: "steer", payload: { content: message }, meta });
    this.#sending.add(sent);
    this.#sends += 1;
    try {
      await sent;
    } finally {
      this.#sending.delete(sent);
    }
    return true;
  }

  /** Runs the child to its end, however that comes. Never rejects. */
  async run(): Promise<TaskEnd> {
    const { prompt: content, timeoutSeconds } = this.#options;
    using _limit = timeLimit(timeoutSeconds, () => this.#timeOut(timeoutSeconds ?? 0));
    try {
      let prompt: Prompt | undefined = { kind: "message", content };
      let end: TaskEnd | undefined;
      while (prompt !== undefined) {
        end = await this.#runTurn(prompt);
        prompt = end.status === "completed" ? await this.#leftover() : undefined;
      }
      return end ?? this.#failure("nothing ran");
    } catch (error) {
      return this.#failure(messageOf(error));
    } finally {
      this.#isClosing = true;
    }
  }

  async #runTurn(prompt: Prompt): Promise<TaskEnd> {
    const { runtime, seat, request, onEvent } = this.#options;
    let final: Extract<StreamEvent, { type: "final" }> | undefined;
    const errors: string[] = [];
    const { sessionId } = seat;
    for await (const event of runtime.runChild({ ...request, prompt, seat, sessionId, signal: this.signal })) {
      this.#task.see(event);
      this.#output.see(event);
      if (event.type === "error") errors.push(event.message);
      if (event.type === "final") final = event;
      onEvent(event);
    }
    if (final?.status === "ok") return { status: "completed", output: final.text, errors: [] };
    const { text: output } = this.#output;
    if (this.#timeoutError !== undefined) return { status: "failed", output, errors: [this.#timeoutError] };
    if (final?.status === "cancelled") return { status: "cancelled", output, errors: [] };
    return { status: "failed", output, errors: errors.length > 0 ? errors : ["the run ended without an answer"] };
  }

  /** What was said when the child had already given its last answer: it goes on with that. */
  async #leftover(): Promise<Prompt | undefined> {
    const { storage, tapeId } = this.#options.seat;
    while (this.#sending.size > 0) await Promise.allSettled(this.#sending);
    const sends = this.#sends;
    const [item] = (await storage.inboxes.list(tapeId)).filter(isForTask);
    if (item !== undefined) {
      const content = contentFromJson(item.payload.content);
      return { kind: "message", content, meta: { ...item.meta, inbox: item.id } };
    }
    // What was sent while the inbox was read may stand behind what was seen of it, even if it has arrived by now.
    if (this.#sends > sends) return this.#leftover();
    this.#isClosing = true;
    return undefined;
  }

  #timeOut(seconds: number): void {
    this.#timeoutError = `timed out after ${seconds} seconds`;
    this.cancel(new CancelledError(this.#timeoutError));
  }

  #failure(message: string): TaskEnd {
    return { status: "failed", output: this.#output.text, errors: [this.#timeoutError ?? message] };
  }
}
