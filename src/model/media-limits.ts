// What providers refuse of an image by its size alone, known beforehand.

export interface ImageLimits {
  /** Most bytes of its base64. */
  readonly base64Bytes: number;
  /** Most pixels of a side. */
  readonly side: number;
}

/** Anthropic's, wherever its models are reached. */
const claude: ImageLimits = { base64Bytes: 5 * 1024 * 1024, side: 8_000 };

/** Undefined: nothing that `fs.read` gives is too large for it. */
export function imageLimitsOf({ provider, modelId }: { provider: string; modelId: string }): ImageLimits | undefined {
  return provider === "anthropic" || /(^|[/.])(anthropic[/.]|claude-)/.test(modelId) ? claude : undefined;
}

/** Why the image is over a limit, as a part of a sentence; undefined when it is not. Decided from the stored size. */
export function overImageLimit(
  { bytes, width = 0, height = 0 }: { bytes?: number; width?: number; height?: number },
  { base64Bytes, side }: ImageLimits,
): string | undefined {
  const base64 = Math.ceil((bytes ?? 0) / 3) * 4;
  if (base64 > base64Bytes) return `more than ${Math.floor(base64Bytes / 4) * 3} bytes`;
  return Math.max(width, height) > side ? `more than ${side} pixels on a side` : undefined;
}
