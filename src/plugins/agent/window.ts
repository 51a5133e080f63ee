// The context window of the model in use: whether a request fits, and the sentences for when nothing does.
import type { ModelRequest } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import { answerTokens, knownLimits } from "./model-limits.ts";
import type { Run } from "./run.ts";
import { estimateTokens, fixedTokens } from "./tokens.ts";

/** The overflow that a request would be, when the window is known: then it is not sent. */
export async function foreseenOverflow(run: Run, request: ModelRequest): Promise<ModelError | undefined> {
  const { contextWindow } = await knownLimits(run, request.messages);
  if (contextWindow === undefined) return undefined;
  const { messages, maxTokens } = request;
  // What a plugin put in the place of the tape's messages was never counted.
  const tokens = estimateTokens(request, messages === run.context.messages ? run.context.measured : undefined);
  if (tokens + maxTokens <= contextWindow) return undefined;
  return overflow(
    `The conversation takes about ${tokens} tokens, which with ${maxTokens} for the answer is more than the ` +
      `${contextWindow} of ${run.models.id}.`,
  );
}

/** Tokens of a known window that are left for messages; undefined when it is not known. */
export async function messageRoom(run: Run): Promise<number | undefined> {
  const limits = await knownLimits(run, run.context.messages);
  if (limits.contextWindow === undefined) return undefined;
  const { settings } = run.turn.runtime;
  return limits.contextWindow - answerTokens(settings.maxTokens, limits) - fixedTokens(fixedParts(run));
}

/** Not even an empty conversation fits. */
export function fixedTooLarge(run: Run): ModelError {
  const fixed = fixedTokens(fixedParts(run));
  return overflow(
    `The system prompt and the tools alone take about ${fixed} tokens and do not fit the context window of ` +
      `${run.models.id}: use a model with a larger one, allow fewer tools, or correct BUB_CONTEXT_WINDOW.`,
  );
}

/** Nothing is left that could be left out. */
export function turnTooLarge(run: Run): ModelError {
  return overflow(
    `The message and what the run needs to go on do not fit the context window of ${run.models.id}: ` +
      "send less at once, or use a model with a larger one.",
  );
}

/** The provider still refuses what was cut down twice. */
export function stillTooLong(error: Error): ModelError {
  return overflow(
    `${error.message} It was cut down twice and is still too long: send less at once, allow fewer tools, or use a ` +
      "model with a larger context window.",
  );
}

function fixedParts(run: Run): { system: string; tools: ReturnType<ReturnType<Run["toolset"]>["modelTools"]> } {
  return { system: run.system, tools: run.toolset().modelTools() };
}

function overflow(message: string): ModelError {
  return new ModelError(message, { failure: "overflow", retryable: false });
}
