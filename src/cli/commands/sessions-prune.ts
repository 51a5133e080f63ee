// `bub sessions prune`: shows what nobody has used for long; removes it only when asked to.

import { counted, renderAge, renderBytes } from "../../base/amounts.ts";
import { wholeSentencesOf } from "../../base/errors.ts";
import { jsonLine, neutralise, toOneLine } from "../../base/terminal-text.ts";
import type { TextOutput } from "../../base/text-output.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { type Pruned, pruneSessions } from "../../kernel/session-shelf.ts";
import { parseDate } from "../../tape/query.ts";
import { parseAge } from "../age.ts";
import { type CommandContext, UsageError } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { renderNamed } from "../table.ts";
import { wrapWords } from "../wrapped-text.ts";

export interface SessionsPruneOptions {
  olderThan?: string;
  yes?: boolean;
  dryRun?: boolean;
  everywhere?: boolean;
  json?: boolean;
}

/** Removes with `--yes` alone; else it says what would be removed. @throws UsageError without an age, or for none */
export async function runSessionsPrune(
  _words: readonly string[],
  options: SessionsPruneOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop } = context;
  const { olderThan: age, everywhere } = options;
  if (age === undefined) throw new UsageError("bub sessions prune needs --older-than <age>, such as 30d.");
  await using runtime = await openRuntime(context);
  const olderThan = dateFrom(age, runtime.clock.now());
  const dryRun = options.yes !== true || options.dryRun === true;
  let isWhole = true;
  const onFailed = (error: unknown) => {
    isWhole = false;
    stderr.write(`bub: ${neutralise(wholeSentencesOf(error))}\n`);
  };
  const pruned = await pruneSessions(runtime, { olderThan, dryRun, everywhere, onFailed, signal: stop.signal });
  const isEmpty = pruned.sessions.length + pruned.archives.length + pruned.busy.length === 0;
  const write = (text: string) => stdout.write(runtime.mask.mask(`${text}\n`));
  if (options.json === true) write(jsonLine({ dry_run: dryRun, ...pruned }));
  else if (isWhole || !isEmpty) write(render(pruned, dryRun, runtime, stdout));
  return isWhole ? 0 : 1;
}

function dateFrom(age: string, now: Date): Date {
  const date = parseAge(age, now);
  if (date !== undefined) return date;
  try {
    return new Date(parseDate(age));
  } catch {
    throw new UsageError(`'${age}' is no age: say 12h, 30d, 8w, 1y, or an ISO date.`);
  }
}

function render(
  { sessions, archives, busy }: Pruned,
  dryRun: boolean,
  { clock, workspace: here }: Runtime,
  output: TextOutput,
): string {
  const now = clock.now();
  const row = (
    one: { tape: string; session?: string; workspace?: string | null; bytes: number },
    date: Date | string,
  ) => {
    const { tape, session = tape, workspace, bytes } = one;
    const elsewhere = workspace === here ? "" : (workspace ?? "");
    return [session, renderAge(date, now), renderBytes(bytes), elsewhere].map(toOneLine);
  };
  const gone = [
    ...sessions.map((one) => row(one, one.changed)),
    ...archives.map((one) => archived(row(one, one.date))),
  ];
  const left = busy.map((one) => row(one, one.changed));
  const bytes = [...sessions, ...archives].reduce((total, one) => total + one.bytes, 0);
  const what = `${counted(sessions.length, "session")} and ${counted(archives.length, "archive")}, ${renderBytes(bytes)}`;
  const sentence =
    gone.length === 0
      ? "There is nothing to remove."
      : dryRun
        ? `This would remove ${what}. Nothing was removed yet: --yes removes them for good.`
        : `Removed ${what}.`;
  return [
    ...renderNamed(gone, output),
    ...(left.length === 0 ? [] : ["Left alone, as somebody is at work on them:", ...renderNamed(left, output)]),
    ...(output.isTerminal ? wrapWords(sentence, output.columns) : [sentence]),
  ].join("\n");
}

function archived([name = "", ...rest]: readonly string[]): string[] {
  return [`${name} (archive)`, ...rest];
}
