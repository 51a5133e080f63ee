// One entry of a tape as lines for people.
import { contentFromJson, describeMedia } from "../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { neutralise } from "../base/terminal-text.ts";
import { renderToolLine } from "../base/tool-line.ts";
import type { TapeEntry } from "../tape/entry.ts";

export interface EntryTextOptions {
  columns: number;
  /** Lines of one text; how many are left out is said. */
  mostLines?: number;
}

/** A line with id, date and kind, then the content, indented. Safe on a terminal. */
export function renderEntry(entry: TapeEntry, { columns, mostLines = 20 }: EntryTextOptions): string {
  const { id, kind, date } = entry;
  const [label, text] = describe(entry, columns - 2);
  const head = [`#${id}`, date.slice(0, 19).replace("T", " "), kind, ...label].join("  ");
  const body = shortened(text, mostLines).map((line) => `  ${line}`.trimEnd());
  return neutralise([head, ...body].join("\n"));
}

/** What stands beside the kind, and the text below it. */
function describe({ kind, payload, meta }: TapeEntry, columns: number): [label: string[], text: string] {
  switch (kind) {
    case "message":
      return [words(payload.role), textOfContent(payload.content)];
    case "system":
      return [[], textOfContent(payload.content)];
    case "tool_call":
      return [
        [],
        [...words(payload.content), ...listOf(payload.calls).map((call) => callLine(call, columns))].join("\n"),
      ];
    case "tool_result":
      return [
        [],
        listOf(payload.results)
          .map((result, index) => resultText(result, listOf(meta.calls)[index]))
          .join("\n"),
      ];
    case "error":
      return [words(payload.kind), String(payload.message ?? "")];
    case "anchor":
      return [words(payload.name), dataText(payload.state)];
    case "event":
      return [words(payload.name), dataText(payload.data)];
  }
}

function words(value: JsonValue | undefined): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOfContent(value: JsonValue | undefined): string {
  const content = contentFromJson(value);
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : describeMedia(part))).join("\n");
}

/** Calls stand as `{id, name, arguments}`, or as providers write them: `{id, type, function: {name, arguments}}`. */
function callLine(value: JsonValue, columns: number): string {
  const call = isJsonObject(value) ? (isJsonObject(value.function) ? value.function : value) : {};
  const raw = typeof call.arguments === "string" ? parseJson(call.arguments) : call.arguments;
  return renderToolLine({ name: String(call.name ?? "?"), arguments: isJsonObject(raw) ? raw : {} }, columns);
}

function resultText(result: JsonValue, call: JsonValue | undefined): string {
  const head = isJsonObject(call) ? `${call.name}: ${call.status}\n` : "";
  return head + resultContent(result);
}

function resultContent(result: JsonValue): string {
  if (typeof result === "string") return result;
  if (!isJsonObject(result)) return JSON.stringify(result);
  if (result.type === "tool_content") return textOfContent(result.content);
  if (typeof result.message !== "string") return JSON.stringify(result);
  const details = isJsonObject(result.details) ? Object.entries(result.details).map(detailText) : [];
  return [result.message, ...details].join("\n");
}

function detailText([name, value]: [string, JsonValue | undefined]): string {
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function dataText(data: JsonValue | undefined): string {
  if (!isJsonObject(data)) return "";
  const facts = Object.entries(data as JsonObject).filter(([, value]) => value !== null && value !== undefined);
  return facts.map(detailText).join("\n");
}

function shortened(text: string, mostLines: number): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const left = lines.length - mostLines;
  return left > 1 ? [...lines.slice(0, mostLines), `… ${left} more lines`] : lines;
}
