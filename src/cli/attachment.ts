// A file that goes with a message: pictures, sound and films as media, text by its name and content.
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { ContentPart, MediaType } from "../base/content.ts";
import { BubError, codeOf, messageOf } from "../base/errors.ts";

interface MediaFormat {
  readonly type: MediaType;
  readonly mediaType: string;
}

/** @throws BubError `not_found` for a missing file, `invalid_input` for one that is neither text nor a known media format */
export async function readAttachment(path: string): Promise<ContentPart> {
  const bytes = await read(path);
  const format = formatOf(bytes, extname(path).toLowerCase());
  if (format !== undefined) {
    const { type, mediaType } = format;
    return { type, media_type: mediaType, data: bytes.toString("base64"), bytes: bytes.length };
  }
  return { type: "text", text: `File ${basename(path)}:\n\n${decode(bytes, path)}` };
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    const why = isMissing ? "there is no such file" : codeOf(error) === "EISDIR" ? "it is a folder" : messageOf(error);
    throw new BubError(isMissing ? "not_found" : "invalid_input", `The file ${path} cannot be attached: ${why}.`, {
      cause: error,
    });
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BubError(
      "invalid_input",
      `The file ${path} cannot be attached: it is neither text nor a known picture, sound or film.`,
    );
  }
}

/** By the first bytes: a name can promise anything. The extension only tells sound from film in the same container. */
function formatOf(bytes: Buffer, extension: string): MediaFormat | undefined {
  const starts = (text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return image("png");
  if (starts("\xff\xd8\xff")) return image("jpeg");
  if (starts("GIF87a") || starts("GIF89a")) return image("gif");
  if (starts("RIFF") && starts("WEBP", 8)) return image("webp");
  if (starts("RIFF") && starts("WAVE", 8)) return audio("wav");
  if (starts("ID3") || (extension === ".mp3" && bytes[0] === 0xff)) return audio("mpeg");
  if (starts("fLaC")) return audio("flac");
  if (starts("OggS")) return extension === ".ogv" ? video("ogg") : audio("ogg");
  if (starts("ftyp", 4)) return containerOf(bytes.toString("latin1", 8, 12), extension);
  if (starts("\x1a\x45\xdf\xa3")) return extension === ".mkv" ? video("x-matroska") : video("webm");
  return undefined;
}

function containerOf(brand: string, extension: string): MediaFormat {
  if (brand === "M4A " || extension === ".m4a") return audio("mp4");
  return brand === "qt  " ? video("quicktime") : video("mp4");
}

const image = (name: string): MediaFormat => ({ type: "image", mediaType: `image/${name}` });
const audio = (name: string): MediaFormat => ({ type: "audio", mediaType: `audio/${name}` });
const video = (name: string): MediaFormat => ({ type: "video", mediaType: `video/${name}` });
