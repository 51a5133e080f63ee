// Token counts of the Messages format, under our names.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { tokenCount, tokenSum, usageOf } from "../token-counts.ts";

/** The API counts cached input apart; ours is a part of the input. */
export function readUsage(raw: JsonObject): Usage | undefined {
  const cached_tokens = tokenCount(raw.cache_read_input_tokens);
  const cache_write_tokens = tokenCount(raw.cache_creation_input_tokens);
  const fresh = tokenCount(raw.input_tokens);
  const details = raw.output_tokens_details;
  return usageOf({
    input_tokens: fresh === undefined ? undefined : tokenSum(fresh, cached_tokens, cache_write_tokens),
    output_tokens: tokenCount(raw.output_tokens),
    reasoning_tokens: isJsonObject(details) ? tokenCount(details.thinking_tokens) : undefined,
    cached_tokens,
    cache_write_tokens,
  });
}
