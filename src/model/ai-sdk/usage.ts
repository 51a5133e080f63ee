// Token counts of the AI SDK's finish, under our names: numbers in version 2, details in later ones.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { tokenCount, usageOf } from "../token-counts.ts";

/** Undefined when nothing was told. */
export function readUsage(given: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(given)) return undefined;
  const { inputTokens: input, outputTokens: output } = given;
  const detailed = isJsonObject(input) ? input : { total: input, cacheRead: given.cachedInputTokens };
  const made = isJsonObject(output) ? output : { total: output, reasoning: given.reasoningTokens };
  return usageOf({
    input_tokens: tokenCount(detailed.total),
    output_tokens: tokenCount(made.total),
    reasoning_tokens: tokenCount(made.reasoning),
    cached_tokens: tokenCount(detailed.cacheRead),
    cache_write_tokens: tokenCount(detailed.cacheWrite),
    total_tokens: tokenCount(given.totalTokens),
  });
}
