// Reads entries out of one line's bytes, also where the line is damaged.
import { isJsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { parseEntry, type TapeEntry } from "./entry.ts";
import type { TapeProblem } from "./store.ts";

export type Report = (problem: TapeProblem) => void;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/**
 * The entries of the line `bytes[start, end)`, in their order: one for a sound line, any number for a damaged one.
 * @param offset where `bytes` begins in the file; problems are reported by their place there
 */
export function parseLine(bytes: Buffer, start: number, end: number, offset: number, report: Report): TapeEntry[] {
  if (start === end) return [];
  const value = parseJson(bytes.toString("utf8", start, end));
  if (value === undefined) return salvage(bytes.subarray(start, end), offset + start, report);
  const entry = parseEntry(value);
  if (entry !== undefined) return [entry];
  report(problemOf(value, offset + start, end - start));
  return [];
}

/** What is wrong with well-formed JSON that is no entry: another version's entries are told from rubbish. */
function problemOf(value: JsonValue, offset: number, length: number): TapeProblem {
  if (!isJsonObject(value) || value.id === undefined || value.kind === undefined || isImpossible(value.id)) {
    return { offset, length, reason: "corrupt" };
  }
  return { offset, length, reason: "unknown", id: Number.isSafeInteger(value.id) ? Number(value.id) : undefined };
}

/** A number that no version counts to. */
function isImpossible(id: JsonValue): boolean {
  return typeof id === "number" && !Number.isSafeInteger(id);
}

function salvage(line: Buffer, offset: number, report: Report): TapeEntry[] {
  const entries: TapeEntry[] = [];
  let unread = 0;
  let at = 0;
  // Damaged bytes may hold any number of starts without an end; looking for ends stays linear in the line.
  let budget = line.length * 16;
  for (;;) {
    const start = nextStart(line, at);
    if (start < 0 || budget < 0) break;
    const end = endOfObject(line, start);
    budget -= (end < 0 ? line.length : end) - start;
    const value =
      end > 0 && standsAlone(line, start, end, unread) ? parseJson(line.toString("utf8", start, end)) : undefined;
    if (value === undefined) {
      at = start + 1;
      continue;
    }
    at = end;
    const entry = parseEntry(value);
    const problem = problemOf(value, offset + start, end - start);
    // Other objects are parts of the damage around them.
    if (entry === undefined && problem.reason === "corrupt") continue;
    reportStretch(line, unread, start, offset, report);
    if (entry !== undefined) entries.push(entry);
    else report(problem);
    unread = end;
  }
  reportStretch(line, unread, line.length, offset, report);
  return entries;
}

/** Where the next entry may begin: here, after blanks, or at the text every entry begins with. */
function nextStart(line: Buffer, from: number): number {
  let at = from;
  while (at < line.length && isBlank(line[at])) at++;
  return line[at] === openBrace ? at : line.indexOf('{"id":', at);
}

/** The end of the object that begins at `start`, or -1 where it has none. */
function endOfObject(line: Buffer, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < line.length; at++) {
    const byte = line[at] as number;
    // No control character stands raw in JSON text on one line.
    if (byte < space) return -1;
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace) depth++;
    else if (byte === closeBrace && --depth === 0) return at + 1;
  }
  return -1;
}

/** False for an object that is a part of a torn entry around it. */
function standsAlone(line: Buffer, start: number, end: number, unread: number): boolean {
  if (start === unread || end === line.length || isBlank(line[start - 1])) return true;
  return line[start - 1] === closeBrace || line[end] === openBrace || line[end] === 0;
}

function reportStretch(line: Buffer, from: number, to: number, offset: number, report: Report): void {
  for (let at = from; at < to; ) {
    const blank = line[at] === 0;
    let end = at;
    while (end < to && (line[end] === 0) === blank) end++;
    const reason = blank ? "blank" : isTorn(line, at) ? "torn" : "corrupt";
    if (blank || hasText(line, at, end)) report({ offset: offset + at, length: end - at, reason });
    at = end;
  }
}

/** An entry that begins and does not end. */
function isTorn(line: Buffer, at: number): boolean {
  return line[at] === openBrace && endOfObject(line, at) < 0;
}

function hasText(line: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlank(line[at]) && line[at] !== space) return true;
  return false;
}

/** NUL, tab and carriage return; a space may stand inside an entry. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0 || byte === 0x09 || byte === 0x0d;
}
