// Models of Anthropic's Messages API, and of servers that speak its format.
import type { Model } from "../model.ts";
import { createWireModel, versionedAddressOf, type WireOptions } from "../wire.ts";
import { MessagesAnswerReader } from "./answer.ts";
import { MessagesBodyBuilder } from "./request.ts";

export function createAnthropicModel(options: WireOptions): Model {
  const { provider, modelId, apiBase, key, completionArgs } = options;
  const maker = { provider, modelId, format: "anthropic" };
  const builder = new MessagesBodyBuilder(maker, completionArgs);
  return createWireModel(options, {
    url: versionedAddressOf(apiBase, "v1", "/messages"),
    headers: { "anthropic-version": "2023-06-01", ...(key !== undefined && { "x-api-key": key }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new MessagesAnswerReader(answer, maker),
  });
}
