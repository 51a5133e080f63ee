// The plainest answers to queries and searches of a tape, which the real ones are held against.
import * as fc from "fast-check";
import { isBubError } from "../../src/base/errors.ts";
import type { EntryKind, TapeEntry } from "../../src/tape/entry.ts";
import { entryKinds } from "../../src/tape/entry.ts";
import type { TapeQuery } from "../../src/tape/query.ts";
import type { TapeMatch } from "../../src/tape/search.ts";
import { textTest } from "../../src/tape/text-search.ts";

export const dates = [
  "2026-01-01T23:59:59.999Z",
  "2026-01-02T00:00:00.000Z",
  "2026-01-02T12:30:00.000Z",
  "2026-01-03T00:00:00.000Z",
];

export const words = ["Orchid", "orchid ", "ÉCOLE", "école", "磁带", "x", ""];
const anchorNames = ["a", "b", "session/start"];
export const drafts = fc.record({
  kind: fc.constantFrom<EntryKind>(...entryKinds, "anchor"),
  payload: fc.record({ name: fc.constantFrom(...anchorNames), content: fc.constantFrom(...words) }),
  meta: fc.record({ run_id: fc.constantFrom("run-1", "run-2") }),
  date: fc.constantFrom(...dates),
});

export const queries: fc.Arbitrary<TapeQuery> = fc.record(
  {
    text: fc.constantFrom(...words, "RUN-1", "nowhere"),
    kinds: fc.subarray([...entryKinds]),
    afterAnchor: fc.constantFrom(...anchorNames),
    lastAnchor: fc.boolean(),
    dates: fc.record(
      { start: fc.constantFrom("2026-01-02", ...dates), end: fc.constantFrom("2026-01-02", ...dates) },
      { requiredKeys: [] },
    ),
    betweenAnchors: fc.tuple(fc.constantFrom(...anchorNames), fc.constantFrom(...anchorNames)),
    limit: fc.integer({ min: 0, max: 5 }),
    newestFirst: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** The meaning of a query, said as plainly as possible; the kind of its error where it has none. */
export function naiveQuery(entries: readonly TapeEntry[], query: TapeQuery): TapeEntry[] | string {
  const { text = "", kinds = entryKinds, dates: { start, end } = {}, limit = Infinity, newestFirst } = query;
  const from = start === undefined ? -Infinity : new Date(start).getTime();
  const to = end === undefined ? Infinity : new Date(end.length === 10 ? `${end}T23:59:59.999Z` : end).getTime();
  if (from > to) return "invalid_input";
  const part = naivePart(entries, query);
  if (part === undefined) return "not_found";
  const found = part.filter(
    (entry) =>
      kinds.includes(entry.kind) &&
      JSON.stringify(entry).toLowerCase().includes(text.toLowerCase()) &&
      new Date(entry.date).getTime() >= from &&
      new Date(entry.date).getTime() <= to,
  );
  return (newestFirst ? found.reverse() : found).slice(0, limit);
}

/** Newest first, kinds before all else, each content once. */
export function naiveSearch(entries: readonly TapeEntry[], query: string, limit: number): TapeMatch[] {
  const test = textTest(query, { fuzzy: true });
  const matching = entries
    .filter(({ kind }) => kind === "message" || kind === "tool_call")
    .filter(test.passes)
    .reverse();
  const contents = matching.map(({ kind, payload }) => JSON.stringify([kind, payload]));
  const once = matching.filter((_, index) => contents.indexOf(contents[index] ?? "") === index);
  return once.slice(0, limit).map(({ date, kind, payload }) => ({ date, kind, content: payload }));
}

function naivePart(entries: readonly TapeEntry[], query: TapeQuery): TapeEntry[] | undefined {
  const { afterAnchor, betweenAnchors, lastAnchor } = query;
  const isAnchor = (name?: string) => (entry: TapeEntry) =>
    entry.kind === "anchor" && (name === undefined || entry.payload.name === name);
  const [startName, endName] = betweenAnchors ?? [afterAnchor];
  const start = entries.findLastIndex(isAnchor(startName));
  if (startName === undefined) return lastAnchor ? entries.slice(start + 1) : [...entries];
  if (start < 0) return undefined;
  const rest = entries.slice(start + 1);
  const end = endName === undefined ? rest.length : rest.findIndex(isAnchor(endName));
  return end < 0 ? undefined : rest.slice(0, end);
}

export function kindOf(error: unknown): string {
  if (!isBubError(error)) throw error;
  return error.kind;
}
