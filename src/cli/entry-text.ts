// One entry of a tape as lines for people.
import { contentFromJson, describeMedia } from "../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { cutToWidth, neutralise, toOneLine } from "../base/terminal-text.ts";
import { renderToolLine } from "../base/tool-line.ts";
import type { TapeEntry } from "../tape/entry.ts";
import { FuzzySearch } from "../tape/fuzzy-search.ts";

export interface EntryTextOptions {
  columns: number;
  /** Lines of one text; how many are left out is said. */
  mostLines?: number;
  /** Characters of one text. */
  mostCharacters?: number;
}

/** A line with id, date and kind, then the content, indented. Safe on a terminal. */
export function renderEntry(entry: TapeEntry, options: EntryTextOptions): string {
  const { columns, mostLines = 20, mostCharacters = 10_000 } = options;
  const [label, text] = describe(entry, columns - 2);
  const body = shortened(text, mostLines, mostCharacters).map((line) => `  ${line}`.trimEnd());
  return neutralise([headOf(entry, label), ...body].join("\n"));
}

/** Lines around what was looked for. */
const excerptLines = 3;

/** As `renderEntry`, but of the content only the lines that hold `text`, or nearly; where none does, the first ones. */
export function renderExcerpt(entry: TapeEntry, text: string, { columns }: { columns: number }): string {
  const [label, content] = describe(entry, columns - 2);
  const wanted = text.toLowerCase();
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const shown = linesWith(wanted, lines).slice(0, excerptLines);
  const body = shown.map((line) => `  ${cutAround(line, wanted, columns - 2)}`);
  return [neutralise(headOf(entry, label)), ...body].join("\n");
}

function linesWith(wanted: string, lines: readonly string[]): readonly string[] {
  const exact = lines.filter((line) => line.toLowerCase().includes(wanted));
  if (exact.length > 0) return exact;
  const fuzzy = FuzzySearch.of(wanted);
  const near = lines.filter((line) => fuzzy?.matches(Buffer.from(line)));
  return near.length > 0 ? near : lines;
}

/** Words that stand before a match, as far as there is room. */
const leadCharacters = 20;

function cutAround(line: string, wanted: string, columns: number): string {
  const at = line.toLowerCase().indexOf(wanted);
  const start = at + wanted.length < columns - 1 ? 0 : Math.max(0, at - leadCharacters);
  // Long lines are cut before they are looked at closely.
  const piece = toOneLine(line.slice(start, start + 4 * columns));
  return cutToWidth(start > 0 ? `…${piece}` : piece, columns);
}

function headOf({ id, date, kind }: TapeEntry, label: readonly string[]): string {
  return [`#${id}`, date.slice(0, 19).replace("T", " "), kind, ...label].join("  ");
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

function shortened(text: string, mostLines: number, mostCharacters: number): string[] {
  if (text === "") return [];
  const left = text.length - mostCharacters;
  if (left > 0)
    return [...shortened(text.slice(0, mostCharacters), mostLines, mostCharacters), `… ${left} more characters`];
  const lines = text.split("\n");
  const hidden = lines.length - mostLines;
  return hidden > 1 ? [...lines.slice(0, mostLines), `… ${hidden} more lines`] : lines;
}
