// Media that a model refused: which, as the tape remembers it, and what stands in their place.
import { createHash } from "node:crypto";
import { isMediaPart, type MediaPart } from "../../base/content.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ModelMessage } from "../../model/model.ts";
import { mediaRejected } from "../../tape/carried.ts";
import type { EntryDraft } from "../../tape/entry.ts";

export { mediaRejected };

/** By model, as `provider:model`: another one may well take them. */
export class RejectedMedia {
  readonly #keys = new Map<string, Set<string>>();

  /** Takes the data of one event. */
  add({ model, media }: JsonObject): void {
    if (typeof model !== "string" || !Array.isArray(media)) return;
    const keys = this.#keys.get(model) ?? new Set();
    for (const key of media) if (typeof key === "string") keys.add(key);
    this.#keys.set(model, keys);
  }

  has(model: string, part: MediaPart): boolean {
    const keys = this.#keys.get(model);
    return keys?.has(mediaKeyOf(part)) === true;
  }
}

/** The event that keeps these media away from a model from now on. */
export function rejectionDraft(model: string, parts: readonly MediaPart[], meta: JsonObject): EntryDraft {
  const media = [...new Set(parts.map(mediaKeyOf))];
  return { kind: "event", payload: { name: mediaRejected, data: { model, media } }, meta };
}

/**
 * Which media a refused request may have been refused for: those that no answer has followed yet, as the others went
 * through before; all of them when there are no such.
 */
export function suspectMedia(messages: readonly ModelMessage[]): readonly MediaPart[] {
  const answered = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const fresh = mediaIn(messages.slice(answered));
  return fresh.length > 0 ? fresh : mediaIn(messages);
}

export function hasMedia(messages: readonly ModelMessage[]): boolean {
  return messages.some(({ content }) => typeof content === "object" && content.some(isMediaPart));
}

/** Images, audio and video of all messages, in their order. */
export function mediaIn(messages: readonly ModelMessage[]): readonly MediaPart[] {
  return messages.flatMap(({ content }) => (typeof content === "object" ? content.filter(isMediaPart) : []));
}

const known = new WeakMap<MediaPart, string>();

/** Says which media it is, wherever a copy of it stands. */
export function mediaKeyOf(part: MediaPart): string {
  const key = known.get(part) ?? part.sha256 ?? part.url ?? hashOf(part.data ?? "");
  known.set(part, key);
  return key;
}

function hashOf(base64: string): string {
  return createHash("sha256").update(Buffer.from(base64, "base64")).digest("hex");
}
