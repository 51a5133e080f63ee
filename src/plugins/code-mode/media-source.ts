// Media from what code gives: an object, a path of the environment, a URL, or a data URL.
import { extname } from "node:path";
import type { MediaPart, MediaType } from "../../base/content.ts";
import { BubError } from "../../base/errors.ts";
import { probeImage } from "../../base/image-probe.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { Environment } from "../../environment/environment.ts";

/** The most that one medium may have (bytes). */
const mostBytes: Record<MediaType, number> = { image: 10_485_760, audio: 26_214_400, video: 52_428_800 };

const typesByEnding: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".flac": "audio/flac",
  ".m4a": "audio/mp4",
  ".aac": "audio/aac",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
  ".mkv": "video/x-matroska",
  ".avi": "video/x-msvideo",
};

interface Place {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** @throws BubError naming the source: missing file, unknown type, another kind, too large */
export async function readMedia(source: JsonValue | undefined, kind: MediaType, place: Place): Promise<MediaPart> {
  if (isJsonObject(source)) return fromObject(source, kind);
  if (typeof source !== "string" || source === "")
    throw invalid(kind, "it takes a path, a URL, a data URL or an object");
  if (source.startsWith("data:")) return fromDataUrl(source, kind);
  if (/^(https?|gs):\/\//i.test(source)) return fromUrl(source, kind, undefined);
  return fromFile(source, kind, place);
}

function fromObject(
  { type, url, data, media_type: mediaType }: Exclude<JsonValue, string | number | boolean | null | JsonValue[]>,
  kind: MediaType,
): MediaPart {
  if (typeof type === "string" && type !== kind) throw invalid(kind, `it was given ${type}`);
  const given = typeof mediaType === "string" ? mediaType : undefined;
  if (typeof url === "string") return url.startsWith("data:") ? fromDataUrl(url, kind) : fromUrl(url, kind, given);
  if (typeof data !== "string" || given === undefined)
    throw invalid(kind, "an object needs url, or data and media_type");
  return checked(Buffer.from(data, "base64"), { kind, mediaType: given, name: "the object's data" });
}

function fromDataUrl(url: string, kind: MediaType): MediaPart {
  const [, mediaType, data] = /^data:([^;,]+)(?:;[^,]*)?;base64,([\s\S]*)$/i.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) throw invalid(kind, "the data URL is not base64 with a type");
  return checked(Buffer.from(data, "base64"), { kind, mediaType, name: "the data URL" });
}

/** Kept as a URL: whether it is sent depends on what the provider takes. */
function fromUrl(url: string, kind: MediaType, given: string | undefined): MediaPart {
  const ending = extname(/^[^?#]*/.exec(url)?.[0] ?? "").toLowerCase();
  const mediaType = given ?? typesByEnding[ending] ?? `${kind}/*`;
  if (!mediaType.startsWith(`${kind}/`)) throw invalid(kind, `${url} is ${mediaType}`);
  return { type: kind, media_type: mediaType, url };
}

async function fromFile(path: string, kind: MediaType, { environment, signal }: Place): Promise<MediaPart> {
  const found = await environment.stat(path);
  if (found !== undefined && found.kind === "file" && found.size > mostBytes[kind])
    throw tooLarge(kind, path, found.size);
  const bytes = await environment.readFile(path, { signal });
  const mediaType = typesByEnding[extname(path).toLowerCase()] ?? (kind === "image" ? "image/*" : undefined);
  if (mediaType === undefined) throw invalid(kind, `the type of ${path} is unknown`);
  return checked(Buffer.from(bytes), { kind, mediaType, name: path });
}

interface Claim {
  readonly kind: MediaType;
  readonly mediaType: string;
  readonly name: string;
}

function checked(bytes: Buffer, { kind, mediaType, name }: Claim): MediaPart {
  if (!mediaType.startsWith(`${kind}/`)) throw invalid(kind, `${name} is ${mediaType}`);
  if (bytes.length > mostBytes[kind]) throw tooLarge(kind, name, bytes.length);
  if (bytes.length === 0) throw invalid(kind, `${name} is empty`);
  const data = bytes.toString("base64");
  if (kind !== "image") return { type: kind, media_type: mediaType, data, bytes: bytes.length };
  const image = probeImage(bytes);
  if (!image.ok) throw invalid(kind, `${name} ${image.reason}`);
  const { width, height } = image;
  return { type: kind, media_type: image.mediaType, data, bytes: bytes.length, width, height };
}

function invalid(kind: MediaType, why: string): BubError {
  return new BubError("invalid_input", `attach_${kind}: ${why}.`);
}

function tooLarge(kind: MediaType, name: string, bytes: number): BubError {
  return invalid(kind, `${name} has ${bytes} bytes, and at most ${mostBytes[kind]} are allowed`);
}
