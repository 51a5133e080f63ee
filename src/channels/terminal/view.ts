// What a conversation is typed into and shown on: a screen that is drawn, or lines one below the other.
import type { StreamEvent } from "../../base/events.ts";
import type { StreamOutput } from "../../base/text-output.ts";
import type { Ask } from "../../kernel/envelope.ts";
import type { Runtime } from "../../kernel/runtime.ts";

export interface ChatView extends Disposable {
  /** True when somebody types. */
  readonly isInteractive: boolean;
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
  /** A message was handed in, and something runs from now on. */
  started(): void;
  show(event: StreamEvent): void;
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
