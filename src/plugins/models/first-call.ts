// The first call to a model that somebody has just set up, and a plain verdict on it.
import { BubError, messageOf, sentencesOf } from "../../base/errors.ts";
import { cutToWidth, toOneLine } from "../../base/terminal-text.ts";
import { renderDuration } from "../../base/tool-line.ts";
import { withoutAdvice } from "../../model/errors.ts";
import { guardModel } from "../../model/guard.ts";
import type { Model, ModelFailure } from "../../model/model.ts";
import { isModelError } from "../../model/model-error.ts";

/** A model on one's own machine may have to be loaded first (milliseconds). */
const patienceMs = 60_000;
/** Enough for one word, also of a model that thinks first (tokens). */
const mostTokens = 1024;
const shownColumns = 60;

/**
 * Asks the model for one word and answers what to tell a person.
 * @throws BubError with the verdict and what to do about it; the signal's reason
 */
export async function makeFirstCall(model: Model, signal: AbortSignal): Promise<string> {
  const started = performance.now();
  let answer = "";
  try {
    const request = {
      system: "",
      messages: [{ role: "user", content: "Answer with the one word: ready" }] as const,
      tools: [],
      maxTokens: mostTokens,
      loadMedia: () => Promise.reject(new Error("there is no media")),
      signal,
    };
    for await (const event of guardModel(model, { timeoutMs: patienceMs }).stream(request))
      if (event.type === "text-delta") answer += event.delta;
  } catch (error) {
    signal.throwIfAborted();
    throw verdictOn(error);
  }
  const said = toOneLine(answer);
  const shown = cutToWidth(said, shownColumns);
  const time = renderDuration(performance.now() - started);
  return `It works: ${model.provider}:${model.modelId} answered ${shown === "" ? "" : `"${shown}" `}after ${time}.`;
}

function verdictOn(error: unknown): BubError {
  if (!isModelError(error))
    return new BubError("provider", `The first call failed: ${sentencesOf(error)}`, { cause: error });
  return new BubError(error.kind, withoutAdvice(messageOf(error)), {
    hint: error.hint ?? advice[error.facts.failure],
    cause: error,
  });
}

const advice: Partial<Record<ModelFailure, string>> = {
  unauthorized: "Was the key copied whole, and is it one of this provider?",
  "rate-limited": "That is the provider's limit, not your set-up: wait a minute, or take another model.",
  rejected: "Check the model's name; the address of an API often ends in /v1.",
  server: "That is the provider's fault: try again in a minute.",
  cut: "Try again in a minute.",
  idle: "A model on your own machine may still be loading: try again.",
  timeout: "A model on your own machine may still be loading: try again.",
  empty: "Try again, or take another model.",
  malformed: "Is that the address of an API, and not of a web page? It often ends in /v1.",
};
