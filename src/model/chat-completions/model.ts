// Models of servers that speak the OpenAI Chat Completions format.
import type { JsonObject } from "../../base/json.ts";
import type { Endpoint } from "../errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import type { Transport } from "../transport.ts";
import { AnswerReader } from "./answer.ts";
import { readAnswer, readHttpError } from "./answer-body.ts";
import { BodyBuilder } from "./request.ts";

export interface ChatCompletionsOptions {
  readonly provider: string;
  readonly modelId: string;
  /** Address of the API; `/chat/completions` is added. */
  readonly apiBase: string;
  readonly key: string | undefined;
  readonly keyVariable: string | undefined;
  /** Names in lower case; what the format needs wins. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to each request's body; what is managed wins. */
  readonly completionArgs: JsonObject;
  readonly transport: Transport;
  /** How long the usage after an announced end, or an error's body, is waited for, in milliseconds. */
  readonly graceMs?: number;
}

export function createChatCompletionsModel(options: ChatCompletionsOptions): Model {
  const { provider, modelId, apiBase, key, keyVariable } = options;
  const url = new URL(apiBase);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  const endpoint: Endpoint = { provider, address: url.origin + url.pathname, keyVariable, key };
  const builder = new BodyBuilder({
    provider,
    modelId,
    maxTokensName: maxTokensName(url, options),
    extra: extraOf(options),
  });
  const headers = {
    ...options.headers,
    "content-type": "application/json",
    accept: "text/event-stream",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const { transport, graceMs = 5_000 } = options;
  const call = { endpoint, builder, headers, url: url.href, transport, graceMs };
  return { provider, modelId, stream: (request) => streamAnswer(request, call) };
}

/** OpenAI's own newer models refuse `max_tokens`; whoever sets the other name by hand gets it, too. */
function maxTokensName(url: URL, { completionArgs }: ChatCompletionsOptions): "max_tokens" | "max_completion_tokens" {
  const wantsNew = url.hostname === "api.openai.com" || "max_completion_tokens" in completionArgs;
  return wantsNew ? "max_completion_tokens" : "max_tokens";
}

/** Anthropic's models cache only where they are told to; OpenRouter puts the mark in the right place by itself. */
function extraOf({ provider, modelId, completionArgs }: ChatCompletionsOptions): JsonObject {
  const marked = provider === "openrouter" && modelId.startsWith("anthropic/");
  return marked ? { cache_control: { type: "ephemeral" }, ...completionArgs } : completionArgs;
}

interface Call {
  readonly endpoint: Endpoint;
  readonly builder: BodyBuilder;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly transport: Transport;
  readonly graceMs: number;
}

async function* streamAnswer(request: ModelRequest, call: Call): AsyncGenerator<ModelEvent, void, undefined> {
  const { endpoint, headers, url, transport, graceMs } = call;
  const { signal } = request;
  signal.throwIfAborted();
  const { chunks: body, hasMedia: sentMedia } = await call.builder.build(request);
  const response = await transport.post({ url, headers, body, signal });
  const reader = new AnswerReader({ endpoint, sentMedia });
  let isWhole = false;
  try {
    if (response.status < 200 || response.status >= 300)
      throw await readHttpError(response, { endpoint, sentMedia, graceMs });
    yield* readAnswer(response, reader, { endpoint, signal, graceMs });
    isWhole = true;
    yield* reader.end();
  } finally {
    if (isWhole) response.release();
    else response.destroy();
  }
}
