// What `tape search` and `sessions search` look for, as their words and options say it.
import { counted } from "../base/amounts.ts";
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

/** @throws UsageError for a kind that there is none of, for no kind, and for no text */
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

/** What a search came to, as a line for the person. @param filtered matches that were left out: earlier searches found them */
export function renderFound(found: number, { limit, filtered = 0 }: { limit: number; filtered?: number }): string {
  const are = filtered === 1 ? "is" : "are";
  const left = filtered === 0 ? "" : ` (${counted(filtered, "result")} of earlier searches ${are} left out)`;
  const more = found >= limit ? "; there may be more, --limit 0 shows all" : "";
  return `bub: ${counted(found, "match", "matches")}${left}${more}.\n`;
}

function kindsFrom(text: string): EntryKind[] {
  const names = text.split(",").map((name) => name.trim());
  const kinds = names.filter((name) => name !== "").map(kindFrom);
  if (kinds.length === 0) throw new UsageError(`--kinds names no kind${didYouMean(undefined, entryKinds)}`);
  return kinds;
}

function kindFrom(name: string): EntryKind {
  if (isEntryKind(name)) return name;
  throw new UsageError(`unknown kind '${name}'${didYouMean(nearestName(name, entryKinds), entryKinds)}`);
}
