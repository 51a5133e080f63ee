// The end of an answer, made uniform: calls with ids that tell them apart, none that was cut off, and a reason that fits them.
import type { Usage } from "../base/events.ts";
import { newCallId } from "../base/ids.ts";
import { isJsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { FinishReason, ModelEvent } from "./model.ts";

/** A call as a provider gave it; an empty id is a missing one. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  /** The text as received. */
  readonly arguments: string;
  readonly incomplete?: true;
}

export type ToolCallEvent = Extract<ModelEvent, { type: "tool-call" }>;

/**
 * The events of an answer's calls, in order. An answer that ended by `length` may have been cut inside any call, so a call
 * is whole there only if its arguments are a JSON object; a filtered answer's calls are never whole.
 */
export function settleCalls(calls: readonly RawCall[], reason: FinishReason): ToolCallEvent[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const id = call.id === "" || taken.has(call.id) ? newCallId() : call.id;
    taken.add(id);
    const incomplete = call.incomplete === true || isCut(call, reason);
    return {
      type: "tool-call",
      id,
      name: call.name,
      arguments: unwrapped(call.arguments),
      ...(incomplete && { incomplete }),
    };
  });
}

/** How an answer ended, in its provider's words and in ours. */
export interface AnswerEnd {
  readonly calls: readonly RawCall[];
  readonly reason: FinishReason;
  /** As the provider wrote it, where it did. */
  readonly rawReason?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly providerData?: JsonValue | undefined;
}

/** The last events of an answer: its calls, and the finish that fits them. */
export function settleEnd({ calls: raw, reason, rawReason, usage, providerData }: AnswerEnd): ModelEvent[] {
  const calls = settleCalls(raw, reason);
  return [
    ...calls,
    {
      type: "finish",
      reason: settleReason(reason, calls),
      ...(rawReason !== undefined && { rawReason }),
      ...(usage !== undefined && { usage }),
      ...(providerData !== undefined && { providerData }),
    },
  ];
}

/** The reason that fits what came: servers say `stop` beside calls, and `tool_calls` without any. */
export function settleReason(reason: FinishReason, calls: readonly ToolCallEvent[]): FinishReason {
  if (reason === "stop" && calls.length > 0) return "tool-calls";
  if (reason === "tool-calls" && calls.length === 0) return "stop";
  return reason;
}

function isCut(call: RawCall, reason: FinishReason): boolean {
  if (reason === "content-filter") return true;
  return reason === "length" && !isJsonObject(parseJson(unwrapped(call.arguments)));
}

/** Some servers encode the arguments twice: a JSON string that holds the object. */
function unwrapped(text: string): string {
  if (!text.startsWith('"')) return text;
  const inner = parseJson(text);
  return typeof inner === "string" && isJsonObject(parseJson(inner)) ? inner : text;
}
