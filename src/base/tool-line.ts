// One line about one tool call: what was called, with what, how long it took.
import type { JsonObject } from "./json.ts";
import { cutToWidth, toOneLine, widthOf } from "./terminal-text.ts";

export interface ToolLine {
  /** The tool's name or alias. */
  name: string;
  arguments: JsonObject;
  /** Once it is over. */
  result?: { text: string; isError: boolean; elapsedMs: number };
}

/** Fits into `columns`: `bash npm test (1.2 s)`, or `bash npm test (1.2 s, failed: command exited with code 1)`. */
export function renderToolLine({ name, arguments: args, result }: ToolLine, columns: number): string {
  const call = toOneLine(`${name} ${describeArguments(args)}`);
  if (result === undefined) return cutToWidth(call, columns);
  const end = renderEnd(result, columns - Math.min(widthOf(call), columns >> 1));
  return cutToWidth(call, Math.max(columns - widthOf(end), 1)) + end;
}

/** The time, and why it failed as far as there is room for it. */
function renderEnd({ text, isError, elapsedMs }: NonNullable<ToolLine["result"]>, room: number): string {
  const time = renderDuration(elapsedMs);
  if (!isError) return ` (${time})`;
  const roomForReason = room - widthOf(` (${time}, failed: )`);
  const reason = roomForReason < 8 ? "" : `: ${cutToWidth(firstLineOf(text), roomForReason)}`;
  return ` (${time}, failed${reason})`;
}

/** `12 ms`, `1.2 s`, `34 s`, `2 min 5 s`. */
export function renderDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** What a call is mostly about stands first, by itself. */
const subjects = ["command", "path", "url", "query", "code", "prompt", "name"];

function describeArguments(args: JsonObject): string {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const subject = subjects.find((name) => typeof args[name] === "string") ?? given[0]?.[0];
  const rest = given.filter(([name]) => name !== subject).map(([name, value]) => `${name}=${shown(value)}`);
  return subject === undefined ? "" : [shown(args[subject]), ...rest].join(" ");
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function firstLineOf(text: string): string {
  const [first = ""] = text.trim().split("\n");
  // The error's kind is for programs.
  return toOneLine(first.replace(/^\[[a-z_]+\] /, ""));
}
