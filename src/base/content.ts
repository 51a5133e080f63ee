// What a message is made of: text, and media by value or by reference. Shapes are tape data.
import { foreignPart } from "./foreign-content.ts";
import { isJsonObject, type JsonValue } from "./json.ts";

export interface TextPart {
  type: "text";
  text: string;
}

export type MediaType = "image" | "audio" | "video";

/** Exactly one of `data`, `sha256` and `url` says where the bytes are. */
export interface MediaPart {
  type: MediaType;
  /** For example `image/png`. */
  media_type: string;
  /** The bytes in base64. */
  data?: string;
  /** Names a file of the media store. */
  sha256?: string;
  url?: string;
  /** Size of the media itself, not of its base64. */
  bytes?: number;
  /** Pixels. */
  width?: number;
  height?: number;
}

export type ContentPart = TextPart | MediaPart;
export type Content = string | readonly ContentPart[];

export function isMediaPart(part: unknown): part is MediaPart {
  const type = typeof part === "object" && part !== null ? (part as { type?: unknown }).type : undefined;
  return type === "image" || type === "audio" || type === "video";
}

/** The text of content, parts joined by newlines; media are left out. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** One part's words for readers that cannot see it: `[image: image/png, 640x480, 12345 bytes]`. */
export function describeMedia(part: MediaPart): string {
  const size = part.width !== undefined && part.height !== undefined ? [`${part.width}x${part.height}`] : [];
  const bytes = part.bytes !== undefined ? [`${part.bytes} bytes`] : [];
  return `[${part.type}: ${[part.media_type, ...size, ...bytes].join(", ")}]`;
}

/** Content as tape data: the same value, seen as JSON. */
export function contentToJson(content: Content): JsonValue {
  return content as JsonValue;
}

/**
 * Reads content of tape data, also as Python Bub wrote it; what is no part is left out, what is no content is empty text.
 * A medium whose bytes nobody can find is told in words.
 */
export function contentFromJson(value: unknown): Content {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.flatMap((part: JsonValue) => readPart(part) ?? []);
}

function readPart(part: JsonValue): ContentPart | undefined {
  if (isTextPart(part)) return part;
  if (!isMediaPart(part)) return foreignPart(part);
  const { data, sha256, url, media_type: mediaType }: Partial<MediaPart> = part;
  const hasType = typeof mediaType === "string";
  if (hasType && [data, sha256, url].some((place) => typeof place === "string")) return part;
  return { type: "text", text: describeMedia({ type: part.type, media_type: hasType ? mediaType : "unknown" }) };
}

function isTextPart(part: unknown): part is TextPart {
  return isJsonObject(part) && part.type === "text" && typeof part.text === "string";
}
