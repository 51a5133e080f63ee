// What all wire formats share: one request, one answer, and a connection that is used again or closed.
import type { JsonObject } from "../base/json.ts";
import { type AnswerOptions, type AnswerReader, readAnswer, readHttpError } from "./answer-body.ts";
import type { Endpoint } from "./errors.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { Transport } from "./transport.ts";

/** What a model of any wire format is made of. */
export interface WireOptions {
  readonly provider: string;
  readonly modelId: string;
  /** Address of the API; the format adds its path. */
  readonly apiBase: string;
  readonly key: string | undefined;
  readonly keyVariable: string | undefined;
  /** Names in lower case; what the format needs wins. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to each request's body; what is managed wins. */
  readonly completionArgs: JsonObject;
  readonly transport: Transport;
  /** How long the usage after an announced end, or an error's body, is waited for, in milliseconds. */
  readonly graceMs?: number;
}

export interface RequestBody {
  /** To be sent one after the other. */
  readonly chunks: readonly Uint8Array[];
  readonly hasMedia: boolean;
}

/** What a format adds: where requests go, how they are written, how answers are read. */
export interface WireFormat {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the provider lists its models with what they take; undefined for lists of names alone. */
  readonly list?: URL | undefined;
  build(request: ModelRequest): Promise<RequestBody>;
  createReader(options: AnswerOptions): AnswerReader;
}

/** The model that speaks a format. */
export function createWireModel(options: WireOptions, format: WireFormat): Model {
  const { provider, modelId, key, keyVariable, transport, graceMs = 5_000 } = options;
  const { url, list } = format;
  const endpoint: Endpoint = { provider, address: url.origin + url.pathname, keyVariable, key };
  const headers = {
    ...options.headers,
    "content-type": "application/json",
    accept: "text/event-stream",
    ...format.headers,
  };
  const call = { endpoint, headers, format, transport, graceMs };
  const stream: Model["stream"] = (request) => streamAnswer(request, call);
  if (list === undefined) return { provider, modelId, stream };
  const ask = { url: list, headers: { ...options.headers, ...format.headers }, transport };
  const limits: Model["limits"] = async (signal) => {
    const { askModelList } = await import("./model-list.ts");
    return askModelList(modelId, { ...ask, signal });
  };
  return { provider, modelId, stream, limits };
}

/** The API's address with a path added. */
export function addressOf(apiBase: string, path: string): URL {
  const url = new URL(apiBase);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  return url;
}

/** Like `addressOf`, for APIs whose own clients leave the version out of their base. */
export function versionedAddressOf(apiBase: string, version: string, path: string): URL {
  const hasVersion = /\/v\d[^/]*\/*$/.test(new URL(apiBase).pathname);
  return addressOf(apiBase, hasVersion ? path : `/${version}${path}`);
}

/** A list that is worth asking: on the provider's own host. Other servers' lists hold names alone, or are none. */
export function listOn(host: string, address: URL): URL | undefined {
  return address.hostname === host ? address : undefined;
}

interface Call {
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: WireFormat;
  readonly transport: Transport;
  readonly graceMs: number;
}

async function* streamAnswer(request: ModelRequest, call: Call): AsyncGenerator<ModelEvent, void, undefined> {
  const { endpoint, headers, format, transport, graceMs } = call;
  const { signal } = request;
  signal.throwIfAborted();
  const { chunks: body, hasMedia: sentMedia } = await format.build(request);
  const response = await transport.post({ url: format.url.href, headers, body, signal });
  const reader = format.createReader({ endpoint, sentMedia });
  let isWhole = false;
  try {
    if (response.status < 200 || response.status >= 300)
      throw await readHttpError(response, { endpoint, sentMedia, graceMs });
    yield* readAnswer(response, reader, { endpoint, signal, graceMs });
    isWhole = true;
    yield* reader.end();
  } finally {
    if (isWhole) response.release();
    else response.destroy();
  }
}
