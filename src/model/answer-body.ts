// From the bytes of an HTTP answer to the events in them: what kind of body it is, where it ends, and what breaks.
import { cutError, type Endpoint, malformedError, readHttpRefusal, refusalError } from "./errors.ts";
import type { ModelEvent } from "./model.ts";
import { SseParser } from "./sse.ts";
import type { HttpResponse } from "./transport.ts";

/** A whole answer, or the start of an error, may have this many bytes. */
const largestBody = 32 * 1024 * 1024;

export interface AnswerOptions {
  readonly endpoint: Endpoint;
  /** The request held images or audio. */
  readonly sentMedia: boolean;
}

/** Reads one answer of a wire format: fed the data of each event, then ended. Knows nothing of bytes and connections. */
export interface AnswerReader {
  /** The answer's end was announced: what may follow is its usage. */
  readonly isFinished: boolean;
  /** Nothing follows: the rest of the stream need not be waited for. */
  readonly isComplete: boolean;
  /** @throws ModelError when the data is an error, or no JSON */
  read(data: string): readonly ModelEvent[];
  /** Reads an answer that came in one piece. */
  readWhole(body: string): readonly ModelEvent[];
  /** @throws ModelError `cut` when the answer did not say that it is finished */
  end(): readonly ModelEvent[];
}

export interface Reading {
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  /** How long the rest is waited for once the answer's end was announced, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Reads an answer into events, whether its body is a stream of events or one JSON object. The reader's `end` is left to
 * the caller.
 * @throws ModelError `cut` or `malformed`, those of the reader, or the signal's reason
 */
export async function* readAnswer(
  response: HttpResponse,
  reader: AnswerReader,
  reading: Reading,
): AsyncGenerator<ModelEvent, void, undefined> {
  const chunks = new ChunkReader(response, reader, reading);
  const type = response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  try {
    const first = await readStart(chunks, type);
    const kind = kindOf(type, first);
    if (kind === "events") yield* readEvents(first, chunks, reader);
    else if (kind === "json") yield* reader.readWhole(await readText(first, chunks));
    else throw malformedError(reading.endpoint.provider, `it is ${kind}, not a stream of events`, { retryable: false });
  } finally {
    chunks.close();
  }
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
      if (reader.isComplete) return;
    }
  }
  for (const { data } of parser.end()) {
    // The last event lacks its end: it counts if its data is whole all the same, and is a part of the cut if not.
    if (isJson(data)) yield* reader.read(data);
  }
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
    if (this.#reader.isFinished) this.#late ??= setTimeout(() => this.#response.destroy(), this.#reading.graceMs);
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

/** The error that an answer outside 2xx is; its body has `graceMs` to come. */
export async function readHttpError(
  response: HttpResponse,
  { endpoint, sentMedia, graceMs }: AnswerOptions & Pick<Reading, "graceMs">,
): Promise<Error> {
  const { status, headers } = response;
  const body = await readErrorBody(response, graceMs);
  if (status >= 300 && status < 400) {
    const message = `it is moved to ${headers.location ?? "another address"}; set that as the API base`;
    return refusalError({ status, message }, endpoint, { sentMedia });
  }
  return refusalError(readHttpRefusal(status, body, headers), endpoint, { sentMedia });
}

/** What arrives of it in time; the status alone says enough. */
async function readErrorBody(response: HttpResponse, graceMs: number): Promise<string> {
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
