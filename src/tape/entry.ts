// One fact of a tape: its shape, and the drafts that become entries when they are appended.
import type { Content } from "../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

export const entryKinds = ["message", "system", "anchor", "tool_call", "tool_result", "error", "event"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** One line of a tape. Ids count from 1 without gaps; `date` is ISO-8601 in UTC. */
export interface TapeEntry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly payload: JsonObject;
  readonly meta: JsonObject;
  readonly date: string;
}

/** An entry before the tape gives it its id and date. */
export interface EntryDraft {
  readonly kind: EntryKind;
  readonly payload: JsonObject;
  readonly meta?: JsonObject;
  /** When it happened, of one that was written elsewhere before; now by default. */
  readonly date?: string;
}

/** One call as it stands on the tape; `name` is the alias that the model used. */
export interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

export type ResultStatus = "ok" | "error" | "cancelled" | "interrupted";

/** Pairs a result with its call, in `meta.calls`. */
export interface RecordedResultCall {
  readonly id: string;
  readonly name: string;
  readonly status: ResultStatus;
}

/** What a tool gave the model: text, an error, or parts. */
export type RecordedResult =
  | string
  | { readonly kind: string; readonly message: string; readonly details?: JsonObject }
  | { readonly type: "tool_content"; readonly content: Exclude<Content, string> };

export const sessionStart = "session/start";

/** Reads a parsed line, also of Python Bub's files (`timestamp` for `date`); undefined when it is no entry. */
export function parseEntry(value: unknown): TapeEntry | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.payload)) return undefined;
  const { id, kind, payload, meta, date, timestamp } = value;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || !isEntryKind(kind)) return undefined;
  const when = typeof date === "string" ? date : dateOf(timestamp);
  return { id, kind, payload, meta: isJsonObject(meta) ? meta : {}, date: when };
}

export function isEntryKind(value: unknown): value is EntryKind {
  return (entryKinds as readonly unknown[]).includes(value);
}

/** Writes an anchor and the event that always follows it. */
export function anchorDrafts(name: string, state: JsonObject, meta: JsonObject = {}): EntryDraft[] {
  return [
    { kind: "anchor", payload: { name, state }, meta },
    { kind: "event", payload: { name: "handoff", data: { name, state } }, meta },
  ];
}

export function eventDraft(name: string, data: JsonObject, meta: JsonObject = {}): EntryDraft {
  return { kind: "event", payload: { name, data }, meta };
}

/** The data of an event entry of that name, else undefined. */
export function eventData(entry: TapeEntry, name: string): JsonObject | undefined {
  if (entry.kind !== "event" || entry.payload.name !== name) return undefined;
  return isJsonObject(entry.payload.data) ? entry.payload.data : {};
}

function dateOf(timestamp: JsonValue | undefined): string {
  const seconds = typeof timestamp === "number" && Number.isFinite(timestamp) ? timestamp : 0;
  return new Date(seconds * 1000).toISOString();
}
