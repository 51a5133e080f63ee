// One model call of a step: asked with retries and stand-ins, its deltas passed on, its end made one answer.
import { AsyncQueue } from "../../base/async-queue.ts";
import { type BubError, toBubError } from "../../base/errors.ts";
import type { StepStatus, StreamEvent, Usage } from "../../base/events.ts";
import type { JsonValue } from "../../base/json.ts";
import { guardModel } from "../../model/guard.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/model.ts";
import { isFallbackWorthy, streamWithRetry } from "../../model/retry.ts";
import { type ParsedCall, parseCall } from "../../tools/call.ts";
import type { Run } from "./run.ts";
import type { StepPlace } from "./step.ts";

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
  const request: ModelRequest = {
    system,
    messages: await run.messages(),
    tools: run.toolset().modelTools(),
    maxTokens: runtime.settings.maxTokens,
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
    const answer = yield* ask(run, request, place);
    first ??= answer;
    if (answer.error === undefined || isStarted(answer) || !isFallbackWorthy(answer.error))
      return answer.error ? first : answer;
    const failed = run.models.id;
    if ((await run.models.next()) === undefined) return first;
    yield place.event({
      type: "notice",
      message: `${failed} failed: ${answer.error.message} Going on with ${run.models.id}.`,
    });
  }
}

function isStarted({ text, reasoning, calls }: Answer): boolean {
  return text !== "" || reasoning !== "" || calls.length > 0;
}

async function* ask(run: Run, request: ModelRequest, place: StepPlace): AsyncGenerator<StreamEvent, Answer> {
  const { settings } = run.turn.runtime;
  const building = new AnswerBuilder();
  try {
    for await (const event of streamEvents(run, request)) {
      if (event.type === "notice") yield place.event(event);
      else {
        building.add(event);
        if (event.type === "text-delta" || event.type === "reasoning-delta") yield place.event(event);
        if (event.type === "finish" && event.reason === "length") yield place.event(lengthNotice(settings.maxTokens));
        if (event.type === "finish" && event.reason === "content-filter") yield place.event(filterNotice);
      }
    }
    return building.end("ok");
  } catch (error) {
    if (run.turn.signal.aborted) return building.end("cancelled");
    return building.end("error", toBubError(error, "provider"));
  }
}

type Notice = { type: "notice"; message: string };

/** The model's events, and a notice as soon as a try failed. */
async function* streamEvents(run: Run, request: ModelRequest): AsyncGenerator<ModelEvent | Notice> {
  const { modelIdleSeconds, modelTimeoutSeconds } = run.turn.runtime.settings;
  const model: Model = guardModel(run.models.current, {
    idleMs: modelIdleSeconds * 1000,
    timeoutMs: modelTimeoutSeconds === undefined ? undefined : modelTimeoutSeconds * 1000,
  });
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const queue = new AsyncQueue<ModelEvent | Notice>();
  const onRetry = ({ error, waitMs }: { error: BubError; waitMs: number }) =>
    queue.push({ type: "notice", message: `${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.` });
  const pump = (async () => {
    try {
      for await (const event of streamWithRetry(model, { ...request, signal }, { onRetry })) queue.push(event);
    } finally {
      queue.end();
    }
  })();
  pump.catch(() => undefined);
  try {
    yield* queue;
    await pump;
  } finally {
    stop.abort();
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
  return { type: "notice", message: `The answer was cut at its limit of ${maxTokens} tokens (BUB_MAX_TOKENS).` };
}

const filterNotice: Notice = { type: "notice", message: "The provider's content filter ended the answer." };
