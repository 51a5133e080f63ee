// Entries as a tape would hold them, for tests of what reads them.
import type { JsonObject } from "../../src/base/json.ts";
import type { EntryKind, TapeEntry } from "../../src/tape/entry.ts";

let lastId = 0;

/** The next entry of a tape. */
export const entry = (kind: EntryKind, payload: JsonObject, meta: JsonObject = {}): TapeEntry => ({
  id: ++lastId,
  kind,
  payload,
  meta,
  date: "2026-01-01T00:00:00.000Z",
});

/** A message with that payload, and whatever else is given of it. */
export const messageEntry = (payload: JsonObject, more: Partial<TapeEntry> = {}): TapeEntry => ({
  id: 1,
  kind: "message",
  payload,
  meta: {},
  date: "2026-01-02T03:04:05.678Z",
  ...more,
});
