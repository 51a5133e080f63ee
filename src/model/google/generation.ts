// What a Gemini model's name says of it.
import type { JsonObject } from "../../base/json.ts";

/** The version in a name: 2.5 of `gemini-2.5-flash`; a `-latest` name is a new one, 0 is none of these. */
export function generationOf(modelId: string): number {
  const version = /gemini-(\d+(?:\.\d+)?)/.exec(modelId)?.[1];
  if (version !== undefined) return Number(version);
  return /gemini-.*latest/.test(modelId) ? 3 : 0;
}

/** Undefined for models that do not think, which refuse to be asked for it. */
export function thinkingConfigOf(modelId: string, effort: string | undefined): JsonObject | undefined {
  const generation = generationOf(modelId);
  if (generation < 2.5) return undefined;
  const shown = { includeThoughts: true };
  if (effort === undefined) return shown;
  if (generation >= 3) return { ...shown, thinkingLevel: levels.get(effort) ?? "high" };
  if (effort === "none") return { thinkingBudget: modelId.includes("pro") ? 128 : 0 };
  return { ...shown, thinkingBudget: budgets.get(effort) ?? 24_576 };
}

const levels: ReadonlyMap<string, string> = new Map([
  ["none", "low"],
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
]);

const budgets: ReadonlyMap<string, number> = new Map([
  ["minimal", 512],
  ["low", 1024],
  ["medium", 8192],
  ["high", 16_384],
]);
