// What an image's bytes say about it: its type and pixels, and whether it is whole.

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type ImageProbe =
  | { readonly ok: true; readonly mediaType: ImageType; readonly width: number; readonly height: number }
  /** `reason` goes on after "the image …": `is cut off: the PNG has no IEND`. */
  | { readonly ok: false; readonly reason: string };

/** Looks at the bytes only, never at a name. An image that providers would refuse as corrupt is not ok. */
export function probeImage(bytes: Uint8Array): ImageProbe {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = formats.find(({ isIt }) => isIt(view));
  if (format === undefined) return { ok: false, reason: "is no PNG, JPEG, GIF or WebP" };
  const { name, mediaType, end } = format;
  const size = guarded(() => format.sizeOf(view));
  if (size === undefined || size.width === 0 || size.height === 0) {
    return { ok: false, reason: `has an unreadable ${name} header` };
  }
  if (guarded(() => format.isWhole(view)) !== true) return { ok: false, reason: `is cut off: the ${name} ${end}` };
  return { ok: true, mediaType, ...size };
}

interface Size {
  width: number;
  height: number;
}

interface Format {
  readonly name: string;
  readonly mediaType: ImageType;
  /** What is wrong when it is not whole. */
  readonly end: string;
  isIt(view: DataView): boolean;
  sizeOf(view: DataView): Size | undefined;
  isWhole(view: DataView): boolean;
}

/** Reading behind the last byte means that the file ends too early. */
function guarded<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function hasText(view: DataView, offset: number, text: string): boolean {
  if (view.byteLength < offset + text.length) return false;
  return [...text].every((character, index) => view.getUint8(offset + index) === character.charCodeAt(0));
}

const png: Format = {
  name: "PNG",
  mediaType: "image/png",
  end: "has no IEND",
  isIt: (view) => hasText(view, 0, "\x89PNG\r\n\x1a\n"),
  sizeOf(view) {
    if (!hasText(view, 12, "IHDR")) return undefined;
    return { width: view.getUint32(16), height: view.getUint32(20) };
  },
  isWhole(view) {
    // Each chunk is length, type, data and a checksum.
    for (let chunk = 8; ; chunk += 12 + view.getUint32(chunk)) {
      if (hasText(view, chunk + 4, "IEND")) return chunk + 12 <= view.byteLength;
    }
  },
};

const jpeg: Format = {
  name: "JPEG",
  mediaType: "image/jpeg",
  end: "has no EOI",
  isIt: (view) => hasText(view, 0, "\xff\xd8\xff"),
  sizeOf(view) {
    const frame = findSegment(view, isFrame);
    return { height: view.getUint16(frame + 5), width: view.getUint16(frame + 7) };
  },
  isWhole(view) {
    // Before the scan, a thumbnail may have an end of its own; inside it, 0xff is always escaped.
    const scan = findSegment(view, (marker) => marker === 0xda);
    return (
      Buffer.from(view.buffer, view.byteOffset, view.byteLength).lastIndexOf("\xff\xd9", undefined, "latin1") > scan
    );
  },
};

/** Offset of the first segment (at its 0xff) whose marker is wanted. */
function findSegment(view: DataView, isWanted: (marker: number) => boolean): number {
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) throw new RangeError("no marker");
    const marker = view.getUint8(at + 1);
    if (isWanted(marker)) return at;
    // A repeated 0xff fills up; these markers have no data.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker === 0xd9 || marker === 0xda) throw new RangeError("no such segment");
    else at += 2 + view.getUint16(at + 2);
  }
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const gif: Format = {
  name: "GIF",
  mediaType: "image/gif",
  end: "has no trailer",
  isIt: (view) => hasText(view, 0, "GIF87a") || hasText(view, 0, "GIF89a"),
  sizeOf: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  isWhole(view) {
    let at = 13 + colorTableLength(view.getUint8(10));
    for (;;) {
      const block = view.getUint8(at);
      if (block === 0x3b) return true;
      if (block === 0x21) at = endOfSubBlocks(view, at + 2);
      else if (block === 0x2c) at = endOfSubBlocks(view, at + 11 + colorTableLength(view.getUint8(at + 9)));
      // Some writers leave zeros between blocks, and every decoder skips them.
      else if (block === 0) at += 1;
      else return false;
    }
  },
};

function colorTableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function endOfSubBlocks(view: DataView, start: number): number {
  let at = start;
  while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
  return at + 1;
}

const webp: Format = {
  name: "WebP",
  mediaType: "image/webp",
  end: "is shorter than its RIFF length",
  isIt: (view) => hasText(view, 0, "RIFF") && hasText(view, 8, "WEBP"),
  sizeOf(view) {
    if (hasText(view, 12, "VP8X")) return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    if (hasText(view, 12, "VP8L") && view.getUint8(20) === 0x2f) {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    if (!hasText(view, 12, "VP8 ") || !hasText(view, 23, "\x9d\x01\x2a")) return undefined;
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  },
  isWhole: (view) => view.byteLength >= 8 + view.getUint32(4, true),
};

function uint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) + view.getUint8(offset + 2) * 0x10000;
}

const formats: readonly Format[] = [png, jpeg, gif, webp];
