// A run: step after step, until the model answers without calling tools and nobody has anything to add.
import { contentToJson } from "../../base/content.ts";
import type { StepStatus, StreamEvent } from "../../base/events.ts";
import type { Prompt } from "../../kernel/envelope.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import { openRun, type Run } from "./run.ts";
import { placeStep, runStep, type StepEnd, type StepPlace } from "./step.ts";

type Message = Extract<Prompt, { kind: "message" }>;

/** Answers a message. Events end with `final`; what the model does wrong is an event, what the tape does is thrown. */
export async function* runLoop(message: Message, turn: Turn): AsyncGenerator<StreamEvent, void> {
  const { sessionId, turnId, events, runtime } = turn;
  const { maxSteps } = runtime.settings;
  const run = await openRun(turn);
  events.emit("run-started", { sessionId, turnId, model: run.models.id });
  let fresh: readonly EntryDraft[] = [userMessage(message)];
  let end: StepEnd | undefined;
  try {
    for (;;) {
      const step = placeStep(run, (end?.place.step ?? 0) + 1);
      if (maxSteps !== undefined && step.step > maxSteps) {
        end = yield* stopAt(maxSteps, run, step);
        break;
      }
      end = yield* runStep(run, step, fresh);
      if (end.status !== "ok") break;
      const more = end.calls > 0 ? [] : await moreWork(turn);
      if (more === undefined) break;
      fresh = more.map(userMessage);
    }
    const { place, text } = end;
    const status = statusOf(turn, end);
    yield place.event({ type: "final", ok: status === "ok", text, status });
  } finally {
    const steps = end?.place.step ?? 0;
    const usage = { usage: { ...run.usage }, childUsage: { ...turn.state.childUsage } };
    events.emit("run-finished", { sessionId, turnId, status: statusOf(turn, end), steps, ...usage });
  }
}

function statusOf({ signal }: Turn, end: StepEnd | undefined): StepStatus {
  return signal.aborted ? "cancelled" : (end?.status ?? "error");
}

async function* stopAt(maxSteps: number, { turn }: Run, place: StepPlace): AsyncGenerator<StreamEvent, StepEnd> {
  const message = `The run was stopped after ${maxSteps} steps (BUB_MAX_STEPS); send another message to let it go on.`;
  await turn.tape.append([{ kind: "error", payload: { kind: "tool", message }, meta: place.meta }]);
  yield place.event({ type: "error", kind: "tool", message });
  return { status: "error", text: "", calls: 0, place };
}

/** What to go on with after an answer: prompts, or an empty list when the inbox has something; undefined ends the run. */
async function moreWork(turn: Turn): Promise<readonly Message[] | undefined> {
  const { runtime, inbox, signal } = turn;
  for (;;) {
    if (signal.aborted) return undefined;
    const answers = (await runtime.hooks.collect("continueRun", turn)).map(({ answer }) => answer);
    const prompts = answers.filter((answer) => answer !== "outstanding" && answer.kind === "message") as Message[];
    if (prompts.length > 0) return prompts;
    if ((await inbox.pending()).length > 0) return [];
    if (!answers.includes("outstanding")) return undefined;
    await inbox.changed(signal).catch(() => undefined);
  }
}

function userMessage({ content, meta }: Message): EntryDraft {
  return { kind: "message", payload: { role: "user", content: contentToJson(content) }, meta };
}
