// Runs the calls of one step and records each result when it is there.
import { contentToJson, isMediaPart } from "../../base/content.ts";
import type { StreamEvent } from "../../base/events.ts";
import type { InboxId } from "../../base/ids.ts";
import type { RecordedResult, RecordedResultCall } from "../../tape/entry.ts";
import { inboxIdsOf } from "../../tape/fold.ts";
import type { ParsedCall } from "../../tools/call.ts";
import { executeCall } from "../../tools/execute.ts";
import { recordedResult, type ToolOutcome } from "../../tools/outcome.ts";
import { runCalls } from "../../tools/schedule.ts";
import { storePart } from "./media.ts";
import type { Run } from "./run.ts";
import type { StepPlace } from "./step.ts";

/** Answers a sentence when the run only repeats itself and has to end. */
export async function* runTools(
  run: Run,
  place: StepPlace,
  calls: readonly ParsedCall[],
): AsyncGenerator<StreamEvent, string | undefined> {
  const { turn } = run;
  for (const { id, name, arguments: args } of calls)
    yield place.event({ type: "tool-call", id, name, arguments: args });
  const toolset = run.toolset();
  const { environment, signal, clock, log } = turn;
  const context = { turn, toolset, environment, origin: "model", signal, clock, log } as const;
  const start = (call: ParsedCall) => {
    const { sessionId, turnId } = turn;
    turn.events.emit("tool-call-started", {
      sessionId,
      turnId,
      runId: place.runId,
      callId: call.id,
      name: call.name,
      arguments: call.arguments,
    });
    return executeCall(call, context, run.interception);
  };
  let looping: string | undefined;
  for await (const finished of runCalls(calls, start, {
    toolset,
    signal,
    log,
    maxConcurrency: turn.runtime.settings.maxToolConcurrency,
  })) {
    const { outcome, stop } = guarded(run, calls, finished);
    looping ??= stop;
    await recordResult(run, place, outcome);
    yield resultEvent(run, place, outcome);
  }
  return looping;
}

function guarded(
  run: Run,
  calls: readonly ParsedCall[],
  outcome: ToolOutcome,
): { outcome: ToolOutcome; stop?: string } {
  const call = calls.find(({ id }) => id === outcome.id);
  const name = run.toolset().find(outcome.name, "model")?.tool.name ?? outcome.name;
  const verdict = run.guard.see(name, call?.arguments, outcome.text);
  if (verdict === "go") return { outcome };
  if (verdict === "stop") {
    const count = run.guard.limit + 1;
    return { outcome, stop: `The run ended because ${outcome.name} gave the same result ${count} times in a row.` };
  }
  return { outcome: withWarning(outcome, run.guard.warning) };
}

function withWarning(outcome: ToolOutcome, warning: string): ToolOutcome {
  const text = `${outcome.text}\n\n${warning}`;
  if (outcome.error !== undefined) {
    const details = { ...outcome.error.details, warning };
    return { ...outcome, text, content: text, error: { ...outcome.error, details } };
  }
  const { content } = outcome;
  return {
    ...outcome,
    text,
    content: typeof content === "string" ? text : [...content, { type: "text", text: warning }],
  };
}

async function recordResult(run: Run, { meta }: StepPlace, outcome: ToolOutcome): Promise<void> {
  const { tape, inbox, runtime } = run.turn;
  const pair: RecordedResultCall = { id: outcome.id, name: outcome.name, status: outcome.status };
  const result = await withStoredMedia(recordedResult(outcome), runtime.storage.media);
  const entryMeta = { ...meta, ...outcome.meta, calls: [{ ...pair }] };
  await tape.append([{ kind: "tool_result", payload: { results: [result as never] }, meta: entryMeta }]);
  // Items that the result holds are on the tape by now.
  await inbox.taken(inboxIdsOf(entryMeta) as readonly InboxId[]);
}

async function withStoredMedia(result: RecordedResult, media: Parameters<typeof storePart>[1]): Promise<unknown> {
  if (typeof result === "string" || !("content" in result)) return result;
  const content = await Promise.all(result.content.map((part) => (isMediaPart(part) ? storePart(part, media) : part)));
  return { ...result, content: contentToJson(content) };
}

function resultEvent({ turn }: Run, place: StepPlace, outcome: ToolOutcome): StreamEvent {
  const { id, name, value, text, isError, elapsedMs } = outcome;
  const { sessionId, turnId, events } = turn;
  events.emit("tool-call-finished", { sessionId, turnId, runId: place.runId, callId: id, name, isError, elapsedMs });
  return place.event({ type: "tool-result", id, name, value, text, is_error: isError, elapsed_ms: elapsedMs });
}
