// Where a copy of a conversation may end that is being added to.
import type { TapeEntry } from "./entry.ts";

/**
 * The last entry before the calls that are running: without their results nobody can go on from them. All of it when
 * none is running.
 * @param recent the last anchor, if any, and all that follows it, oldest first
 */
export function forkPoint(recent: readonly TapeEntry[], lastId: number): { upTo: number; running?: TapeEntry } {
  const running = recent.findLast(({ kind }) => kind === "tool_call");
  return running !== undefined && isOpen(running, recent) ? { upTo: running.id - 1, running } : { upTo: lastId };
}

/** True while one of the calls has no result. */
function isOpen({ id, payload }: TapeEntry, recent: readonly TapeEntry[]): boolean {
  const calls = Array.isArray(payload.calls) ? payload.calls.length : 0;
  const later = recent.filter((entry) => entry.id > id && entry.kind === "tool_result");
  const results = later.flatMap((entry) => (Array.isArray(entry.payload.results) ? entry.payload.results : []));
  return results.length < calls;
}
