// What of an entry people read, in pieces that any format can show.
import { contentFromJson, isMediaPart, type MediaPart } from "../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { TapeEntry } from "./entry.ts";
import { answersIn, callsIn } from "./recorded-calls.ts";

export type ExportTone = "user" | "assistant" | "call" | "result" | "error" | "anchor" | "system" | "event";

export type ExportPart =
  /** Somebody's words; an assistant's are Markdown. */
  | { readonly type: "prose"; readonly text: string }
  /** The model's thoughts before its answer. */
  | { readonly type: "thought"; readonly text: string }
  | { readonly type: "code"; readonly text: string; readonly language?: "json" }
  | { readonly type: "media"; readonly part: MediaPart };

export interface ExportBlock {
  readonly id: number;
  readonly date: string;
  readonly tone: ExportTone;
  readonly title: string;
  readonly parts: readonly ExportPart[];
}

/** Events that are part of the conversation; the others are for programs. */
const toldEvents = new Set(["command"]);

/** @param options.everything also systems and all events */
export function blocksOf(entry: TapeEntry, { everything = false }: { everything?: boolean } = {}): ExportBlock[] {
  const { id, date, kind, payload } = entry;
  const block = (tone: ExportTone, title: string, parts: readonly ExportPart[]): ExportBlock[] => [
    { id, date, tone, title, parts },
  ];
  switch (kind) {
    case "message":
      return payload.role === "assistant"
        ? block("assistant", "Assistant", [...thoughtIn(payload), ...contentParts(payload.content)])
        : block("user", payload.role === "user" ? "User" : String(payload.role), contentParts(payload.content));
    case "tool_call":
      return [...saidWith(entry), ...callBlocks(entry)];
    case "tool_result":
      return answersIn(entry).map(({ result, call }) => {
        const name = call === undefined || call.name === "" ? "" : ` of ${call.name}`;
        const status = call === undefined || call.status === "ok" ? "" : ` (${call.status})`;
        return {
          id,
          date,
          tone: isError(result) ? "error" : "result",
          title: `Result${name}${status}`,
          parts: resultParts(result),
        };
      });
    case "error":
      return block("error", `Error: ${String(payload.kind ?? "unknown")}`, [prose(errorText(payload))]);
    case "anchor":
      return block("anchor", `Anchor: ${String(payload.name)}`, dataParts(payload.state));
    case "system":
      return everything ? block("system", "System", contentParts(payload.content)) : [];
    case "event": {
      const name = String(payload.name);
      return everything || toldEvents.has(name) ? block("event", `Event: ${name}`, dataParts(payload.data)) : [];
    }
  }
}

function saidWith({ id, date, payload }: TapeEntry): ExportBlock[] {
  const parts = [...thoughtIn(payload), ...contentParts(payload.content)];
  return parts.length === 0 ? [] : [{ id, date, tone: "assistant", title: "Assistant", parts }];
}

function callBlocks(entry: TapeEntry): ExportBlock[] {
  const { id, date } = entry;
  return callsIn(entry).map(({ name, arguments: args }) => ({
    id,
    date,
    tone: "call",
    title: `Call of ${name}`,
    parts: [{ type: "code", language: "json", text: JSON.stringify(args, null, 2) }],
  }));
}

function thoughtIn({ reasoning }: JsonObject): ExportPart[] {
  return typeof reasoning === "string" && reasoning !== "" ? [{ type: "thought", text: reasoning }] : [];
}

function contentParts(value: JsonValue | undefined): ExportPart[] {
  const content = contentFromJson(value);
  if (typeof content === "string") return content === "" ? [] : [prose(content)];
  return content.map((part) => (isMediaPart(part) ? { type: "media", part } : prose(part.text)));
}

function resultParts(result: JsonValue): ExportPart[] {
  if (typeof result === "string") return [{ type: "code", text: result }];
  if (isError(result)) return [{ type: "code", text: errorText(result) }];
  if (isJsonObject(result) && result.type === "tool_content")
    return contentParts(result.content).map((part) =>
      part.type === "prose" ? { type: "code", text: part.text } : part,
    );
  return [{ type: "code", language: "json", text: JSON.stringify(result, null, 2) }];
}

function isError(result: JsonValue): result is JsonObject {
  return isJsonObject(result) && typeof result.kind === "string" && typeof result.message === "string";
}

function errorText({ kind, message, details }: JsonObject): string {
  const lines = isJsonObject(details) ? Object.entries(details).map(detailLine) : [];
  return [`[${String(kind)}] ${String(message)}`, ...lines].join("\n");
}

function detailLine([name, value]: [string, JsonValue | undefined]): string {
  return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function dataParts(data: JsonValue | undefined): ExportPart[] {
  const isEmpty = !isJsonObject(data) || Object.keys(data).length === 0;
  return isEmpty ? [] : [{ type: "code", language: "json", text: JSON.stringify(data, null, 2) }];
}

function prose(text: string): ExportPart {
  return { type: "prose", text };
}
