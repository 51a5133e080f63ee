// What a fork wrote, as drafts for the tape that it came from.
import { type EntryDraft, eventData, sessionStart, type TapeEntry } from "./entry.ts";

/**
 * New ids come with appending, and facts are computed anew there; dates stay. Taken inbox items were the fork's own. The
 * start that an empty tape is given is left out, the other tape has one; that of a reset is kept.
 */
export function mergedDrafts(
  own: readonly TapeEntry[],
  { wasReset = false }: { wasReset?: boolean } = {},
): EntryDraft[] {
  return own.slice(!wasReset && beginsTape(own) ? 2 : 0).map(({ kind, payload, meta, date }) => {
    const { inbox: _inbox, facts: _facts, ...kept } = meta;
    return { kind, payload, meta: kept, date };
  });
}

function beginsTape([anchor, event]: readonly TapeEntry[]): boolean {
  const isStart = anchor?.id === 1 && anchor.kind === "anchor" && anchor.payload.name === sessionStart;
  return isStart && event !== undefined && eventData(event, "handoff")?.name === sessionStart;
}
