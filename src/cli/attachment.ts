// A file that goes with a message: pictures, sound and films as media, text by its name and content.
import { basename, extname } from "node:path";
import type { ContentPart, MediaPart } from "../base/content.ts";
import { BubError, codeOf } from "../base/errors.ts";
import { probeImage } from "../base/image-probe.ts";
import { readRegularFile } from "../base/regular-file.ts";
import { reasonOf } from "../base/system-reason.ts";

const mebibyte = 1024 * 1024;
/** Bytes. Of longer texts an agent reads what it needs by a tool. */
const most = { text: mebibyte, image: 10 * mebibyte, audio: 20 * mebibyte, video: 20 * mebibyte } as const;

/** @throws BubError `not_found` for a missing file, `invalid_input` for one that is neither text nor a known media format */
export async function readAttachment(path: string): Promise<ContentPart> {
  const bytes = await read(path);
  const media = mediaOf(bytes, path);
  const limit = most[media?.type ?? "text"];
  if (bytes.length > limit) throw unusable(path, `has more than the ${limit} bytes allowed`);
  if (media !== undefined) return { ...media, data: bytes.toString("base64"), bytes: bytes.length };
  return { type: "text", text: `File ${basename(path)}:\n\n${decode(bytes, path)}` };
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, { mostBytes: Math.max(...Object.values(most)) });
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    const why = isMissing ? "there is no such file" : reasonOf(error);
    throw new BubError(isMissing ? "not_found" : "invalid_input", `The file ${path} cannot be attached: ${why}.`, {
      cause: error,
    });
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unusable(path, "is neither text nor a known picture, sound or film");
  }
}

/** By the first bytes: a name can promise anything. The extension only tells sound from film in the same container. */
function mediaOf(bytes: Buffer, path: string): MediaPart | undefined {
  const extension = extname(path).toLowerCase();
  const starts = (text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG") || starts("\xff\xd8\xff") || starts("GIF8") || (starts("RIFF") && starts("WEBP", 8))) {
    return imageOf(bytes, path);
  }
  if (starts("RIFF") && starts("WAVE", 8)) return audio("wav");
  if (starts("ID3") || (extension === ".mp3" && bytes[0] === 0xff)) return audio("mpeg");
  if (starts("fLaC")) return audio("flac");
  if (starts("OggS")) return extension === ".ogv" ? video("ogg") : audio("ogg");
  if (starts("ftyp", 4)) return containerOf(bytes.toString("latin1", 8, 12), extension);
  if (starts("\x1a\x45\xdf\xa3")) return extension === ".mkv" ? video("x-matroska") : video("webm");
  return undefined;
}

function imageOf(bytes: Buffer, path: string): MediaPart {
  const probe = probeImage(bytes);
  // A provider would refuse it, and every later request of the session with it.
  if (!probe.ok) throw unusable(path, `is a picture that ${probe.reason}`);
  const { mediaType, width, height } = probe;
  return { type: "image", media_type: mediaType, width, height };
}

function containerOf(brand: string, extension: string): MediaPart {
  if (brand === "M4A " || extension === ".m4a") return audio("mp4");
  return brand === "qt  " ? video("quicktime") : video("mp4");
}

const audio = (name: string): MediaPart => ({ type: "audio", media_type: `audio/${name}` });
const video = (name: string): MediaPart => ({ type: "video", media_type: `video/${name}` });

function unusable(path: string, what: string): BubError {
  return new BubError("invalid_input", `The file ${path} cannot be attached: it ${what}.`);
}
