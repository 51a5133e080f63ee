// A place that text is written to: a terminal, a pipe or a file, with what a writer has to know about it.

export interface TextOutput {
  readonly isTerminal: boolean;
  /** True where colour sequences are understood and wanted. */
  readonly hasColours: boolean;
  /** True where a line can be drawn over. */
  readonly hasCursor: boolean;
  /** Width in characters, as it is now; 80 where nobody knows. */
  readonly columns: number;
  write(text: string): void;
}

/** A process's stream as an output that never throws. */
export interface StreamOutput extends TextOutput {
  /** Why it cannot be written any more, other than that its reader left. */
  readonly failure: Error | undefined;
  /** Resolves when everything written has been handed to the system, or never can be. */
  drained(): Promise<void>;
}

export interface StreamOutputOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Told once when the reader has left. */
  onClosed?: () => void;
}

export function createStreamOutput(stream: NodeJS.WriteStream, { env, onClosed }: StreamOutputOptions): StreamOutput {
  const isTerminal = stream.isTTY === true;
  const isDumb = env.TERM === "dumb";
  let isOver = false;
  let failure: Error | undefined;
  // Its own, whatever others make of the stream's later.
  const write = stream.write.bind(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (isOver) return;
    isOver = true;
    if (error.code === "EPIPE") onClosed?.();
    else failure = error;
  });
  return {
    isTerminal,
    hasColours: isTerminal && !isDumb && (env.NO_COLOR ?? "") === "",
    hasCursor: isTerminal && !isDumb,
    get columns() {
      return stream.columns || 80;
    },
    get failure() {
      return failure;
    },
    write(text) {
      if (!isOver) write(text);
    },
    drained: () => new Promise((resolve) => (isOver ? resolve() : write("", () => resolve()))),
  };
}

export type Style = "dim" | "bold" | "red";

const codes = { dim: [2, 22], bold: [1, 22], red: [31, 39] } as const satisfies Record<
  Style,
  readonly [number, number]
>;

/** Text in a style, where the output has colours. */
export function styled(output: TextOutput, style: Style, text: string): string {
  const [on, off] = codes[style];
  return output.hasColours ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}
