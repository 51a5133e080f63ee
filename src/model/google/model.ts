// Models of Google's Gemini API, and of servers that speak its format.
import type { Model } from "../model.ts";
import { createWireModel, listOn, versionedAddressOf, type WireOptions } from "../wire.ts";
import { GeminiAnswerReader } from "./answer.ts";
import { GeminiBodyBuilder } from "./request.ts";

export function createGoogleModel(options: WireOptions): Model {
  const { provider, apiBase, key, completionArgs } = options;
  const modelId = options.modelId.replace(/^models\//, "");
  const maker = { provider, modelId, format: "google" };
  const builder = new GeminiBodyBuilder(maker, completionArgs);
  const url = versionedAddressOf(apiBase, "v1beta", `/models/${encodeURIComponent(modelId)}:streamGenerateContent`);
  url.searchParams.set("alt", "sse");
  const list = versionedAddressOf(apiBase, "v1beta", "/models");
  list.searchParams.set("pageSize", "1000");
  return createWireModel(options, {
    url,
    list: listOn("generativelanguage.googleapis.com", list),
    headers: { ...(key !== undefined && { "x-goog-api-key": key }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new GeminiAnswerReader(answer, maker),
  });
}
