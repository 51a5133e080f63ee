// Models of OpenAI's Responses API, and of servers that speak its format.
import type { Model } from "../model.ts";
import { addressOf, createWireModel, type WireOptions } from "../wire.ts";
import { ResponsesAnswerReader } from "./answer.ts";
import { ResponsesBodyBuilder } from "./request.ts";

export function createResponsesModel(options: WireOptions): Model {
  const { provider, modelId, apiBase, key, completionArgs } = options;
  const maker = { provider, modelId, format: "responses" };
  const builder = new ResponsesBodyBuilder(maker, completionArgs);
  return createWireModel(options, {
    url: addressOf(apiBase, "/responses"),
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new ResponsesAnswerReader(answer, maker),
  });
}
