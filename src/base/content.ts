// What a message is made of: text, and media by value or by reference. Shapes are tape data.
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

/** Reads content of tape data; what is no part is left out, what is no content is empty text. */
export function contentFromJson(value: unknown): Content {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.filter((part): part is ContentPart => isMediaPart(part) || isTextPart(part));
}

function isTextPart(part: unknown): part is TextPart {
  return isJsonObject(part) && part.type === "text" && typeof part.text === "string";
}
