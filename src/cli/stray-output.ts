// Keeps what plugins print out of stdout, which carries the answer or the events of --json alone.
import type { CommandContext } from "./command-context.ts";

/**
 * Sends what is written to the process's stdout by others than the command to stderr, where nobody parses it. On a terminal
 * both are one, and those who draw there need it. Disposing ends it.
 */
export function divertStrayOutput({ stdout }: Pick<CommandContext, "stdout">): Disposable {
  const own = process.stdout.write;
  if (!stdout.isTerminal) process.stdout.write = process.stderr.write.bind(process.stderr) as typeof own;
  return {
    [Symbol.dispose]() {
      process.stdout.write = own;
    },
  };
}
