// Searches a tape from its end: what matches, each content once, and not what earlier searches found.
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { type EntryKind, eventData, type TapeEntry } from "./entry.ts";
import { type DateRange, queryLog } from "./query.ts";
import type { TapeReader } from "./store.ts";
import { textTest, withoutMediaData } from "./text-search.ts";

/** The tool whose results are left out of its own results. */
export const searchTool = "tape.search";
/** What its results begin with, for people, models and those who read old tapes. */
export const searchHeading = `[${searchTool}]: `;
const searchAlias = "tape_search";

export interface TapeSearch {
  /** Looked for in any case; from 3 characters on also words that are nearly the same. */
  query: string;
  /** False: only the text itself. Default true. */
  fuzzy?: boolean;
  /** How many matches at most. */
  limit: number;
  kinds: readonly EntryKind[];
  dates?: DateRange;
}

/** What the tool answers of an entry that matches. */
export interface TapeMatch {
  readonly date: string;
  readonly kind: EntryKind;
  /** The entry's payload, without media data. */
  readonly content: JsonObject;
}

export interface TapeMatches {
  /** Newest first. */
  readonly matches: readonly TapeMatch[];
  /** How many more held the text that are results of earlier searches. */
  readonly filtered: number;
}

export interface SearchOptions {
  signal?: AbortSignal;
  /** Told of each that held the text and is a result of an earlier search. */
  onFiltered?: () => void;
}

/**
 * Reads backwards until there are enough matches.
 * @throws BubError `invalid_input` for a bad date
 */
export async function searchTape(
  tape: TapeReader,
  search: TapeSearch,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TapeMatches> {
  const matches: TapeMatch[] = [];
  let filtered = 0;
  const onFiltered = () => {
    filtered++;
  };
  for await (const entry of findEntries(tape, search, { signal, onFiltered })) matches.push(matchOf(entry));
  return { matches, filtered };
}

/**
 * The entries that match, newest first, each as soon as it is found.
 * @throws BubError `invalid_input` for a bad date
 */
export async function* findEntries(
  tape: TapeReader,
  { query, fuzzy = true, limit, kinds, dates }: TapeSearch,
  { signal, onFiltered }: SearchOptions = {},
): AsyncGenerator<TapeEntry, void, undefined> {
  const shown = new Set<string>();
  const wanted = { kinds, dates, matches: textTest(query, { fuzzy }), newestFirst: true };
  for await (const entry of queryLog(tape, wanted, { signal })) {
    if (isSearchResult(entry)) onFiltered?.();
    else if (isNew(entry, shown)) {
      yield entry;
      if (shown.size >= limit) return;
    }
  }
}

/** Ours name their call. Python Bub's have only their text. */
function isSearchResult(entry: TapeEntry): boolean {
  if (eventData(entry, "command")?.name === searchTool) return true;
  if (entry.kind !== "tool_result") return false;
  const { calls } = entry.meta;
  if (Array.isArray(calls)) return calls.length > 0 && calls.every(isSearchCall);
  const { results } = entry.payload;
  return Array.isArray(results) && results.some((result) => String(result).startsWith(searchHeading));
}

function isSearchCall(call: JsonValue): boolean {
  return isJsonObject(call) && call.name === searchAlias;
}

/** Whether nothing like it was shown; from now on it was. Only hashes are kept: contents may be large. */
function isNew({ kind, payload }: TapeEntry, shown: Set<string>): boolean {
  const content = createHash("sha256").update(kind).update(JSON.stringify(payload)).digest("base64");
  if (shown.has(content)) return false;
  shown.add(content);
  return true;
}

/** As the tool answers it. */
export function matchOf({ date, kind, payload }: TapeEntry): TapeMatch {
  return { date, kind, content: withoutMediaData(payload) };
}
