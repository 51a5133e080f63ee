// One step: messages in, one model call, its answer recorded, its tools run, their results recorded.
import { contentFromJson, contentToJson } from "../../base/content.ts";
import { addUsage, type StepStatus, type StreamEvent, type StreamEventBody } from "../../base/events.ts";
import { type InboxId, newRunId, type RunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import type { InboxItem } from "../../tape/store.ts";
import { storeMedia } from "./media.ts";
import type { Answer } from "./model-call.ts";
import { shortened } from "./notification.ts";
import { callWithinWindow } from "./overflow.ts";
import { type Run, stepMeta } from "./run.ts";
import { runTools } from "./tool-calls.ts";

export interface StepEnd {
  readonly status: StepStatus;
  readonly text: string;
  /** How many tools the model called. */
  readonly calls: number;
  readonly place: StepPlace;
}

/** Where a step is, for its events and entries. */
export interface StepPlace {
  readonly runId: RunId;
  readonly step: number;
  readonly meta: JsonObject;
  event(body: StreamEventBody): StreamEvent;
}

/**
 * @param fresh messages that no inbox holds: the prompt, or what `continueRun` gave
 * @throws what the tape throws when it cannot be written: nothing has happened then that is not on it
 */
export async function* runStep(
  run: Run,
  place: StepPlace,
  fresh: readonly EntryDraft[],
): AsyncGenerator<StreamEvent, StepEnd> {
  const { tape, events, sessionId, turnId } = run.turn;
  await recordMessages(run, place, fresh);
  const answer = yield* callWithinWindow(run, place);
  await recordAnswer(run, place, answer);
  if (answer.usage !== undefined) {
    addUsage(run.usage, answer.usage);
    yield place.event({ type: "usage", usage: answer.usage });
  }
  if (answer.error !== undefined) {
    yield place.event({ type: "error", kind: answer.error.kind, message: answer.error.message });
  }
  const looping =
    answer.calls.length > 0 && answer.status === "ok" ? yield* runTools(run, place, answer.calls) : undefined;
  const status = run.turn.signal.aborted ? "cancelled" : looping !== undefined ? "error" : answer.status;
  await recordEnd(run, place, { status, answer, looping });
  if (answer.calls.length === 0) await tape.sync();
  if (looping !== undefined) yield place.event({ type: "error", kind: "tool", message: looping });
  events.emit("step-finished", { sessionId, turnId, runId: place.runId, step: place.step, status });
  yield place.event({ type: "step-finished", status });
  return { status, text: answer.text, calls: answer.calls.length, place };
}

/** @param step counts from 1 */
export function placeStep({ turn }: Run, step: number): StepPlace {
  const runId = newRunId();
  const where = { turn_id: turn.turnId, run_id: runId, session_id: turn.sessionId, step };
  const event = (body: StreamEventBody): StreamEvent => ({ ...body, ...where, date: turn.clock.now().toISOString() });
  return { runId, step, meta: stepMeta(turn, runId), event };
}

/** Writes what the model has not seen yet: the system prompt if it changed, the inbox, then the fresh messages. */
async function recordMessages(run: Run, { meta }: StepPlace, fresh: readonly EntryDraft[]): Promise<void> {
  const { tape, inbox, runtime } = run.turn;
  // A fresh message may be an item itself: one that waited for a turn of its own.
  const own = fresh.flatMap((draft) => (typeof draft.meta?.inbox === "string" ? [draft.meta.inbox as InboxId] : []));
  const waiting = (await inbox.pending()).filter(({ id }) => !own.includes(id));
  const fromInbox = waiting.filter(({ id }) => !tape.facts.inbox.includes(id));
  const news = await Promise.all(fromInbox.map((item) => messageOf(item, run)));
  const system: EntryDraft[] =
    run.context.system === run.system ? [] : [{ kind: "system", payload: { content: run.system } }];
  // What was sent to a child's task before it began follows on its prompt.
  const messages = run.turn.isChild ? [...fresh, ...news] : [...news, ...fresh];
  const drafts = await Promise.all([...system, ...messages].map((draft) => storeMedia(draft, runtime.storage.media)));
  if (drafts.length > 0) await tape.append(drafts.map((draft) => ({ ...draft, meta: { ...meta, ...draft.meta } })));
  await inbox.taken([...waiting.map(({ id }) => id), ...own]);
}

/** What somebody says into a run is a message like the one that began it. */
async function messageOf({ id, kind, payload, meta }: InboxItem, run: Run): Promise<EntryDraft> {
  const { turn } = run;
  const message: JsonObject = { role: "user", ...payload };
  if (kind === "steer") {
    const said = contentFromJson(payload.content);
    message.content = contentToJson(await turn.runtime.hooks.chain("prepareMessage", said, turn));
  } else message.content = await shortened(payload.content, run);
  return { kind: "message", payload: message, meta: { ...meta, inbox: id } };
}

/** One batch: the text or the calls, and the error if there is one. On disk before a tool runs. */
async function recordAnswer(run: Run, { meta }: StepPlace, answer: Answer): Promise<void> {
  const { text, reasoning, providerData, error } = answer;
  const thoughts = {
    ...(reasoning !== "" && answer.status === "ok" && { reasoning }),
    ...(providerData !== undefined && { provider_data: providerData }),
  };
  const drafts: EntryDraft[] = [];
  if (answer.calls.length > 0) {
    const calls = answer.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
    drafts.push({ kind: "tool_call", payload: { calls, ...(text !== "" && { content: text }), ...thoughts }, meta });
  } else if (text !== "") {
    drafts.push({ kind: "message", payload: { role: "assistant", content: text, ...thoughts }, meta });
  }
  if (error !== undefined) {
    const { kind, message, details } = error;
    drafts.push({ kind: "error", payload: { kind, message, ...(details !== undefined && { details }) }, meta });
  }
  if (drafts.length > 0) await run.turn.tape.append(drafts);
  if (answer.calls.length > 0) await run.turn.tape.sync();
}

interface End {
  status: StepStatus;
  answer: Answer;
  looping: string | undefined;
}

async function recordEnd(run: Run, { meta }: StepPlace, { status, answer, looping }: End): Promise<void> {
  const { provider, modelId } = run.models.current;
  const usage = answer.usage === undefined ? {} : { usage: { ...answer.usage } };
  const { nestedCalls: nested } = run.turn.state;
  run.turn.state.nestedCalls = undefined;
  const data = { status, ...usage, provider, model: modelId, ...(nested !== undefined && { nested }) };
  const drafts: EntryDraft[] = [{ kind: "event", payload: { name: "run", data }, meta }];
  if (looping !== undefined) drafts.unshift({ kind: "error", payload: { kind: "tool", message: looping }, meta });
  await run.turn.tape.append(drafts);
}
