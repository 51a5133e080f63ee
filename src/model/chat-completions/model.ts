// Models of servers that speak the OpenAI Chat Completions format.
import type { JsonObject } from "../../base/json.ts";
import { cutError, type Endpoint, malformedError, readHttpRefusal, refusalError } from "../errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { SseParser } from "../sse.ts";
import type { HttpResponse, Transport } from "../transport.ts";
import { AnswerReader } from "./answer.ts";
import { BodyBuilder } from "./request.ts";

export interface ChatCompletionsOptions {
  readonly provider: string;
  readonly modelId: string;
  /** Address of the API; `/chat/completions` is added. */
  readonly apiBase: string;
  readonly key: string | undefined;
  readonly keyVariable: string | undefined;
  /** Names in lower case; what the format needs wins. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to each request's body; what is managed wins. */
  readonly completionArgs: JsonObject;
  readonly transport: Transport;
}

/** A whole answer, or the start of an error, may have this many bytes. */
const largestBody = 32 * 1024 * 1024;
/** How long the usage after an announced end, or an error's body, is waited for, in milliseconds. */
const graceMs = 5_000;

export function createChatCompletionsModel(options: ChatCompletionsOptions): Model {
  const { provider, modelId, apiBase, key, keyVariable } = options;
  const url = new URL(apiBase);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  const endpoint: Endpoint = { provider, address: url.origin + url.pathname, keyVariable, key };
  const builder = new BodyBuilder({
    provider,
    modelId,
    maxTokensName: maxTokensName(url, options),
    extra: extraOf(options),
  });
  const headers = {
    ...options.headers,
    "content-type": "application/json",
    accept: "text/event-stream",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const call = { endpoint, builder, headers, url: url.href, transport: options.transport };
  return { provider, modelId, stream: (request) => streamAnswer(request, call) };
}

/** OpenAI's own newer models refuse `max_tokens`; whoever sets the other name by hand gets it, too. */
function maxTokensName(url: URL, { completionArgs }: ChatCompletionsOptions): "max_tokens" | "max_completion_tokens" {
  const wantsNew = url.hostname === "api.openai.com" || "max_completion_tokens" in completionArgs;
  return wantsNew ? "max_completion_tokens" : "max_tokens";
}

/** Anthropic's models cache only where they are told to; OpenRouter puts the mark in the right place by itself. */
function extraOf({ provider, modelId, completionArgs }: ChatCompletionsOptions): JsonObject {
  const marked = provider === "openrouter" && modelId.startsWith("anthropic/");
  return marked ? { cache_control: { type: "ephemeral" }, ...completionArgs } : completionArgs;
}

interface Call {
  readonly endpoint: Endpoint;
  readonly builder: BodyBuilder;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly transport: Transport;
}

async function* streamAnswer(request: ModelRequest, call: Call): AsyncGenerator<ModelEvent, void, undefined> {
  const { endpoint, headers, url, transport } = call;
  const { signal } = request;
  signal.throwIfAborted();
  const { chunks: body, hasMedia: sentMedia } = await call.builder.build(request);
  const response = await transport.post({ url, headers, body, signal });
  const reader = new AnswerReader({ endpoint, sentMedia });
  const chunks = new ChunkReader(response, reader, { endpoint, signal });
  let isWhole = false;
  try {
    if (response.status < 200 || response.status >= 300) throw await httpError(response, endpoint, sentMedia);
    yield* readAnswer(response.headers["content-type"] ?? "", chunks, reader, endpoint);
    isWhole = true;
    yield* reader.end();
  } finally {
    chunks.close();
    if (isWhole) response.release();
    else response.destroy();
  }
}

async function* readAnswer(
  contentType: string,
  chunks: ChunkReader,
  reader: AnswerReader,
  { provider }: Endpoint,
): AsyncGenerator<ModelEvent, void, undefined> {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const first = await readStart(chunks, type);
  const kind = kindOf(type, first);
  if (kind === "events") yield* readEvents(first, chunks, reader);
  else if (kind === "json") yield* reader.readWhole(await readText(first, chunks));
  else throw malformedError(provider, `it is ${kind}, not a stream of events`, { retryable: false });
}

async function* readEvents(
  first: Uint8Array | undefined,
  chunks: ChunkReader,
  reader: AnswerReader,
): AsyncGenerator<ModelEvent, void, undefined> {
  const parser = new SseParser();
  for (let chunk = first; chunk !== undefined; chunk = await chunks.next()) {
    for (const { data } of parser.push(chunk)) {
      if (data === "[DONE]") return;
      yield* reader.read(data);
    }
  }
  for (const { data } of parser.end()) {
    // The last event lacks its end: it counts if its data is whole all the same, and is a part of the cut if not.
    if (isJson(data)) yield* reader.read(data);
  }
}

interface Reading {
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
}

/** The bytes of an answer. Once its end was announced, the rest has `graceMs` and may be missing. */
class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #response: HttpResponse;
  readonly #reader: AnswerReader;
  readonly #reading: Reading;
  #late: NodeJS.Timeout | undefined;

  constructor(response: HttpResponse, reader: AnswerReader, reading: Reading) {
    this.#chunks = response.body[Symbol.asyncIterator]();
    this.#response = response;
    this.#reader = reader;
    this.#reading = reading;
  }

  /** Undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#reader.isFinished) this.#late ??= setTimeout(() => this.#response.destroy(), graceMs);
    try {
      const { value, done } = await this.#chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.#reading.signal.throwIfAborted();
      if (this.#reader.isFinished) return undefined;
      throw cutError(this.#reading.endpoint.provider, error);
    }
  }

  close(): void {
    clearTimeout(this.#late);
  }
}

/** The first bytes; enough of them to tell what they are where the type does not. */
async function readStart(chunks: ChunkReader, type: string): Promise<Uint8Array | undefined> {
  let start = await chunks.next();
  while (start !== undefined && type !== "text/event-stream" && start.byteLength < 16) {
    const more = await chunks.next();
    if (more === undefined) break;
    start = Buffer.concat([start, more]);
  }
  return start;
}

/** By the first bytes, since servers label event streams as plain text and JSON as event streams; else the type as it is called. */
function kindOf(type: string, first: Uint8Array | undefined): string {
  const head = Buffer.from(first ?? [])
    .toString("utf8", 0, 64)
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^[{[]/.test(head)) return "json";
  if (type === "text/event-stream" || /^(data|event|id|retry)?:/.test(head)) return "events";
  if (type === "application/json") return "json";
  return type === "" ? "of no named type" : type;
}

async function readText(first: Uint8Array | undefined, chunks: ChunkReader): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let chunk = first; chunk !== undefined && size <= largestBody; chunk = await chunks.next()) {
    parts.push(chunk);
    size += chunk.byteLength;
  }
  return Buffer.concat(parts).toString("utf8");
}

async function httpError(response: HttpResponse, endpoint: Endpoint, sentMedia: boolean): Promise<Error> {
  const { status, headers } = response;
  const body = await readErrorBody(response);
  if (status >= 300 && status < 400) {
    const message = `it is moved to ${headers.location ?? "another address"}; set that as the API base`;
    return refusalError({ status, message }, endpoint, { sentMedia });
  }
  return refusalError(readHttpRefusal(status, body, headers), endpoint, { sentMedia });
}

/** What arrives of it in time; the status alone says enough. */
async function readErrorBody(response: HttpResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const late = setTimeout(() => response.destroy(), graceMs);
  try {
    for await (const chunk of response.body) {
      parts.push(chunk);
      size += chunk.byteLength;
      if (size > 64 * 1024) break;
    }
  } catch {
    // A broken connection leaves what came before.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(parts).toString("utf8");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
