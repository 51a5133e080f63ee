// Reads a session's tape from end to end and tells what of it cannot be read.
import { messageOf } from "../base/errors.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { TapeProblem } from "../tape/store.ts";

export interface TapeReport {
  session: string;
  /** Where a person finds it. */
  place: string;
  entries: number;
  bytes: number;
  problems: string[];
}

export async function checkTape(runtime: Runtime, session: string, signal: AbortSignal): Promise<TapeReport> {
  const { tapes } = runtime.storage;
  const id = runtime.tapeIdOf(session);
  const place = tapes.locate(id);
  let entries = 0;
  try {
    await using log = await tapes.open(id);
    for await (const _entry of log.forward({ signal })) entries++;
    const problems = log.problems.map((problem) => `${sentenceOf(problem)} in ${place}.`);
    return { session, place, entries, bytes: await log.size(), problems };
  } catch (error) {
    return { session, place, entries, bytes: 0, problems: [`The tape ${place} cannot be read: ${messageOf(error)}`] };
  }
}

function sentenceOf({ offset, length, reason, id }: TapeProblem): string {
  const where = `${length} bytes at byte ${offset}`;
  switch (reason) {
    case "torn":
      return `A last line that was never finished is skipped (${where})`;
    case "corrupt":
      return `A line that is no entry is skipped (${where})`;
    case "blank":
      return `A stretch of zero bytes is skipped (${where})`;
    case "unknown":
      return `An entry of another version${id === undefined ? "" : `, #${id},`} is skipped (${where})`;
  }
}
