// Token counts as compatible servers name them, under our names.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** The usage of one chunk or answer, wherever it stands in it; undefined when it holds none. */
export function findUsage(chunk: JsonObject, choice: JsonObject | undefined): JsonObject | undefined {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  return [chunk.usage, choice?.usage, groq].find(isJsonObject);
}

/** Cached and reasoning tokens are parts of the input and the output. */
export function readUsage(raw: JsonObject): Usage {
  const input = raw.prompt_tokens_details;
  const output = raw.completion_tokens_details;
  const input_tokens = count(raw.prompt_tokens);
  const output_tokens = count(raw.completion_tokens);
  const sum = input_tokens !== undefined && output_tokens !== undefined ? input_tokens + output_tokens : undefined;
  const usage: Usage = {
    input_tokens,
    output_tokens,
    reasoning_tokens: count(detail(output, "reasoning_tokens")),
    cached_tokens:
      count(detail(input, "cached_tokens")) ?? count(raw.prompt_cache_hit_tokens) ?? count(raw.cached_tokens),
    cache_write_tokens: count(detail(input, "cache_write_tokens")),
    total_tokens: count(raw.total_tokens) ?? sum,
  };
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== undefined));
}

function detail(details: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(details) ? details[name] : undefined;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
