// `bub sessions`: the sessions that there are, or their archives, those last used first; no tape is read but for titles.
import { basename } from "node:path";
import { renderAge, renderBytes } from "../../base/amounts.ts";
import { wholeSentencesOf } from "../../base/errors.ts";
import { jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import type { TextOutput } from "../../base/text-output.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { titleOfSession } from "../../kernel/session-details.ts";
import { type ArchivedSession, listArchives, listSessions, type SessionSummary } from "../../kernel/session-shelf.ts";
import type { CommandContext } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { renderNamed } from "../table.ts";

export interface SessionsOptions {
  archived?: boolean;
  everywhere?: boolean;
  /** 0: all. */
  limit: number;
  json?: boolean;
}

/** Longer lists do without: each title costs a look into a tape. */
const mostTitles = 50;

export async function runSessions(
  _words: readonly string[],
  options: SessionsOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context;
  await using runtime = await openRuntime(context);
  const all: readonly Listed[] = await (options.archived === true ? listArchives : listSessions)(runtime, options);
  const listed = options.limit === 0 ? all : all.slice(0, options.limit);
  const lines = options.json === true ? listed.map(jsonLine) : await renderRows(listed, runtime, options, context);
  if (lines.length > 0) stdout.write(runtime.mask.mask(`${lines.join("\n")}\n`));
  const what = options.archived === true ? "archives" : "sessions";
  if (all.length === 0) stderr.write(`bub: ${nothingThere(what, options)}\n`);
  else if (listed.length < all.length)
    stderr.write(`bub: ${listed.length} of ${all.length} ${what}; --limit 0 shows all.\n`);
  return 0;
}

type Listed = SessionSummary | ArchivedSession;

function nothingThere(what: string, { everywhere }: SessionsOptions): string {
  if (everywhere === true) return `there are no ${what}.`;
  return `there are no ${what} of this workspace; --everywhere lists those of others, too.`;
}

async function renderRows(
  listed: readonly Listed[],
  runtime: Runtime,
  { everywhere = false }: SessionsOptions,
  { stdout, stderr }: CommandContext,
): Promise<string[]> {
  const rows: string[][] = [];
  const now = runtime.clock.now();
  for (const one of listed) {
    const { tape, session = tape, workspace, bytes } = one;
    const row = [toOneLine(session)];
    if (isArchive(one)) row.push(renderBytes(bytes), timeOf(one));
    else row.push(renderAge(one.changed, now), renderBytes(bytes));
    if (everywhere) row.push(toOneLine(workspace ?? "-"));
    if (!isArchive(one) && listed.length <= mostTitles) row.push(toOneLine(await titleOf(one, runtime, stderr)));
    rows.push(row);
  }
  return renderNamed(rows, stdout);
}

/** The rest of the list is worth more than a title that cannot be read. */
async function titleOf(session: SessionSummary, runtime: Runtime, stderr: TextOutput): Promise<string> {
  try {
    return (await titleOfSession(runtime, session)) ?? "";
  } catch (error) {
    stderr.write(`bub: ${neutralise(wholeSentencesOf(error))}\n`);
    return "";
  }
}

function isArchive(one: Listed): one is ArchivedSession {
  return "place" in one;
}

/** The time in its name, which restores it. */
function timeOf({ place }: ArchivedSession): string {
  return basename(place).split(".").at(-2) ?? neutralise(place);
}
