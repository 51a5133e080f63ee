// `bub sessions show`: what is known of one session.

import { counted, renderAge, renderBytes } from "../../base/amounts.ts";
import { jsonLine, toOneLine } from "../../base/terminal-text.ts";
import type { TextOutput } from "../../base/text-output.ts";
import { describeSession } from "../../kernel/session-details.ts";
import { findSession, listArchives } from "../../kernel/session-shelf.ts";
import type { CommandContext } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { renderFitting } from "../table.ts";

/** Reads without the session's lease, and of its tape the beginning and the end only. */
export async function runSessionsShow(
  [id = ""]: readonly string[],
  options: { json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, stop } = context;
  await using runtime = await openRuntime(context);
  const session = await findSession(runtime, id);
  const { tape } = session;
  const details = await describeSession(runtime, session, { signal: stop.signal });
  const holder = await runtime.storage.leases.holder(tape);
  const archives = (await listArchives(runtime, { everywhere: true })).filter((one) => one.tape === tape);
  const report = {
    ...session,
    place: runtime.storage.tapes.locate(tape),
    ...details,
    holder: holder === undefined ? null : { pid: holder.pid, host: holder.host },
    archives: archives.map(({ place, date, bytes }) => ({ place, date, bytes })),
  };
  const text = options.json === true ? jsonLine(report) : render(report, runtime.clock.now(), stdout).join("\n");
  stdout.write(`${runtime.mask.mask(text)}\n`);
  return 0;
}

type Report = Awaited<ReturnType<typeof findSession>> &
  Awaited<ReturnType<typeof describeSession>> & {
    place: string;
    holder: { pid: number; host: string } | null;
    archives: readonly { date: string }[];
  };

function render(report: Report, now: Date, output: TextOutput): string[] {
  const { session, workspace, place, title, began, changed, bytes, entries, anchors, settings, holder, archives } =
    report;
  const [newest] = archives;
  const rows = [
    ["session", session ?? "on no list"],
    ["workspace", workspace === undefined ? "not known" : (workspace ?? "none")],
    ["tape", place],
    ["about", title ?? "nobody has said anything"],
    ["began", began ?? "not known"],
    ["last used", `${changed.toISOString()} (${renderAge(changed, now)})`],
    ["holds", `${counted(entries, "entry", "entries")}, ${counted(anchors, "anchor")}, ${renderBytes(bytes)}`],
    ...Object.entries(settings).map(([name, value]) => [name, String(value)]),
    ["in use", holder === null ? "no" : `by process ${holder.pid} on ${holder.host}`],
    ["archives", newest === undefined ? "none" : `${archives.length}, the newest of ${newest.date}`],
  ];
  return renderFitting(
    rows.map((row) => row.map(toOneLine)),
    output,
  );
}
