// Lines that a person types, or that come through a pipe.
import { AsyncQueue } from "../../base/async-queue.ts";

export interface LineInputOptions {
  input: NodeJS.ReadableStream;
  /** Where typing is echoed, with a prompt and a history; none for a pipe. */
  echo?: NodeJS.WritableStream;
  /** Told of each Ctrl-C that is typed. */
  onInterrupt: () => void;
}

export interface LineInput extends Disposable {
  /** True when somebody types. */
  readonly isInteractive: boolean;
  /** Ends at the end of input, or with Ctrl-D. */
  readonly lines: AsyncIterable<string>;
  /** Asks for the next line, keeping what is typed already. */
  prompt(): void;
}

export async function openLineInput({ input, echo, onInterrupt }: LineInputOptions): Promise<LineInput> {
  const { createInterface } = await import("node:readline");
  const isInteractive = echo !== undefined;
  const reader = createInterface({ input, output: echo, terminal: isInteractive, prompt: "> ", historySize: 500 });
  const lines = new AsyncQueue<string>();
  reader.on("line", (line) => lines.push(line));
  reader.on("close", () => lines.end());
  reader.on("SIGINT", onInterrupt);
  return {
    isInteractive,
    lines,
    prompt() {
      if (isInteractive) reader.prompt(true);
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
