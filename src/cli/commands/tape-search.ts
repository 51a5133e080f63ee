// `bub tape search`: entries of a session's tape that hold a text or nearly its words, newest first.
import { StatusLine } from "../../base/status-line.ts";
import { jsonLine } from "../../base/terminal-text.ts";
import { findEntries, matchOf } from "../../tape/search.ts";
import type { CommandContext } from "../command-context.ts";
import { renderExcerpt } from "../entry-text.ts";
import { openRuntime } from "../open-runtime.ts";
import { renderFound, type SearchOptions, searchFrom } from "../search-options.ts";
import type { SessionOptions } from "../session-options.ts";
import { openChosenTape } from "../tape-choice.ts";

/** Reads without the session's lease. Nothing found is no error. */
export async function runTapeSearch(
  words: readonly string[],
  options: SessionOptions & SearchOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const search = searchFrom(words, options);
  await using runtime = await openRuntime(context);
  await using tape = await openChosenTape(runtime, [], options);
  using status = new StatusLine(stderr);
  status.show("searching");
  let found = 0;
  let filtered = 0;
  const onFiltered = () => {
    filtered++;
  };
  for await (const entry of findEntries(tape.log, search, { signal: stop.signal, onFiltered })) {
    status.clear();
    const lead = found > 0 && options.json !== true ? "\n" : "";
    const text =
      options.json === true
        ? jsonLine({ id: entry.id, ...matchOf(entry) })
        : renderExcerpt(entry, search.query, stdout);
    stdout.write(`${lead}${runtime.mask.mask(text)}\n`);
    found++;
  }
  status.clear();
  stderr.write(renderFound(found, { limit: search.limit, filtered }));
  return 0;
}
