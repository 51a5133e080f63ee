// Images that are over a provider's limit, scaled by the user's own `sharp`, each once a runtime.
import type { MediaPart } from "../../base/content.ts";
import { messageOf } from "../../base/errors.ts";
import { findInstalled, importInstalled } from "../../base/installed-packages.ts";
import { toOneLine } from "../../base/terminal-text.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { ImageLimits } from "../../model/media-limits.ts";
import { mediaKeyOf } from "./rejected-media.ts";

/** The scaled image, which the media store has; or why there is none, as the end of a note. */
export type Scaled = MediaPart | string;

/** What is used of `sharp`. */
interface Image {
  rotate(): Image;
  resize(size: { width: number; height: number; fit: "inside"; withoutEnlargement: true }): Image;
  jpeg(options: { quality: number }): Image;
  webp(options: { quality: number }): Image;
  toBuffer(options: { resolveWithObject: true }): Promise<{ data: Buffer; info: { width: number; height: number } }>;
}
type Sharp = (bytes: Uint8Array, options: { limitInputPixels: number }) => Image;

const packageName = "sharp";
/** Pixels of the longer side that are tried, until the bytes are few enough. */
const sides = [4096, 2576, 1568, 1024, 512];
/** No image of ten megabytes that means well has more; a bomb does. */
const mostPixels = 200_000_000;

const done = new WeakMap<Runtime, Map<string, Promise<Scaled>>>();

/**
 * The image within the limits; the same one for the same image, so that requests stay equal. `sharp` is loaded when the
 * first image needs it, and looked for again as long as it is not installed.
 */
export async function scaleImage(part: MediaPart, limits: ImageLimits, runtime: Runtime): Promise<Scaled> {
  if (part.sha256 === undefined && part.data === undefined) return "";
  const { home } = runtime.settings;
  const known = done.get(runtime) ?? new Map<string, Promise<Scaled>>();
  done.set(runtime, known);
  const key = `${mediaKeyOf(part)} ${limits.base64Bytes} ${limits.side}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (!(await isInstalled(home))) return "; bub install sharp lets such images be scaled";
  const made = known.get(key) ?? scale(part, limits, runtime);
  known.set(key, made);
  return made;
}

async function isInstalled(home: string): Promise<boolean> {
  try {
    return (await findInstalled(home, packageName)) !== undefined;
  } catch {
    // Broken: importing it says how.
    return true;
  }
}

/** Whatever goes wrong is told once, and the note stays the same from then on. */
async function scale(part: MediaPart, limits: ImageLimits, runtime: Runtime): Promise<Scaled> {
  try {
    const { default: sharp } = await importInstalled(runtime.settings.home, packageName);
    if (typeof sharp !== "function") throw new Error(`${packageName} exports no function.`);
    const bytes = await bytesOf(part, runtime);
    for (const side of sides) {
      const scaled = await scaleTo(Math.min(side, limits.side), bytes, sharp as Sharp);
      if (Math.ceil(scaled.data.length / 3) * 4 > limits.base64Bytes) continue;
      const { data, mediaType: media_type, width, height } = scaled;
      return {
        type: "image",
        media_type,
        sha256: await runtime.storage.media.put(data),
        bytes: data.length,
        width,
        height,
      };
    }
    return "; it cannot be scaled below that";
  } catch (error) {
    runtime.log.warn("an image could not be scaled", { image: part.sha256, error });
    return `; scaling it failed: ${toOneLine(messageOf(error))}`;
  }
}

async function bytesOf({ data, sha256 = "" }: MediaPart, { storage }: Runtime): Promise<Uint8Array> {
  return data === undefined ? storage.media.get(sha256) : Buffer.from(data, "base64");
}

interface ScaledBytes {
  readonly data: Buffer;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** JPEG stays JPEG; all others become WebP, which keeps what is transparent. */
async function scaleTo(side: number, bytes: Uint8Array, sharp: Sharp): Promise<ScaledBytes> {
  const size = { width: side, height: side, fit: "inside", withoutEnlargement: true } as const;
  const image = sharp(bytes, { limitInputPixels: mostPixels }).rotate().resize(size);
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const encoded = isJpeg ? image.jpeg({ quality: 85 }) : image.webp({ quality: 85 });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { data, mediaType: isJpeg ? "image/jpeg" : "image/webp", width: info.width, height: info.height };
}
