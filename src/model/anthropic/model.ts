// Models of Anthropic's Messages API, and of servers that speak its format.
import type { Model } from "../model.ts";
import { createWireModel, listOn, versionedAddressOf, type WireOptions } from "../wire.ts";
import { MessagesAnswerReader } from "./answer.ts";
import { MessagesBodyBuilder } from "./request.ts";

export function createAnthropicModel(options: WireOptions): Model {
  const { provider, modelId, apiBase, key, completionArgs } = options;
  const maker = { provider, modelId, format: "anthropic" };
  const builder = new MessagesBodyBuilder(maker, completionArgs);
  const list = versionedAddressOf(apiBase, "v1", "/models");
  list.searchParams.set("limit", "1000");
  return createWireModel(options, {
    url: versionedAddressOf(apiBase, "v1", "/messages"),
    list: listOn("api.anthropic.com", list),
    headers: { "anthropic-version": "2023-06-01", ...(key !== undefined && { "x-api-key": key }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new MessagesAnswerReader(answer, maker),
  });
}
