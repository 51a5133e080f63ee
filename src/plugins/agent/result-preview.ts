// A carried result that is too large for its conversation: its beginning and its end.
import { contentFromJson, contentToJson, describeMedia, isMediaPart, textOf } from "../../base/content.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { grouped, previewOf } from "../../base/text-preview.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import { isToolError, renderError } from "../../tools/render-error.ts";

/** A shorter text is not cut: that would save little (characters). */
const shortest = 900;

/** The draft with each large result cut, its media described; other drafts as they are. */
export function withPreviews(draft: EntryDraft): EntryDraft {
  const { results } = draft.payload;
  if (draft.kind !== "tool_result" || !Array.isArray(results)) return draft;
  const cut = results.map((result) => preview(result ?? null));
  if (cut.every((result, index) => result === results[index])) return draft;
  return { ...draft, payload: { ...draft.payload, results: cut } };
}

function preview(result: JsonValue): JsonValue {
  if (typeof result === "string") return cutText(result);
  if (isToolError(result)) {
    const text = renderError(result);
    const cut = cutText(text);
    return cut === text ? result : cut;
  }
  if (!isJsonObject(result) || result.type !== "tool_content") return result;
  const parts = contentFromJson(result.content);
  if (typeof parts === "string") return cutText(parts);
  const described = parts.map((part) =>
    isMediaPart(part) ? ({ type: "text", text: describeMedia(part) } as const) : part,
  );
  const text = textOf(described);
  const hasMedia = parts.some(isMediaPart);
  const cut = cutText(text);
  return hasMedia || cut !== text ? contentToJson(cut) : result;
}

function cutText(text: string): string {
  if (text.length <= shortest) return text;
  return `[tool output truncated: ${grouped(Buffer.byteLength(text))} bytes; it did not fit the context]\n${previewOf(text)}`;
}
