// Images in files: which names mean one, how large it may be, and what is told of it.
import type { MediaPart } from "../../base/content.ts";
import { BubError } from "../../base/errors.ts";
import { probeImage } from "../../base/image-probe.ts";
import type { Environment } from "../../environment/environment.ts";

/** Bytes. */
const largestImage = 10 * 1024 * 1024;

export function hasImageName(path: string): boolean {
  return /\.(png|jpe?g|webp|gif)$/i.test(path);
}

/**
 * The image at a path, as a part with its bytes, type and pixels.
 * @throws BubError naming the path, for what is too large or no whole image
 */
export async function readImage(
  path: string,
  { environment, signal }: { environment: Environment; signal: AbortSignal },
): Promise<MediaPart> {
  const stat = await environment.stat(path);
  if (stat?.kind === "file") checkSize(path, stat.size);
  const bytes = await environment.readFile(path, { signal });
  checkSize(path, bytes.length);
  const probe = probeImage(bytes);
  if (!probe.ok) throw new BubError("invalid_input", `cannot show ${path}: the image ${probe.reason}`);
  const { mediaType, width, height } = probe;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", media_type: mediaType, data, bytes: bytes.length, width, height };
}

function checkSize(path: string, size: number): void {
  if (size <= largestImage) return;
  throw new BubError("invalid_input", `cannot show ${path}: the image has ${size} bytes, the limit is ${largestImage}`);
}
