// Tells text from binary content, and decodes it by the charset that its server, its first bytes or its head name.

export interface ContentType {
  /** `text/html`: lower case, without parameters; empty when there is none. */
  readonly name: string;
  readonly charset: string | undefined;
  /** Text whatever its bytes are, unless a NUL is among them. */
  readonly isText: boolean;
  /** Image, sound, film or font: never text. */
  readonly isMedia: boolean;
}

export function parseContentType(header: string): ContentType {
  const [type = "", ...parameters] = header.split(";");
  const name = type.trim().toLowerCase();
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(parameter)?.[1])
    .find(Boolean);
  const isText = charset !== undefined || /^text\/|[/+](json|xml|javascript|yaml)$/.test(name);
  return { name, charset, isText, isMedia: !isText && /^(image|audio|video|font)\//.test(name) };
}

export function isBinary(bytes: Uint8Array, type: ContentType): boolean {
  if (type.isMedia) return true;
  const encoding = encodingOf(bytes, type);
  if (encoding.startsWith("utf-16")) return false;
  if (bytes.includes(0)) return true;
  return !type.isText && (!isUtf8(bytes) || hasControls(bytes));
}

/** What the encoding cannot say becomes U+FFFD; a byte order mark is left out. */
export function decodeBody(bytes: Uint8Array, type: ContentType): string {
  return new TextDecoder(encodingOf(bytes, type)).decode(bytes);
}

/** As browsers decide: byte order mark, then the header, then what the document says of itself, then UTF-8. */
function encodingOf(bytes: Uint8Array, { charset, name }: ContentType): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  return known(charset) ?? known(charsetInside(bytes, name)) ?? "utf-8";
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** HTML and XML name their charset in their first kilobyte, which is then readable as ASCII: so it cannot be UTF-16. */
function charsetInside(bytes: Uint8Array, name: string): string | undefined {
  if (!/html|xml/.test(name)) return undefined;
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const declared =
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start) ?? /^<\?xml[^>]+encoding="([\w-]+)"/.exec(start);
  const label = declared?.[1];
  return label === undefined || /^utf-?16/i.test(label) ? undefined : label;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Control characters that no text holds; escape sequences of terminals are text. */
function hasControls(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x20 && byte !== 0x1b && (byte < 0x09 || byte > 0x0d));
}
