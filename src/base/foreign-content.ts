// Parts of messages as OpenAI's APIs have them, which Python Bub wrote down as they were: read as parts of ours.
import type { ContentPart, MediaType } from "./content.ts";
import { isJsonObject, type JsonValue } from "./json.ts";

/** Undefined for what is no part of theirs either. */
export function foreignPart(part: JsonValue): ContentPart | undefined {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isJsonObject(part)) return undefined;
  switch (part.type) {
    case "input_text":
    case "output_text":
      return typeof part.text === "string" ? { type: "text", text: part.text } : undefined;
    case "image_url":
    case "input_image":
      return mediaAt("image", addressIn(part.image_url));
    case "video_url":
      return mediaAt("video", addressIn(part.video_url));
    case "input_audio":
      return isJsonObject(part.input_audio) ? audio(part.input_audio.data, part.input_audio.format) : undefined;
    default:
      return undefined;
  }
}

function addressIn(value: JsonValue | undefined): string | undefined {
  const url = isJsonObject(value) ? value.url : value;
  return typeof url === "string" ? url : undefined;
}

const dataUrl = /^data:([\w.+/-]+)(?:;[\w=.-]+)*;base64,(.*)$/s;

function mediaAt(type: MediaType, url: string | undefined): ContentPart | undefined {
  if (url === undefined) return undefined;
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) return { type, media_type: mediaType, data };
  if (url.startsWith("data:")) return undefined;
  return { type, media_type: typeByName(url) ?? usualType[type], url };
}

function audio(data: JsonValue | undefined, format: JsonValue | undefined): ContentPart | undefined {
  if (typeof data !== "string") return undefined;
  return { type: "audio", media_type: `audio/${typeof format === "string" ? format : "wav"}`, data };
}

const usualType: Readonly<Record<MediaType, string>> = { image: "image/png", audio: "audio/wav", video: "video/mp4" };
const typesByEnding: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  webm: "video/webm",
};

function typeByName(url: string): string | undefined {
  return typesByEnding[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
}
