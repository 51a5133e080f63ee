// Models of servers that speak the OpenAI Chat Completions format.
import type { JsonObject } from "../../base/json.ts";
import { nineLetterCallId, plainCallId } from "../conversation.ts";
import type { Model } from "../model.ts";
import { wantsAnswerAfterResults } from "../model-families.ts";
import { addressOf, createWireModel, listOn, type WireOptions } from "../wire.ts";
import { ChatAnswerReader } from "./answer.ts";
import type { ServerTraits } from "./message.ts";
import { BodyBuilder } from "./request.ts";

export function createChatCompletionsModel(options: WireOptions): Model {
  const { modelId, key } = options;
  const url = addressOf(options.apiBase, "/chat/completions");
  const builder = new BodyBuilder({
    ...traitsOf(url, options),
    maxTokensName: maxTokensName(url, options),
    extra: extraOf(options),
  });
  return createWireModel(options, {
    url,
    list: listOn("openrouter.ai", addressOf(options.apiBase, "/models")),
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    build: (request) => builder.build(request),
    createReader: (answer) => new ChatAnswerReader(answer, modelId),
  });
}

function traitsOf({ hostname }: URL, { provider, modelId }: WireOptions): ServerTraits {
  return {
    provider,
    modelId,
    wantsAnswerAfterResults: wantsAnswerAfterResults(modelId),
    wantsReasoning: isAtThinker(hostname, modelId),
    takesAllMedia: isAt(hostname, "openrouter.ai"),
    ...callIdsOf(hostname),
  };
}

/** In their thinking mode they refuse conversations with an answer that lacks the field; others refuse the field. */
function isAtThinker(hostname: string, modelId: string): boolean {
  const isTheirs = ["deepseek.com", "moonshot.ai", "moonshot.cn"].some((domain) => isAt(hostname, domain));
  return isTheirs || (isAt(hostname, "openrouter.ai") && /deepseek|kimi/i.test(modelId));
}

/** Servers that refuse conversations for the ids that others gave their calls. */
function callIdsOf(hostname: string): Pick<ServerTraits, "callId"> {
  if (isAt(hostname, "mistral.ai")) return { callId: nineLetterCallId };
  const isShort = ["openai.com", "azure.com", "openrouter.ai"].some((domain) => isAt(hostname, domain));
  return isShort ? { callId: (id) => (id.length > 40 ? plainCallId(id, 40) : id) } : {};
}

function isAt(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** OpenAI's own newer models refuse `max_tokens`; whoever sets the other name by hand gets it, too. */
function maxTokensName(url: URL, { completionArgs }: WireOptions): "max_tokens" | "max_completion_tokens" {
  const wantsNew = url.hostname === "api.openai.com" || "max_completion_tokens" in completionArgs;
  return wantsNew ? "max_completion_tokens" : "max_tokens";
}

/** Anthropic's models cache only where they are told to; OpenRouter puts the mark in the right place by itself. */
function extraOf({ provider, modelId, completionArgs }: WireOptions): JsonObject {
  const marked = provider === "openrouter" && modelId.startsWith("anthropic/");
  return marked ? { cache_control: { type: "ephemeral" }, ...completionArgs } : completionArgs;
}
