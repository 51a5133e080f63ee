// What goes with a conversation over an anchor: copies, so that nothing before the anchor is needed to go on.
import type { JsonObject } from "../base/json.ts";
import { type EntryDraft, eventData, type TapeEntry } from "./entry.ts";

/** The event that keeps media away from a model which refused them: `{model, media}`. */
export const mediaRejected = "media.rejected";

/**
 * Copies for the batch of an anchor or a reset, to stand behind the anchor's event `handoff`: the turn's inbound and
 * steering messages and notifications, then the running step whole, its call with reasoning and every result so far.
 * What was said after the step stays after it; what models refused stays refused. Pure; nothing is copied twice, a summary of an earlier overflow never.
 * @param recent the last anchor, if any, and all that follows it, oldest first
 * @param unread also ends of tasks (`meta.tasks`) of other turns that no answer has followed yet, results with their step
 */
export function carriedDrafts(
  recent: readonly TapeEntry[],
  turnId: string,
  { unread = false }: { unread?: boolean } = {},
): EntryDraft[] {
  const open = unansweredFrom(recent);
  const isOfTurn = ({ meta }: TapeEntry) => meta.turn_id === turnId;
  const stepStart = recent[open]?.kind === "tool_call" ? open : -1;
  const step = stepStart < 0 ? [] : stepFrom(recent, stepStart);
  const isUnread = ({ meta }: TapeEntry) => unread && meta.tasks !== undefined;
  const keepsStep = step.some((entry) => isOfTurn(entry) || isUnread(entry));
  const kept = recent.filter((entry, index) => {
    if (entry.meta.context === false || entry.meta.summary === true) return false;
    if (step.includes(entry)) return keepsStep;
    if (eventData(entry, mediaRejected) !== undefined) return true;
    return isUserMessage(entry) && (isOfTurn(entry) || (index >= open && isUnread(entry)));
  });
  const isForModel = kept.some(({ kind }) => kind !== "event");
  return isForModel ? kept.map(copyOf) : [];
}

/** Where the entries begin that no answer has followed: at the last step's call, else behind the last answer. */
function unansweredFrom(recent: readonly TapeEntry[]): number {
  const last = recent.findLastIndex(
    ({ kind, payload, meta }) =>
      meta.context !== false && (kind === "tool_call" || (kind === "message" && payload.role === "assistant")),
  );
  return recent[last]?.kind === "tool_call" ? last : last + 1;
}

/** A step's call and its results: those that stand before the next message. */
function stepFrom(recent: readonly TapeEntry[], start: number): TapeEntry[] {
  const step: TapeEntry[] = [];
  for (let index = start; index < recent.length; index++) {
    const entry = recent[index];
    if (entry?.kind === "message" && entry.meta.context !== false) break;
    if (entry !== undefined && (index === start || entry.kind === "tool_result")) step.push(entry);
  }
  return step;
}

function isUserMessage({ kind, payload }: TapeEntry): boolean {
  return kind === "message" && payload.role === "user";
}

/** Inbox items are told by the entry that took them, and by facts after that. */
function copyOf({ kind, payload, meta }: TapeEntry): EntryDraft {
  const { inbox: _inbox, facts: _facts, ...rest } = meta;
  return { kind, payload, meta: { ...rest, carried: true } satisfies JsonObject };
}
