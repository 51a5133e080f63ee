// What it means that an entry holds a text: the text itself in any case, or words that are nearly its words.
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { TapeEntry } from "./entry.ts";
import { FuzzySearch } from "./fuzzy-search.ts";
import { hasDerivedDate, Needle } from "./needle.ts";
import type { LineFilter } from "./store.ts";

/** A rule for entries. */
export interface EntryTest {
  /** Decides. */
  passes(entry: TapeEntry): boolean;
  /** Passes over raw lines before they are read. */
  readonly mayHold?: LineFilter;
}

/**
 * Passes entries whose `searchText` holds `text` in any case.
 * @param options.fuzzy also those that hold nearly the same words, for texts of 3 or more characters
 */
export function textTest(text: string, { fuzzy = false }: { fuzzy?: boolean } = {}): EntryTest {
  const wanted = text.toLowerCase();
  const needle = Needle.of(text);
  const search = fuzzy ? FuzzySearch.of(text) : undefined;
  return {
    passes(entry) {
      const json = searchText(entry);
      return json.toLowerCase().includes(wanted) || search?.matches(Buffer.from(json)) === true;
    },
    ...(needle !== undefined && {
      mayHold(bytes, from, to) {
        if (needle.mayStandIn(bytes, from, to)) return true;
        return search !== undefined && (hasDerivedDate(bytes.subarray(from, to)) || search.matches(bytes, from, to));
      },
    }),
  };
}

/** The JSON text that is searched: kind, date, payload and meta, without media data and `meta.facts`. */
export function searchText({ kind, date, payload, meta }: TapeEntry): string {
  const text = JSON.stringify({ kind, date, payload, meta: withoutFacts(meta) });
  if (!text.includes('"data":"') && !text.includes(";base64,")) return text;
  return JSON.stringify({ kind, date, payload: withoutMediaData(payload), meta: withoutMediaData(withoutFacts(meta)) });
}

/** A copy without the bytes of media parts and of `data:` URLs. */
export function withoutMediaData(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value, withoutData)) as JsonObject;
}

function withoutFacts(meta: JsonObject): JsonObject {
  if (meta.facts === undefined) return meta;
  const { facts: _facts, ...rest } = meta;
  return rest;
}

function withoutData(this: unknown, key: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (key === "data" && isJsonObject(this) && typeof this.media_type === "string") return undefined;
  const [head, data] = value.startsWith("data:") ? value.split(";base64,", 2) : [];
  return data === undefined ? value : `${head};base64,`;
}
