// Plays one scripted answer as a model's stream.
import { delay as delayBy, untilAborted } from "../../base/abort.ts";
import type { JsonValue } from "../../base/json.ts";
import { type RawCall, settleEnd } from "../calls.ts";
import { cutError, type Endpoint, refusalError } from "../errors.ts";
import type { ModelEvent } from "../model.ts";
import { aliasOf, type Standing } from "./position.ts";
import type { ScriptedAnswer, ScriptedCall, ScriptedFault, ScriptedPiece } from "./script.ts";

export interface PlayOptions {
  /** `{{user}}` and `{{result}}` in texts and arguments stand for what it holds. */
  readonly standing: Standing;
  readonly signal: AbortSignal;
  readonly delay?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The id of a call that names none; default: a random one. */
  readonly newId?: () => string;
}

const endpoint: Endpoint = { provider: "scripted", address: "the script", keyVariable: "the script", key: undefined };

export async function* playAnswer(
  answer: ScriptedAnswer,
  options: PlayOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal, standing, newId = () => "", delay = delayBy } = options;
  const { delayMs, reasoning = [], text = [], calls: scripted = [], fault, usage } = answer;
  signal.throwIfAborted();
  const pause = (milliseconds = 0) => (milliseconds > 0 ? delay(milliseconds, signal) : undefined);
  await pause(delayMs);
  yield* playPieces("reasoning-delta", reasoning, standing, pause);
  yield* playPieces("text-delta", text, standing, pause);
  if (fault !== undefined) {
    if (scripted.length > 0) yield { type: "progress" };
    await fail(fault, standing.sentMedia, signal);
  }
  const calls = scripted.map((call) => rawCall(call, standing, newId));
  yield* settleEnd({ calls, reason: answer.finish ?? "stop", usage });
}

async function* playPieces(
  type: "reasoning-delta" | "text-delta",
  pieces: readonly ScriptedPiece[],
  standing: Standing,
  pause: (milliseconds?: number) => Promise<void> | undefined,
): AsyncGenerator<ModelEvent, void, undefined> {
  for (const { text, delayMs } of pieces) {
    await pause(delayMs);
    const delta = filled(text, standing);
    if (delta !== "") yield { type, delta };
  }
}

async function fail(fault: ScriptedFault, sentMedia: boolean, signal: AbortSignal): Promise<never> {
  switch (fault.kind) {
    case "cut":
      throw cutError(endpoint.provider);
    case "error":
      throw refusalError(fault, endpoint, { sentMedia });
    case "stall":
      return untilAborted(new Promise<never>(() => undefined), signal);
  }
}

function rawCall(call: ScriptedCall, standing: Standing, newId: () => string): RawCall {
  const args =
    typeof call.arguments === "string" ? call.arguments : JSON.stringify(filledValue(call.arguments, standing));
  return { id: call.id ?? newId(), name: aliasOf(call.name), arguments: args };
}

function filled(text: string, { lastUserText, results }: Standing): string {
  if (!text.includes("{{")) return text;
  return text.replace(/\{\{(user|result)\}\}/g, (_match, name) =>
    name === "user" ? lastUserText : results.join("\n"),
  );
}

function filledValue(value: JsonValue | undefined, standing: Standing): JsonValue | undefined {
  if (typeof value === "string") return filled(value, standing);
  if (Array.isArray(value)) return value.map((item) => filledValue(item, standing) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledValue(item, standing)]));
}
