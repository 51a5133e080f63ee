// Finds entries of a tape, with one meaning for every store: pure rules, and a streaming walk over any log.
import { BubError } from "../base/errors.ts";
import type { EntryKind, TapeEntry } from "./entry.ts";
import type { TapeReader } from "./store.ts";
import { type EntryTest, textTest } from "./text-search.ts";

export interface TapeQuery {
  /** Looked for in any case in all that an entry says, see `textTest`. */
  text?: string;
  /** Decides instead of the plain search for `text`. */
  matches?: EntryTest;
  /** Only these kinds. */
  kinds?: readonly EntryKind[];
  /** Only entries after the newest anchor of that name. */
  afterAnchor?: string;
  /** Only entries after the last anchor; all where there is none. */
  lastAnchor?: boolean;
  /** Only entries between the newest anchor of the first name and the next one of the second name after it. */
  betweenAnchors?: readonly [start: string, end: string];
  dates?: DateRange;
  /** How many entries at most, counted from where reading begins. */
  limit?: number;
  /** Reads from the end; default: in recording order. */
  newestFirst?: boolean;
}

/** ISO dates or date-times, both inclusive; without an offset they are UTC, and an end without a time is the end of its day. */
export interface DateRange {
  start?: string;
  end?: string;
}

/** Ids between which entries count; both are left out. */
interface Bounds {
  readonly after: number;
  readonly before: number;
}

/**
 * The entries of a log that a query describes, streamed in bounded memory.
 * @throws BubError `not_found` for an anchor that is not there, `invalid_input` for a bad date
 */
export async function* queryLog(
  log: TapeReader,
  query: TapeQuery,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<TapeEntry, void, undefined> {
  const { passes, mayHold } = buildFilter(query);
  const { after, before } = await boundsOf(log, query, signal);
  let left = query.limit ?? Infinity;
  if (left <= 0) return;
  const options = { after, before, mayHold, signal };
  for await (const entry of query.newestFirst ? log.backward(options) : log.forward(options)) {
    if (!passes(entry)) continue;
    yield entry;
    left--;
    if (left <= 0) return;
  }
}

/** What an entry has to be, anchors and limit aside. */
export function buildFilter({ text = "", matches, kinds, dates }: TapeQuery): EntryTest {
  const rules: EntryTest["passes"][] = [];
  if (kinds !== undefined) rules.push(({ kind }) => kinds.includes(kind));
  if (dates !== undefined) rules.push(inRange(dates));
  const test = matches ?? (text === "" ? undefined : textTest(text));
  if (test !== undefined) rules.push(test.passes);
  return { passes: (entry) => rules.every((rule) => rule(entry)), mayHold: test?.mayHold };
}

/** Milliseconds since 1970 of an ISO date or date-time. @throws BubError `invalid_input` */
export function parseDate(text: string, { endOfDay = false } = {}): number {
  const [, date, time = "T00:00:00", offset = "Z"] = isoDate.exec(text.trim()) ?? [];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const value = Date.parse(`${date}${isoTime(time)}${isoOffset(offset)}`);
  // Date.parse takes the 31st of February for the 3rd of March.
  if (Number.isNaN(value) || new Date(midnight).toISOString().slice(0, 10) !== date) throw invalidDate(text);
  return endOfDay && text.trim() === date ? midnight + 24 * 60 * 60 * 1000 - 1 : value;
}

const isoDate = /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function isoTime(time: string): string {
  const digits = time.slice(1).replace(",", ".").replaceAll(":", "");
  const [hours, minutes, seconds] = [digits.slice(0, 2), digits.slice(2, 4) || "00", digits.slice(4) || "00"];
  return `T${hours}:${minutes}:${seconds}`;
}

function isoOffset(offset: string): string {
  const digits = offset.toUpperCase().replace(":", "");
  return digits === "Z" ? digits : `${digits.slice(0, 3)}:${digits.slice(3) || "00"}`;
}

function invalidDate(text: string): BubError {
  return new BubError("invalid_input", `Invalid ISO date or datetime: '${text}'.`);
}

function inRange({ start, end }: DateRange): (entry: TapeEntry) => boolean {
  const from = start === undefined ? -Infinity : parseDate(start);
  const to = end === undefined ? Infinity : parseDate(end, { endOfDay: true });
  if (from > to) throw new BubError("invalid_input", `the start date '${start}' is after the end date '${end}'`);
  return ({ date }) => {
    const time = Date.parse(date);
    return time >= from && time <= to;
  };
}

async function boundsOf(log: TapeReader, query: TapeQuery, signal?: AbortSignal): Promise<Bounds> {
  const { lastAnchor, afterAnchor, betweenAnchors } = query;
  const all = { after: -Infinity, before: Infinity };
  const [startName, endName] = betweenAnchors ?? [afterAnchor];
  if (startName === undefined && !lastAnchor) return all;
  let before = Infinity;
  for await (const entry of log.backward({ signal })) {
    if (entry.kind !== "anchor") continue;
    if (startName === undefined) return { ...all, after: entry.id };
    if (entry.payload.name === startName) {
      if (endName !== undefined && before === Infinity) throw unknownAnchor(endName);
      return { after: entry.id, before };
    }
    if (entry.payload.name === endName) before = entry.id;
  }
  if (startName !== undefined) throw unknownAnchor(startName);
  return all;
}

function unknownAnchor(name: string): BubError {
  return new BubError("not_found", `Anchor '${name}' was not found.`, { hint: "tape.anchors lists them." });
}
