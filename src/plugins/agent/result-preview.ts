// A carried result that is too large for its conversation: its beginning and its end.
import { contentFromJson, contentToJson, describeMedia, isMediaPart, textOf } from "../../base/content.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import { isToolError, renderError } from "../../tools/render-error.ts";

/** Characters of either end. */
const shown = 300;

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
  const characters = Array.from(text);
  // A cut that saves little says less for nothing.
  if (characters.length <= 3 * shown) return text;
  const left = characters.length - 2 * shown;
  const first = characters.slice(0, shown).join("");
  const last = characters.slice(-shown).join("");
  return `[tool result of ${characters.length} characters, cut to fit the context]\n${first}\n[${left} characters left out]\n${last}`;
}
