// What models cost: the prices of config.yml, and what a model call comes to.
import type { Usage } from "../base/events.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";

/** For a million tokens, in one currency for all models. */
export interface ModelPrice extends JsonObject {
  readonly input: number;
  readonly output: number;
  /** For what came from the provider's cache; as `input` when absent. */
  readonly cached_input?: number;
}

/** By `provider:model`, or by the beginning of such names and a `*`. */
export type Prices = Readonly<Record<string, ModelPrice>>;

const keys = ["input", "cached_input", "output"];

/** Undefined when anything in it is no price. */
export function parsePrices(value: unknown): Prices | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.values(value).every(isPrice) ? (value as Prices) : undefined;
}

/** The price of a model: by its name, else by the longest beginning. */
export function priceOf(model: string, prices: Prices): ModelPrice | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const beginnings = Object.keys(prices).filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
  const [longest] = beginnings.sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : prices[longest];
}

/** What a call, or several, came to. */
export function costOf(usage: Usage, { input, cached_input: cachedInput = input, output }: ModelPrice): number {
  const { input_tokens: all = 0, cached_tokens: cached = 0, output_tokens: written = 0 } = usage;
  return (Math.max(0, all - cached) * input + cached * cachedInput + written * output) / 1_000_000;
}

function isPrice(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const names = Object.keys(value);
  const isComplete = names.includes("input") && names.includes("output");
  return isComplete && names.every((name) => keys.includes(name) && isAmount(value[name]));
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
