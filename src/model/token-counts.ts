// Token counts of a provider, under our names.
import type { Usage } from "../base/events.ts";
import type { JsonValue } from "../base/json.ts";

/** A count, if it is one. */
export function tokenCount(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The sum of those that are given; undefined when none is. */
export function tokenSum(...counts: readonly (number | undefined)[]): number | undefined {
  const given = counts.filter((count) => count !== undefined);
  return given.length === 0 ? undefined : given.reduce((sum, count) => sum + count, 0);
}

/** The counts that are known; the total is input and output unless it was given. Undefined when nothing is known. */
export function usageOf(counts: { readonly [Name in keyof Usage]: number | undefined }): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = counts;
  const total = counts.total_tokens ?? (input !== undefined && output !== undefined ? input + output : undefined);
  const known = Object.entries({ ...counts, total_tokens: total }).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
