// Does something for each of several packages: one that fails is told, and the others have their turn.
import { sentencesOf } from "../../base/errors.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { CommandContext } from "../command-context.ts";

/**
 * Answers the exit code: 1 when one failed.
 * @throws the signal's reason
 */
export async function eachPackage<Item>(
  items: readonly Item[],
  { stderr, stop }: CommandContext,
  work: (item: Item) => Promise<void>,
): Promise<number> {
  let exitCode = 0;
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      stop.signal.throwIfAborted();
      stderr.write(`bub: ${neutralise(sentencesOf(error))}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}
