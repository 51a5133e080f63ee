// `bub tape show`: the last entries of a session's tape, for people or as JSON lines.
import { jsonLine, neutralise } from "../../base/terminal-text.ts";
import type { TapeEntry } from "../../tape/entry.ts";
import type { TapeLog } from "../../tape/store.ts";
import type { CommandContext } from "../command-context.ts";
import { renderEntry } from "../entry-text.ts";
import { openRuntime } from "../open-runtime.ts";
import { type SessionOptions, sessionIdFrom } from "../session-options.ts";

export interface TapeShowOptions extends SessionOptions {
  json?: boolean;
  /** 0: all. */
  limit: number;
}

/** Reads without the session's lease, also while another process works on it. */
export async function runTapeShow(
  _words: readonly string[],
  options: TapeShowOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  await using runtime = await openRuntime(context);
  const sessionId = sessionIdFrom(options);
  await using log = await runtime.storage.tapes.open(runtime.tapeIdOf(sessionId));
  let isEmpty = true;
  for await (const entry of lastEntries(log, options.limit, stop.signal)) {
    if (!isEmpty && options.json !== true) stdout.write("\n");
    isEmpty = false;
    const text = options.json === true ? jsonLine(entry) : renderEntry(entry, stdout);
    stdout.write(`${runtime.mask.mask(text)}\n`);
  }
  if (isEmpty) stderr.write(`bub: the session '${neutralise(sessionId)}' has no entries in this workspace.\n`);
  if (log.problems.length > 0)
    stderr.write(`bub: ${log.problems.length} places of the tape could not be read; bub doctor tells more.\n`);
  return 0;
}

/** Oldest first; few of a long tape are read from its end. */
async function* lastEntries(log: TapeLog, limit: number, signal: AbortSignal): AsyncGenerator<TapeEntry> {
  if (limit === 0) return yield* log.forward({ signal });
  const entries: TapeEntry[] = [];
  for await (const entry of log.backward({ signal })) if (entries.push(entry) === limit) break;
  yield* entries.reverse();
}
