// Whether a provider can be reached and takes the key, told by asking for its list of models: that costs nothing.
import { isJsonObject, parseJson } from "../base/json.ts";
import type { ProviderAccess } from "./endpoint.ts";
import { readHttpRefusal, refusalError } from "./errors.ts";
import { ModelError } from "./model-error.ts";
import { idsIn, listRequestOf } from "./model-names.ts";
import type { ModelSettings } from "./model-settings.ts";
import { networkError } from "./network-error.ts";
import type { Transport } from "./transport.ts";

export interface ReachOptions {
  readonly provider: string;
  readonly settings: ModelSettings;
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/** Bytes; no list is longer. */
const largestList = 16 * 1024 * 1024;

/**
 * The names on the provider's list; undefined where it answers and gives none.
 * @throws ModelError: it cannot be reached, refuses the key, fails, or is no API; the signal's reason
 */
export async function reachProvider(
  access: ProviderAccess,
  { provider, settings, transport, signal }: ReachOptions,
): Promise<readonly string[] | undefined> {
  const { url, headers } = listRequestOf(access, settings);
  const response = await transport.get({ url: url.href, headers: { ...headers, accept: "application/json" }, signal });
  try {
    const address = url.origin + url.pathname;
    const body = await textOf(response.body, address, signal);
    const { status } = response;
    const endpoint = { provider, address, keyVariable: access.keySource, key: access.key };
    const isRefused = status === 401 || status === 403 || status >= 500 || (status >= 300 && status < 400);
    if (isRefused) throw refusalError(readHttpRefusal(status, body, response.headers), endpoint, { sentMedia: false });
    const type = response.headers["content-type"] ?? "";
    if (status === 200 && type.includes("text/html")) throw noApi(address, "text/html");
    const list = parseJson(body);
    return status === 200 && isJsonObject(list) ? idsIn(list) : undefined;
  } finally {
    response.destroy();
  }
}

function noApi(address: string, type: string): ModelError {
  return new ModelError(
    `${address} is no API: it answers with ${type}. Does the address end where the API begins, often in /v1?`,
    { failure: "malformed", retryable: false },
  );
}

async function textOf(body: AsyncIterable<Uint8Array>, address: string, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > largestList) break;
      chunks.push(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw networkError(error, address);
  }
  return Buffer.concat(chunks).toString("utf8");
}
