// What formats need to know of content that holds media.
import { type Content, type ContentPart, isMediaPart, type MediaPart } from "../base/content.ts";
import type { LoadMedia } from "./model.ts";

/** True for parts of which at least one is no text. */
export function hasMedia(content: Content): content is readonly ContentPart[] {
  return typeof content !== "string" && content.some(isMediaPart);
}

/** A part's bytes in base64, loaded where they are stored. */
export function dataOf(part: MediaPart, loadMedia: LoadMedia): string | Promise<string> {
  return part.data ?? loadMedia(part);
}

/** The address of a part that servers can fetch by themselves. */
export function webAddressOf({ url }: MediaPart): string | undefined {
  return url !== undefined && /^https?:/i.test(url) ? url : undefined;
}

/** Type and base64 of a `data:` address; undefined for any other. */
export function readDataUrl(
  url: string | undefined,
): { readonly mediaType: string; readonly data: string } | undefined {
  const found = /^data:([^;,]+);base64,/i.exec(url ?? "");
  const mediaType = found?.[1];
  return found === null || mediaType === undefined || url === undefined
    ? undefined
    : { mediaType: mediaType.toLowerCase(), data: url.slice(found[0].length) };
}
