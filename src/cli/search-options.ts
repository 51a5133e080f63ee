// What `tape search` and `sessions search` look for, as their words and options say it.
import { nearestName } from "../base/near.ts";
import { type EntryKind, entryKinds, isEntryKind } from "../tape/entry.ts";
import type { TapeSearch } from "../tape/search.ts";
import { didYouMean, UsageError } from "./command-context.ts";

export interface SearchOptions {
  exact?: boolean;
  /** With commas between. */
  kinds: string;
  start?: string;
  end?: string;
  /** 0: all. */
  limit: number;
  json?: boolean;
}

/** @throws UsageError for a kind that there is none of, and for no text */
export function searchFrom(words: readonly string[], options: SearchOptions): TapeSearch {
  const query = words.join(" ");
  if (query.trim() === "") throw new UsageError("there is no text to look for.");
  const { exact = false, start, end, limit } = options;
  return {
    query,
    fuzzy: !exact,
    kinds: kindsFrom(options.kinds),
    dates: { start, end },
    limit: limit === 0 ? Infinity : limit,
  };
}

function kindsFrom(text: string): EntryKind[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map(kindFrom);
}

function kindFrom(name: string): EntryKind {
  if (isEntryKind(name)) return name;
  throw new UsageError(`unknown kind '${name}'${didYouMean(nearestName(name, entryKinds))}`);
}
