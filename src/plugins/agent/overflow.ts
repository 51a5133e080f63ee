// When a conversation is too long for its model: a hand-off to a summary and what the run needs, then the same step again.
import { messageOf } from "../../base/errors.ts";
import { addUsage, type StreamEvent } from "../../base/events.ts";
import type { ModelMessage } from "../../model/model.ts";
import { carriedDrafts } from "../../tape/carried.ts";
import { anchorDrafts, type EntryDraft, type TapeEntry } from "../../tape/entry.ts";
import { buildContext } from "./context.ts";
import { type Answer, callModel, failsBefore } from "./model-call.ts";
import { withPreviews } from "./result-preview.ts";
import type { Run } from "./run.ts";
import type { StepPlace } from "./step.ts";
import { digestOf, shortened, summarize } from "./summary.ts";
import { messageTokens } from "./tokens.ts";
import { fixedTooLarge, messageRoom, stillTooLong, turnTooLarge } from "./window.ts";

export const overflowAnchor = "auto_handoff/context_overflow";

/** Hand-offs without a completed step in between. */
const mostHandoffs = 2;
/** The longest summary (UTF-8 bytes), and the least room that is worth one (tokens). */
const summaryBytes = 8 * 1024;
const leastSummaryTokens = 64;

/** One answer of the model; a conversation that is too long for it is handed off and asked with again. */
export async function* callWithinWindow(run: Run, place: StepPlace): AsyncGenerator<StreamEvent, Answer> {
  for (let handoffs = 0; ; handoffs++) {
    const answer = yield* callModel(run, place);
    const { error } = answer;
    if (error === undefined || !failsBefore("overflow", answer)) return answer;
    if (handoffs === mostHandoffs) return { ...answer, error: stillTooLong(error) };
    const end = yield* handOff(run, place, answer, { again: handoffs > 0 });
    if (end !== undefined) return end;
  }
}

/** Writes the anchor with all that is needed after it, in one batch; answers what ends the step instead, if anything does. */
async function* handOff(
  run: Run,
  place: StepPlace,
  answer: Answer,
  { again }: { again: boolean },
): AsyncGenerator<StreamEvent, Answer | undefined> {
  const { tape, turnId, signal } = run.turn;
  const carried = carriedDrafts(tape.recent, turnId, { unread: true });
  const room = await messageRoom(run);
  if (room !== undefined && room <= 0) return { ...answer, error: fixedTooLarge(run) };
  // Whatever the summary says, what stands around it and the shortest form of the rest come with it.
  const least = tokensOfDrafts([summaryDraft("", run, place), ...carried.map(withPreviews)]);
  const left = room === undefined ? Number.POSITIVE_INFINITY : room - least - 1;
  if (left < leastSummaryTokens) return { ...answer, error: turnTooLarge(run) };
  yield place.event({
    type: "notice",
    message: `The conversation became too long for ${run.models.id}. Going on from a summary of it.`,
    is_passing: true,
  });
  const limit = Math.min(summaryBytes, left * 4);
  const summary = yield* summaryText(run, place, { limit, again });
  if (signal.aborted) return { ...answer, status: "cancelled", error: undefined };
  const drafts = [summaryDraft(summary, run, place), ...carried];
  const kept = again || leavesAll(drafts, run, room) ? drafts.map(withPreviews) : fitted(drafts, room);
  const state = { reason: "context_length_exceeded", error: messageOf(answer.error) };
  const system: EntryDraft = { kind: "system", payload: { content: run.system }, meta: place.meta };
  await tape.append([...anchorDrafts(overflowAnchor, state, place.meta), system, ...kept]);
  return undefined;
}

/** From the model, or made here when it gives none; the second time in a row the first one serves again. */
async function* summaryText(
  run: Run,
  place: StepPlace,
  { limit, again }: { limit: number; again: boolean },
): AsyncGenerator<StreamEvent, string> {
  const { recent } = run.turn.tape;
  const earlier = earlierSummary(recent);
  if (again && earlier !== undefined) return shortened(earlier, limit);
  const { text, usage } = await summarize(run, run.context.messages, limit);
  if (usage !== undefined) {
    addUsage(run.usage, usage);
    yield place.event({ type: "usage", usage });
  }
  return shortened(text ?? digestOf(recent, earlier, limit), limit);
}

const opening = "The conversation until here became too long for the model. In its place stands this summary:\n\n";

/** The first message after an anchor: it also says where the tools act. */
function summaryDraft(summary: string, run: Run, { meta }: StepPlace): EntryDraft {
  const { workspace } = run.turn.runtime;
  const place = [...(workspace === undefined ? [] : [`Workspace: ${workspace}`]), `Platform: ${process.platform}`];
  const content = `${place.join("\n")}\n${opening}${summary}`;
  return { kind: "message", payload: { role: "user", content }, meta: { ...meta, carried: true, summary: true } };
}

function earlierSummary(recent: readonly TapeEntry[]): string | undefined {
  const content = recent.find(({ meta }) => meta.summary === true)?.payload.content;
  return typeof content === "string" ? content.slice(content.indexOf(opening) + opening.length) : undefined;
}

/** True when the drafts would be the same conversation again, though they should fit: then only shorter results can help. */
function leavesAll(drafts: readonly EntryDraft[], run: Run, room = Number.POSITIVE_INFINITY): boolean {
  const messages = messagesOf(drafts);
  return messages.length > run.context.messages.length && messageTokens(messages) <= room;
}

/** The drafts with results cut to previews, the largest first, until they fit the room. */
function fitted(drafts: readonly EntryDraft[], room = Number.POSITIVE_INFINITY): readonly EntryDraft[] {
  const kept = [...drafts];
  const bySize = kept
    .map((draft, index) => ({ index, saved: sizeOf(draft) - sizeOf(withPreviews(draft)) }))
    .filter(({ saved }) => saved > 0)
    .sort((one, other) => other.saved - one.saved);
  for (const { index } of bySize) {
    if (tokensOfDrafts(kept) <= room) break;
    kept[index] = withPreviews(kept[index] as EntryDraft);
  }
  return kept;
}

function sizeOf({ payload }: EntryDraft): number {
  return JSON.stringify(payload).length;
}

function tokensOfDrafts(drafts: readonly EntryDraft[]): number {
  return messageTokens(messagesOf(drafts));
}

function messagesOf(drafts: readonly EntryDraft[]): readonly ModelMessage[] {
  return buildContext(drafts.map((draft) => ({ meta: {}, ...draft, id: 0, date: "" }))).messages;
}
