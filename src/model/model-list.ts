// A provider's list of models: read for what it says of one of them.
import type { MediaType } from "../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { ModelLimits } from "./model.ts";
import type { Transport } from "./transport.ts";

export interface ModelListRequest {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/** Bytes; no list is longer. */
const largestList = 16 * 1024 * 1024;

/**
 * What the list at that address says of a model; nothing when there is no such list, or no such model in it.
 * @throws ModelError when the server cannot be reached, or the signal's reason
 */
export async function askModelList(modelId: string, request: ModelListRequest): Promise<ModelLimits> {
  return limitsIn(await fetchModelList(request), modelId);
}

/**
 * The list at that address; undefined when there is none.
 * @throws ModelError when the server cannot be reached, or the signal's reason
 */
export async function fetchModelList(request: ModelListRequest): Promise<JsonValue | undefined> {
  const { url, headers, transport, signal } = request;
  const response = await transport.get({ url: url.href, headers: { ...headers, accept: "application/json" }, signal });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    if (response.status !== 200) return undefined;
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      if (bytes > largestList) return undefined;
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  return parseJson(Buffer.concat(chunks).toString("utf8"));
}

/** Reads a list in the shapes of OpenRouter, Anthropic, Google and vLLM. */
export function limitsIn(list: JsonValue | undefined, modelId: string): ModelLimits {
  if (!isJsonObject(list)) return {};
  const models = [list.data, list.models].flatMap((value) => (Array.isArray(value) ? value : []));
  const model = models.find((one) => isJsonObject(one) && [one.id, one.name].some((name) => isName(name, modelId)));
  if (!isJsonObject(model)) return {};
  const contextWindow = windowOf(model);
  const media = mediaOf(model);
  return { ...(contextWindow !== undefined && { contextWindow }), ...(media !== undefined && { media }) };
}

function isName(name: JsonValue | undefined, modelId: string): boolean {
  return name === modelId || name === `models/${modelId}`;
}

function windowOf(model: JsonObject): number | undefined {
  const { top_provider: provider } = model;
  // What answers may take less than the model could.
  const values = [
    isJsonObject(provider) ? provider.context_length : undefined,
    model.context_length,
    model.max_model_len,
    model.max_input_tokens,
    model.inputTokenLimit,
  ];
  return values.find((value): value is number => typeof value === "number" && value > 0);
}

function mediaOf({ architecture, capabilities }: JsonObject): readonly MediaType[] | undefined {
  const modalities = isJsonObject(architecture) ? architecture.input_modalities : undefined;
  if (Array.isArray(modalities)) return mediaTypes.filter((type) => modalities.includes(type));
  const images = isJsonObject(capabilities) ? capabilities.image_input : undefined;
  if (!isJsonObject(images) || typeof images.supported !== "boolean") return undefined;
  return images.supported ? ["image"] : [];
}

const mediaTypes: readonly MediaType[] = ["image", "audio", "video"];
