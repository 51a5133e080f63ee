// Moves large media of an entry into the media store before the entry is written.
import { contentFromJson, contentToJson, isMediaPart, type MediaPart } from "../../base/content.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import type { MediaStore } from "../../tape/store.ts";

/** Media above this stand in a file of their own (bytes). */
const inlineBytes = 8 * 1024;

/** The same draft, with its large media replaced by references. Drafts without media come back as they are. */
export async function storeMedia(draft: EntryDraft, media: MediaStore): Promise<EntryDraft> {
  const { content } = draft.payload;
  if (!Array.isArray(content) || !content.some(isMediaPart)) return draft;
  const parts = contentFromJson(content);
  if (typeof parts === "string") return draft;
  const stored = await Promise.all(parts.map((part) => (isMediaPart(part) ? storePart(part, media) : part)));
  return { ...draft, payload: { ...draft.payload, content: contentToJson(stored) } };
}

/** One part by reference when it is large; `bytes` is always told. */
export async function storePart(part: MediaPart, media: MediaStore): Promise<MediaPart> {
  if (part.data === undefined) return part;
  const bytes = Buffer.from(part.data, "base64");
  if (bytes.length <= inlineBytes) return { ...part, bytes: bytes.length };
  const { data: _data, ...rest } = part;
  return { ...rest, sha256: await media.put(bytes), bytes: bytes.length };
}
