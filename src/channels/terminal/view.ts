// What a conversation is typed into and shown on: a screen that is drawn, or lines one below the other.
import type { StreamEvent } from "../../base/events.ts";
import type { StreamOutput } from "../../base/text-output.ts";
import type { Ask } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { SessionChoice } from "./session-choice.ts";

export interface ChatView extends AsyncDisposable {
  /** True when somebody types. */
  readonly isInteractive: boolean;
  /** True where what is shown can be drawn anew. */
  readonly isDrawn: boolean;
  /** What is typed, a message each; ends at the end of input, or with Ctrl-D. */
  readonly lines: AsyncIterable<string>;
  /** Where whatever else the program has to say goes, so that it does not stand across the view. */
  readonly notices: StreamOutput;
  /** Puts questions to the person; undefined where nobody could answer. */
  readonly ask: Ask | undefined;
  /** Begins with typing, once the conversation can be had. */
  open(runtime: Runtime): Promise<void>;
  /** Asks for the next message, keeping what is typed already: nothing runs any more. */
  prompt(): void;
  /** Another conversation begins. @param session.model what answers in it, `provider:model` */
  enter(session: { id: string; model: string }): void;
  /** What was said before this conversation went on. */
  earlier(role: "user" | "assistant", text: string): void;
  /** Lets the person choose; undefined when they want none. */
  pick(choices: readonly SessionChoice[], signal: AbortSignal): Promise<string | undefined>;
  /** Draws anew what it shows of something that has changed meanwhile. */
  refresh(): void;
  /** Shows reasoning from now on, or folds it; answers what there is to say. */
  toggleReasoning(): string;
  /** A message was handed in, and something runs from now on. @param what it is, when it is no model */
  started(what?: string): void;
  /** @param how.isPlain true for a command's output, which is no Markdown */
  show(event: StreamEvent, how?: { isPlain: boolean }): void;
  /** An answer as it is delivered; what has streamed already is not repeated. */
  answer(text: string): void;
  error(text: string): void;
  /** A line about the conversation itself. */
  note(text: string): void;
}

export interface ViewKeys {
  /** Told of each Ctrl-C that is typed. */
  onInterrupt: () => void;
}
