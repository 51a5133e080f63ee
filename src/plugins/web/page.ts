// One GET request: redirects followed by hand, so that no other protocol and no foreign host gets what is not meant for it.
import { BubError, messageOf } from "../../base/errors.ts";
import { networkError } from "../../model/network-error.ts";

export interface Address {
  readonly url: URL;
  /** From `user:password@` of the address. */
  readonly credentials: string | undefined;
  /** The address for messages, without them. */
  readonly shown: string;
}

/** An answer whose body is still to be read, or closed. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** 200 to 299. */
  readonly isOk: boolean;
  /** The header as it is; empty without one. */
  readonly contentType: string;
  /** Size of the body, where the server tells it and it is not compressed. */
  readonly declaredBytes: number | undefined;
  /** Reads up to `limit` bytes after decompression, then hangs up. */
  read(limit: number): Promise<{ bytes: Uint8Array; isWhole: boolean }>;
  close(): Promise<void>;
}

/** One page is all that is wanted of a server: nothing stays open for a next one. */
const oneRequest = { connection: "close" };
const mostRedirects = 10;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** What may follow to another origin: nothing in them says who asks. Everything else may be a credential. */
const harmlessHeaders = new Set(["accept", "accept-language", "user-agent"]);

/** @throws BubError `invalid_input` for what is no http or https address */
export function parseAddress(text: string, base?: URL): Address {
  if (!URL.canParse(text, base?.href)) {
    throw new BubError("invalid_input", `'${text}' is not a URL, such as https://example.com/page`);
  }
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new BubError("invalid_input", `${url.protocol} addresses cannot be fetched, only http: and https: (${text})`);
  }
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const isNamed = username !== "" || password !== "";
  return { url, credentials: isNamed ? basicCredentials(username, password) : undefined, shown: url.href };
}

function basicCredentials(username: string, password: string): string {
  const plain = (text: string) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  return `Basic ${Buffer.from(`${plain(username)}:${plain(password)}`).toString("base64")}`;
}

/**
 * @throws BubError `invalid_input` for a header that cannot be sent, or a redirect to another protocol; `temporary` when
 *   the server cannot be reached; `tool` for too many redirects
 */
export async function requestPage(
  start: Address,
  { headers: given, signal }: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<Page> {
  let { url } = start;
  let headers = headersOf(given, start.credentials);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, headers, signal);
    const target = redirectStatuses.has(response.status) ? response.headers.get("location") : null;
    if (target === null) return pageOf(response, url);
    await response.body?.cancel();
    if (redirects === mostRedirects) {
      throw new BubError("tool", `${start.shown} was redirected more than ${mostRedirects} times, last to ${target}`);
    }
    const next = parseTarget(target, url);
    if (next.url.origin !== url.origin) headers = harmless(headers);
    if (next.credentials !== undefined) headers.set("authorization", next.credentials);
    url = next.url;
  }
}

function headersOf(given: Readonly<Record<string, string>>, credentials: string | undefined): Headers {
  const headers = new Headers({ accept: "text/markdown", "user-agent": "bub", ...oneRequest });
  if (credentials !== undefined) headers.set("authorization", credentials);
  for (const [name, value] of Object.entries(given)) {
    try {
      headers.set(name, value);
    } catch (error) {
      throw new BubError("invalid_input", `the header '${name}' cannot be sent: ${messageOf(error)}`, { cause: error });
    }
  }
  return headers;
}

function harmless(headers: Headers): Headers {
  return new Headers([...[...headers].filter(([name]) => harmlessHeaders.has(name)), ...Object.entries(oneRequest)]);
}

function parseTarget(target: string, from: URL): Address {
  try {
    return parseAddress(target, from);
  } catch (error) {
    throw new BubError("tool", `${from.href} redirects to a place that is not followed: ${messageOf(error)}`);
  }
}

async function get(url: URL, headers: Headers, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { headers, signal, redirect: "manual", credentials: "omit" });
  } catch (error) {
    signal.throwIfAborted();
    const cause = (error instanceof Error && error.cause) || error;
    if (messageOf(cause) === "bad port")
      throw new BubError("invalid_input", `port ${url.port} of ${url.href} is another service's: it is not asked`);
    throw new BubError("temporary", networkError(cause, url.href).message.replace(/\.$/, ""), { cause: error });
  }
}

function pageOf(response: Response, url: URL): Page {
  const { status, statusText, headers } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  const isPlain = !headers.has("content-encoding");
  return {
    url: url.href,
    status,
    statusText,
    isOk: response.ok,
    contentType: headers.get("content-type") ?? "",
    declaredBytes: isPlain && Number.isSafeInteger(length) ? length : undefined,
    read: (limit) => readBody(response, limit, url),
    close: async () => response.body?.cancel(),
  };
}

async function readBody(response: Response, limit: number, url: URL): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop early cancels the body, which closes the connection.
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) return { bytes: Buffer.concat(chunks).subarray(0, limit), isWhole: false };
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new BubError("temporary", `the body of ${url.href} broke off after ${size} bytes: ${messageOf(cause)}`, {
      cause: error,
    });
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
