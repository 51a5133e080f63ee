// `bub sessions search`: what was said in any session, those last used first.
import { wholeSentencesOf } from "../../base/errors.ts";
import { StatusLine } from "../../base/status-line.ts";
import { cutToWidth, jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import { styled } from "../../base/text-output.ts";
import { searchSessions } from "../../kernel/session-details.ts";
import { matchOf } from "../../tape/search.ts";
import type { CommandContext } from "../command-context.ts";
import { renderExcerpt } from "../entry-text.ts";
import { openRuntime } from "../open-runtime.ts";
import { renderFound, type SearchOptions, searchFrom } from "../search-options.ts";

export async function runSessionsSearch(
  words: readonly string[],
  options: SearchOptions & { everywhere?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const search = { ...searchFrom(words, options), everywhere: options.everywhere };
  await using runtime = await openRuntime(context);
  using status = new StatusLine(stderr);
  status.show("searching");
  let found = 0;
  let last: string | undefined;
  let isWhole = true;
  const onUnreadable = (error: unknown) => {
    isWhole = false;
    status.clear();
    stderr.write(`bub: ${neutralise(wholeSentencesOf(error))}\n`);
  };
  for await (const { session, entry } of searchSessions(runtime, search, { signal: stop.signal, onUnreadable })) {
    status.clear();
    const { tape, session: name = tape, workspace } = session;
    const lead = found > 0 ? "\n" : "";
    const heading = tape === last ? "" : `${styled(stdout, "bold", cutToWidth(toOneLine(name), stdout.columns))}\n`;
    const text =
      options.json === true
        ? jsonLine({ session: name, workspace, tape, id: entry.id, ...matchOf(entry) })
        : `${lead}${heading}${renderExcerpt(entry, search.query, stdout)}`;
    stdout.write(`${runtime.mask.mask(text)}\n`);
    last = tape;
    found++;
  }
  status.clear();
  stderr.write(renderFound(found, { limit: search.limit }));
  return isWhole ? 0 : 1;
}
