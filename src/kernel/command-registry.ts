// Where plugins put commands of the command line, without knowing its parser.

export interface CommandDefinition {
  /** One word: `bub <name>`. */
  name: string;
  summary: string;
  /** Shown under `--help`. */
  example: string;
  /** Gets the words after the name; answers the exit code. */
  run(words: readonly string[], signal: AbortSignal): Promise<number>;
}

export interface CommandRegistry {
  add(command: CommandDefinition): void;
}
