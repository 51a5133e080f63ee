// Models of OpenAI's Responses API, and of servers that speak its format.
import type { Model, ModelEvent } from "../model.ts";
import { isModelError } from "../model-error.ts";
import { addressOf, createWireModel, type WireOptions } from "../wire.ts";
import { ResponsesAnswerReader } from "./answer.ts";
import { ResponsesBodyBuilder } from "./request.ts";

export function createResponsesModel(options: WireOptions): Model {
  const { provider, modelId, apiBase, key, completionArgs } = options;
  const maker = { provider, modelId, format: "responses" };
  const builder = new ResponsesBodyBuilder(maker, completionArgs);
  const model = createWireModel(options, {
    url: addressOf(apiBase, "/responses"),
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new ResponsesAnswerReader(answer, maker),
  });
  return {
    ...model,
    async *stream(request): AsyncGenerator<ModelEvent, void, undefined> {
      try {
        yield* model.stream(request);
      } catch (error) {
        if (!isAboutSummary(error) || !builder.leaveOutSummary()) throw error;
        yield* model.stream(request);
      }
    },
  };
}

/** OpenAI writes summaries of reasoning only for organisations that it has verified, and refuses whole requests of others. */
function isAboutSummary(error: unknown): boolean {
  return isModelError(error) && error.facts.status === 400 && /reasoning[. ]summar/i.test(error.message);
}
