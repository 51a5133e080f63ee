// One model call of a step: asked with retries and stand-ins, its deltas passed on, its end made one answer.
import { AsyncQueue } from "../../base/async-queue.ts";
import { type BubError, toBubError } from "../../base/errors.ts";
import type { StepStatus, StreamEvent, Usage } from "../../base/events.ts";
import type { JsonValue } from "../../base/json.ts";
import { guardModel } from "../../model/guard.ts";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../model/model.ts";
import { isModelError } from "../../model/model-error.ts";
import { isFallbackWorthy, streamWithRetry } from "../../model/retry.ts";
import { type ParsedCall, parseCall } from "../../tools/call.ts";
import { answerTokens, knownLimits, messagesFor } from "./model-limits.ts";

import { rejectionDraft, suspectMedia } from "./rejected-media.ts";
import type { Run } from "./run.ts";
import type { StepPlace } from "./step.ts";
import { foreseenOverflow } from "./window.ts";

/** What came of a call; with `error`, or cancelled, it holds what came before that. */
export interface Answer {
  readonly status: StepStatus;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ParsedCall[];
  readonly providerData?: JsonValue;
  readonly usage?: Usage;
  readonly error?: BubError;
}

export async function* callModel(run: Run, place: StepPlace): AsyncGenerator<StreamEvent, Answer> {
  const { turn, models } = run;
  const { sessionId, turnId, events, runtime } = turn;
  const request = await buildRequest(run);
  const foreseen = await foreseenOverflow(run, request);
  if (foreseen !== undefined) return new AnswerBuilder().end("error", foreseen);
  const started = performance.now();
  events.emit("model-call-started", { sessionId, turnId, runId: place.runId, step: place.step, model: models.id });
  const answer = yield* firstThatAnswers(run, request, place);
  const elapsedMs = performance.now() - started;
  const { status, usage, text } = answer;
  events.emit("model-call-finished", {
    sessionId,
    turnId,
    runId: place.runId,
    step: place.step,
    model: models.id,
    status,
    usage,
    elapsedMs,
  });
  await runtime.hooks.notify("afterModelCall", { status, usage, text }, turn);
  return answer;
}

async function buildRequest(run: Run): Promise<ModelRequest> {
  const { turn, system, reasoningEffort } = run;
  const { runtime, signal } = turn;
  const messages = await run.messages();
  const request: ModelRequest = {
    system,
    messages,
    tools: run.toolset().modelTools(),
    maxTokens: answerTokens(runtime.settings.maxTokens, await knownLimits(run, messages)),
    reasoningEffort,
    loadMedia: async ({ data, sha256 = "" }) =>
      data ?? Buffer.from(await runtime.storage.media.get(sha256)).toString("base64"),
    signal,
  };
  return runtime.hooks.chain("beforeModelCall", request, turn);
}

/** Goes over to the next model when one fails before its first content; the first failure is the one to tell. */
async function* firstThatAnswers(
  run: Run,
  request: ModelRequest,
  place: StepPlace,
): AsyncGenerator<StreamEvent, Answer> {
  let first: Answer | undefined;
  for (;;) {
    const answer = yield* askWithoutRefused(run, request, place);
    // Too long is too long, whatever was wrong with the model before: the conversation can be cut.
    if (failsBefore("overflow", answer)) return answer;
    first ??= answer;
    if (answer.error === undefined || isStarted(answer) || !isFallbackWorthy(answer.error))
      return answer.error ? first : answer;
    const failed = run.models.id;
    if ((await run.models.next()) === undefined) return first;
    yield place.event({
      type: "notice",
      message: `${failed} failed: ${answer.error.message} Going on with ${run.models.id}.`,
      is_passing: false,
    });
  }
}

/** Asks again with notes in the place of media that the model refused; they stay away from it from then on. */
async function* askWithoutRefused(
  run: Run,
  request: ModelRequest,
  place: StepPlace,
): AsyncGenerator<StreamEvent, Answer> {
  for (;;) {
    const messages = await messagesFor(run, request.messages, await knownLimits(run, request.messages));
    const answer = yield* ask(run, { ...request, messages }, place);
    const refused = failsBefore("rejected-image", answer) ? suspectMedia(messages) : [];
    if (refused.length === 0) return answer;
    const { id } = run.models;
    await run.turn.tape.append([rejectionDraft(id, refused, place.meta)]);
    const kinds = [...new Set(refused.map(({ type }) => type))].join(" and ");
    yield place.event({
      type: "notice",
      message: `${id} refused the ${kinds} in this conversation. Going on with a note instead.`,
      is_passing: false,
    });
  }
}

