// Streams written from the providers' documentation alone, each with its outcome in plain words beside it.
import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject } from "../../src/base/json.ts";
import type { ModelErrorFacts } from "../../src/model/model.ts";
import { isModelError } from "../../src/model/model-error.ts";
import type { Reading } from "./golden-expectation.ts";
import { type TestedFormat, testedFormats } from "./golden-streams.ts";

/** What a stream must come to, as the file beside it says. */
export interface Outcome {
  readonly text: string;
  readonly reasoning: string;
  /** Thoughts that are told apart from one another: they come in this order, with anything between them. */
  readonly reasoning_parts?: readonly string[];
  /** Calls that may run. Without an id: any. With `raw`: arguments that are no JSON, as they came. */
  readonly calls: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments?: JsonObject;
    readonly raw?: string;
  }[];
  readonly any_order?: true;
  /** Calls that the end cut off. */
  readonly cut_calls?: readonly string[];
  /** Absent members are not looked at; null: the stream tells none. */
  readonly usage: Readonly<Record<string, number>> | null;
  readonly finish: "stop" | "calls" | "length" | "filter" | "stop-or-filter" | "pause" | "empty" | "error";
  readonly error?: { readonly says?: string; readonly retryable?: true; readonly overflow?: true };
  /** Sealed pieces that have to go back with the next request. */
  readonly signatures?: readonly string[];
  readonly encrypted?: readonly string[];
  readonly redacted?: readonly string[];
}

export interface DocumentedStream {
  readonly name: string;
  readonly format: TestedFormat;
  readonly provider: string;
  readonly outcome: Outcome;
  /** Without its head. */
  readonly text: string;
  /** The comments that name its sources. */
  readonly head: string;
}

const folder = new URL("../fixtures/golden/", import.meta.url);

export const documentedStreams: readonly DocumentedStream[] = testedFormats.flatMap((format) =>
  readdirSync(new URL(`${format.format}/`, folder))
    .filter((file) => file.endsWith(".sse"))
    .map((file) => {
      const name = file.slice(0, -".sse".length);
      const read = (suffix: string) => readFileSync(new URL(`${format.format}/${name}${suffix}`, folder), "utf8");
      const whole = read(".sse");
      const body = whole.indexOf("\n\n") + 2;
      const outcome = JSON.parse(read(".json")) as Outcome;
      const provider = name.startsWith("openrouter-") ? "openrouter" : format.provider;
      return { name, format, provider, outcome, text: whole.slice(body), head: whole.slice(0, body) };
    }),
);

const reasons: Record<Exclude<Outcome["finish"], "empty" | "error">, readonly string[]> = {
  stop: ["stop", "other"],
  calls: ["tool-calls"],
  length: ["length"],
  filter: ["content-filter"],
  "stop-or-filter": ["stop", "content-filter"],
  pause: ["other"],
};

/** The first thing in which a reading differs from its outcome. */
export function difference(outcome: Outcome, reading: Reading): string | undefined {
  return (
    endDifference(outcome, reading) ??
    textDifference(outcome, reading) ??
    callDifference(outcome, reading) ??
    usageDifference(outcome, reading) ??
    sealDifference(outcome, reading)
  );
}

function endDifference({ finish, error }: Outcome, reading: Reading): string | undefined {
  const facts = isModelError(reading.error) ? reading.error.facts : undefined;
  const message = reading.error instanceof Error ? reading.error.message : "";
  if (reading.error !== undefined && facts === undefined) return `threw ${String(reading.error)}`;
  if (finish === "empty") return facts?.failure === "empty" ? undefined : `is not empty but ${shortly(reading)}`;
  if (finish === "error")
    return facts === undefined ? `did not fail: ${shortly(reading)}` : failureDifference(error, facts, message);
  if (facts !== undefined) return `failed: ${message}`;
  const reason = reading.finish?.reason ?? "nothing";
  return reasons[finish].includes(reason) ? undefined : `finished as ${reason}`;
}

function failureDifference(
  wanted: Outcome["error"],
  { retryable, failure }: ModelErrorFacts,
  message: string,
): string | undefined {
  if (wanted?.retryable && !retryable) return `cannot be tried again: ${message}`;
  if (wanted?.overflow && failure !== "overflow") return `is ${failure}, not an overflow`;
  if (wanted?.says !== undefined && !message.includes(wanted.says))
    return `does not say ${wanted.says}, but: ${message}`;
  return undefined;
}

function textDifference({ text, reasoning, reasoning_parts, finish }: Outcome, reading: Reading): string | undefined {
  // A refusal without words of its own may be explained.
  if (reading.text !== text && !(finish === "filter" && text === "")) return `says ${JSON.stringify(reading.text)}`;
  if (reasoning_parts === undefined)
    return reading.reasoning === reasoning ? undefined : `thinks ${JSON.stringify(reading.reasoning)}`;
  const rest = reasoning_parts.reduce<string | undefined>((left, part) => {
    const at = left?.indexOf(part) ?? -1;
    return at === -1 ? undefined : left?.slice(at + part.length);
  }, reading.reasoning);
  return rest === undefined ? `thinks ${JSON.stringify(reading.reasoning)}` : undefined;
}

function callDifference({ calls, any_order, cut_calls = [] }: Outcome, reading: Reading): string | undefined {
  const ids = reading.calls.map(({ id }) => id);
  if (new Set(ids).size !== ids.length || ids.includes("")) return `has the ids ${JSON.stringify(ids)}`;
  const cut = reading.calls.filter(({ incomplete }) => incomplete).map(({ name }) => name);
  if (JSON.stringify(cut) !== JSON.stringify(cut_calls)) return `cuts off the calls ${JSON.stringify(cut)}`;
  const found = reading.calls.filter(({ incomplete }) => !incomplete);
  const show = (list: readonly object[]) => {
    const texts = list.map((call) => stable(call));
    return JSON.stringify(any_order ? texts.sort() : texts);
  };
  const wanted = calls.map((call, index) => ({
    id: call.id ?? found[index]?.id,
    name: call.name,
    arguments: call.raw ?? call.arguments,
  }));
  return show(found) === show(wanted) ? undefined : `calls ${show(found)}`;
}

function usageDifference({ usage, finish }: Outcome, reading: Reading): string | undefined {
  if (finish === "error" || finish === "empty") return undefined;
  const found = reading.finish?.usage as Record<string, number> | undefined;
  if (usage === null) return found === undefined ? undefined : `tells the usage ${JSON.stringify(found)}`;
  const wrong = Object.entries(usage).filter(([key, value]) => (found?.[key] ?? 0) !== value);
  return wrong.length === 0 ? undefined : `tells the usage ${JSON.stringify(found)}, not ${JSON.stringify(usage)}`;
}

function sealDifference(
  { signatures = [], encrypted = [], redacted = [] }: Outcome,
  reading: Reading,
): string | undefined {
  const kept = JSON.stringify(reading.finish?.providerData ?? null);
  const lost = [...signatures, ...encrypted, ...redacted].filter((seal) => !kept.includes(seal));
  return lost.length === 0 ? undefined : `lost ${lost.join()} of ${kept}`;
}

function stable(call: object): string {
  const { id, name, arguments: args } = call as { id?: string; name?: string; arguments?: unknown };
  return JSON.stringify([id, name, args]);
}

function shortly({ text, calls, finish }: Reading): string {
  return JSON.stringify({ text, calls, finish });
}
