// Reads calls and results from entries, as we write them and as Python Bub did.
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../base/json.ts";
import type { RecordedCall, RecordedResultCall, ResultStatus, TapeEntry } from "./entry.ts";

/** The calls of a `tool_call` entry: `{id, name, arguments}`, or `{id, type, function: {name, arguments}}`. */
export function callsIn({ id: entryId, payload }: Pick<TapeEntry, "id" | "payload">): RecordedCall[] {
  return listOf(payload.calls ?? payload.tool_calls).flatMap((value, index) => {
    if (!isJsonObject(value)) return [];
    const { name, arguments: args } = isJsonObject(value.function) ? value.function : value;
    if (typeof name !== "string" || name === "") return [];
    // Where a provider gave none, the place in the tape is one.
    const id = typeof value.id === "string" && value.id !== "" ? value.id : `call_${entryId}_${index}`;
    return [{ id, name, arguments: argumentsIn(args) }];
  });
}

/** One result, with the call that it names; without one it belongs to the first call that has none yet. */
export interface RecordedAnswer {
  readonly result: JsonValue;
  readonly call: RecordedResultCall | undefined;
}

/** The results of a `tool_result` entry. */
export function answersIn({ payload, meta }: Pick<TapeEntry, "payload" | "meta">): RecordedAnswer[] {
  const named = listOf(meta.calls);
  return listOf(payload.results).map((result, index) => ({ result: result ?? null, call: namedCall(named[index]) }));
}

function namedCall(value: JsonValue | undefined): RecordedResultCall | undefined {
  if (!isJsonObject(value) || typeof value.id !== "string") return undefined;
  const { id, name, status } = value;
  return {
    id,
    name: textIn(name),
    status: (statuses.find((one) => one === status) ?? "ok") as ResultStatus,
  };
}

const statuses: readonly ResultStatus[] = ["ok", "error", "cancelled", "interrupted"];

function argumentsIn(value: JsonValue | undefined): JsonObject {
  const read = typeof value === "string" ? parseJson(value) : value;
  return isJsonObject(read) ? read : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