/** True when the answer failed in this way before its first content. */
export function failsBefore(failure: ModelFailure, answer: Answer): boolean {
  return isModelError(answer.error) && answer.error.facts.failure === failure && !isStarted(answer);
}

function isStarted({ text, reasoning, calls }: Answer): boolean {
  return text !== "" || reasoning !== "" || calls.length > 0;
}

async function* ask(run: Run, request: ModelRequest, place: StepPlace): AsyncGenerator<StreamEvent, Answer> {
  const building = new AnswerBuilder();
  try {
    for await (const event of streamEvents(run, request)) {
      if (event.type === "notice") yield place.event(event);
      else {
        building.add(event);
        if (event.type === "text-delta" || event.type === "reasoning-delta") yield place.event(event);
        if (event.type === "finish" && event.reason === "length") yield place.event(lengthNotice(request.maxTokens));
        if (event.type === "finish" && event.reason === "content-filter") yield place.event(filterNotice);
      }
    }
    return building.end("ok");
  } catch (error) {
    if (run.turn.signal.aborted) return building.end("cancelled");
    const failure = toBubError(error, "provider");
    // It goes onto the tape and into notices, and a provider may repeat what it was sent.
    failure.message = run.turn.runtime.mask.mask(failure.message);
    return building.end("error", failure);
  }
}

type Notice = { type: "notice"; message: string; is_passing: boolean };

/** The model's events, and a notice as soon as a try failed. */
async function* streamEvents(run: Run, request: ModelRequest): AsyncGenerator<ModelEvent | Notice> {
  const { modelIdleSeconds, modelTimeoutSeconds } = run.turn.runtime.settings;
  const model: Model = guardModel(run.models.current, {
    idleMs: modelIdleSeconds * 1000,
    timeoutMs: modelTimeoutSeconds === undefined ? undefined : modelTimeoutSeconds * 1000,
  });
  const stop = new AbortController();
  const { signal } = stop;
  const abort = () => stop.abort(request.signal.reason);
  if (request.signal.aborted) abort();
  // AbortSignal.any costs more than the rest of what is made for a call.
  else request.signal.addEventListener("abort", abort, { once: true });
  const queue = new AsyncQueue<ModelEvent | Notice>();
  const onRetry = ({ error, waitMs }: { error: BubError; waitMs: number }) => {
    const message = `${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`;
    queue.push({ type: "notice", message, is_passing: true });
  };
  let isOver = false;
  const pump = (async () => {
    try {
      for await (const event of streamWithRetry(model, { ...request, signal }, { onRetry })) queue.push(event);
    } finally {
      isOver = true;
      queue.end();
    }
  })();
  pump.catch(() => undefined);
  try {
    yield* queue;
    await pump;
  } finally {
    request.signal.removeEventListener("abort", abort);
    if (!isOver) stop.abort();
  }
}

class AnswerBuilder {
  #text = "";
  #reasoning = "";
  #providerData: JsonValue | undefined;
  #usage: Usage | undefined;
  readonly #calls: ParsedCall[] = [];

  add(event: ModelEvent): void {
    if (event.type === "text-delta") this.#text += event.delta;
    else if (event.type === "reasoning-delta") this.#reasoning += event.delta;
    else if (event.type === "tool-call") this.#calls.push(parseCall(event, { complete: event.incomplete !== true }));
    else if (event.type === "finish") {
      this.#usage = event.usage;
      this.#providerData = event.providerData;
    }
  }

  end(status: StepStatus, error?: BubError): Answer {
    // Calls of an answer that did not end as it should never run, so they are not kept either.
    const calls = status === "ok" ? this.#calls : [];
    const parts = {
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      usage: this.#usage,
      providerData: this.#providerData,
    };
    return { status, ...parts, ...(error !== undefined && { error }) };
  }
}

function lengthNotice(maxTokens: number): Notice {
  const message = `The answer was cut at its limit of ${maxTokens} tokens (BUB_MAX_TOKENS).`;
  return { type: "notice", message, is_passing: false };
}

const filterNotice: Notice = {
  type: "notice",
  message: "The provider's content filter ended the answer.",
  is_passing: false,
};
