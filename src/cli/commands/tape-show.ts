// `bub tape show`: the last entries of a tape, or a page before or after one of them, for people or as JSON lines.
import { counted } from "../../base/amounts.ts";
import { jsonLine, neutralise } from "../../base/terminal-text.ts";
import type { TapeEntry } from "../../tape/entry.ts";
import type { TapeLog } from "../../tape/store.ts";
import type { CommandContext } from "../command-context.ts";
import { renderEntry } from "../entry-text.ts";
import { openRuntime } from "../open-runtime.ts";
import { PacedOutput } from "../paced-output.ts";
import type { SessionOptions } from "../session-options.ts";
import { type ChosenTape, openChosenTape } from "../tape-choice.ts";

export interface TapeShowOptions extends SessionOptions {
  json?: boolean;
  /** 0: all. */
  limit: number;
  before?: number;
  after?: number;
}

/** Reads without the session's lease, also while another process works on it. */
export async function runTapeShow(
  words: readonly string[],
  options: TapeShowOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  await using runtime = await openRuntime(context);
  await using tape = await openChosenTape(runtime, words, options);
  const output = new PacedOutput(stdout);
  let first: number | undefined;
  let last = 0;
  for await (const entry of pageOf(tape.log, options, stop.signal)) {
    const lead = first !== undefined && options.json !== true ? "\n" : "";
    const text = options.json === true ? jsonLine(entry) : renderEntry(entry, stdout);
    await output.write(`${lead}${runtime.mask.mask(text)}\n`);
    first ??= entry.id;
    last = entry.id;
  }
  if (first === undefined) stderr.write(`bub: ${nothingThere(tape, options)}\n`);
  else if (stdout.isTerminal && first > 1)
    stderr.write(`\nbub: entries ${first} to ${last}; --before ${first} shows earlier ones.\n`);
  if (tape.log.problems.length > 0)
    stderr.write(
      `bub: ${counted(tape.log.problems.length, "place")} of the tape could not be read; bub tape check tells more.\n`,
    );
  return 0;
}

function nothingThere({ name, emptySentence }: ChosenTape, { before, after }: TapeShowOptions): string {
  return neutralise(before === undefined && after === undefined ? emptySentence : `'${name}' has no entries there.`);
}

/** Oldest first. Few of a long tape are read from its end, or from the entry that they follow. */
async function* pageOf(
  log: TapeLog,
  { limit, before, after }: TapeShowOptions,
  signal: AbortSignal,
): AsyncGenerator<TapeEntry> {
  if (limit === 0) return yield* log.forward({ before, after, signal });
  if (after !== undefined) return yield* firstOf(log.forward({ before, after, signal }), limit);
  const entries: TapeEntry[] = [];
  for await (const entry of firstOf(log.backward({ before, signal }), limit)) entries.push(entry);
  yield* entries.reverse();
}

async function* firstOf(entries: AsyncIterable<TapeEntry>, limit: number): AsyncGenerator<TapeEntry> {
  let left = limit;
  for await (const entry of entries) {
    yield entry;
    left--;
    if (left === 0) return;
  }
}
