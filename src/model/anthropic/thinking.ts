// How a reasoning effort is told to Claude: newer models decide for themselves, older ones get a budget.
import type { JsonObject } from "../../base/json.ts";
import type { ModelMessage, ModelRequest } from "../model.ts";
import { isMadeBy, type Maker } from "../outline.ts";

/** The keys of the body that say it; none without an effort. */
export function thinkingOf({ reasoningEffort, maxTokens, messages }: ModelRequest, maker: Maker): JsonObject {
  if (reasoningEffort === undefined || reasoningEffort === "none") return {};
  if (isAdaptive(maker.modelId)) {
    const effort = reasoningEffort === "minimal" ? "low" : reasoningEffort;
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  }
  const budget = Math.min(budgets.get(reasoningEffort) ?? largestBudget, maxTokens - smallestBudget);
  if (budget < smallestBudget || !mayThink(messages, maker)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

const smallestBudget = 1024;
const largestBudget = 32_768;
const budgets: ReadonlyMap<string, number> = new Map([
  ["minimal", 1024],
  ["low", 2048],
  ["medium", 8192],
  ["high", 16_384],
]);

/** From version 4.6 on; a name without a version is a newer one. */
function isAdaptive(modelId: string): boolean {
  const [major, minor = 0] = [...modelId.matchAll(/(?<!\d)\d{1,2}(?!\d)/g)].map(([number]) => Number(number));
  return major === undefined || major > 4 || (major === 4 && minor >= 6);
}

/** With a budget, an answer that calls and is still going on must begin with thinking: one that another model began has none. */
function mayThink(messages: readonly ModelMessage[], maker: Maker): boolean {
  const from = messages.findLastIndex(({ role }) => role === "user") + 1;
  const first = messages.slice(from).find((message) => message.role === "assistant");
  return first === undefined || isMadeBy(first.providerData, maker);
}
