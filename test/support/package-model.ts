// Models of the fake AI SDK package, and the lines that its server answers with.
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/base/json.ts";
import type { Model } from "../../src/model/model.ts";
import type { ModelSettings } from "../../src/model/model-settings.ts";
import { resolveModel } from "../../src/model/resolve.ts";

/** Folder of the package. */
export const fakePackage = fileURLToPath(new URL("../fixtures/ai-sdk-provider", import.meta.url));

/** @param entry added to the provider's entry in `BUB_PROVIDERS` */
export function packageModel(
  apiBase: string,
  { entry = {}, modelId = "m", ...settings }: { entry?: JsonObject; modelId?: string } & ModelSettings = {},
): Promise<Model> {
  const fake = { package: "fake-ai-provider", api_base: apiBase, api_key: "sk-fake", ...entry };
  return resolveModel(`fake:${modelId}`, {
    settings: { ...settings, providers: { fake } },
    importPackage: () => import(`${fakePackage}/index.js`),
  });
}

/** Parts as the package's server sends them. */
export const partLines = (...parts: readonly object[]): string =>
  parts.map((part) => `${JSON.stringify(part)}\n`).join("");

export const textParts = (id: string, ...deltas: readonly string[]): object[] => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
  { type: "text-end", id },
];

export const reasoningParts = (id: string, text: string, providerMetadata?: object): object[] => [
  { type: "reasoning-start", id },
  { type: "reasoning-delta", id, delta: text },
  { type: "reasoning-end", id, providerMetadata },
];

export const callParts = (toolCallId: string, toolName: string, input: string, providerMetadata?: object): object[] => [
  { type: "tool-input-start", id: toolCallId, toolName },
  { type: "tool-input-delta", id: toolCallId, delta: input },
  { type: "tool-input-end", id: toolCallId },
  { type: "tool-call", toolCallId, toolName, input, providerMetadata },
];

/** The end, as version 3 tells it; without `raw` the provider has not said so. */
export const finishPart = (unified: string, raw?: string): object => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 3, reasoning: 1 } },
});
