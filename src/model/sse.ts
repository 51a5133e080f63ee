// Server-sent events out of bytes, however the bytes are split.
import { ModelError } from "./model-error.ts";

export interface SseEvent {
  /** `message` when the stream names none. */
  readonly event: string;
  /** The data lines, joined by newlines. */
  readonly data: string;
  /** The bytes ended inside it: its last line may be a part of one. */
  readonly incomplete?: true;
}

/** Most characters that one event may hold. */
const largestEvent = 32 * 1024 * 1024;

/**
 * Reads one stream: bytes in, events out, as soon as their blank line has arrived. Lines end in LF, CRLF or CR; comments,
 * a byte order mark, `id` and `retry` are passed over. Holds no more than one event.
 */
export class SseParser {
  readonly #decoder = new TextDecoder();
  readonly #limit: number;
  /** The line that has no end yet. */
  #line = "";
  #data: string[] = [];
  #event = "";
  #size = 0;
  #skipLineFeed = false;

  constructor({ limit = largestEvent }: { limit?: number } = {}) {
    this.#limit = limit;
  }

  /** @throws ModelError `malformed` when an event passes the limit */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What the stream's end leaves: the event that lacks its blank line, if there is one. */
  end(): SseEvent[] {
    const events = this.#read(this.#decoder.decode());
    if (this.#line !== "") this.#takeLine(this.#line);
    this.#line = "";
    const last = this.#takeEvent();
    return last === undefined ? events : [...events, { ...last, incomplete: true }];
  }

  #read(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let from = this.#skipLineFeed && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#skipLineFeed = false;
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = from;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      const event = this.#endLine(text.slice(from, end.index));
      if (event !== undefined) events.push(event);
      from = lineEnd.lastIndex;
      // A CR that ends the chunk ends its line now; should an LF follow, it belongs to it.
      this.#skipLineFeed = from === text.length && end[0] === "\r";
    }
    this.#line += text.slice(from);
    this.#measure(this.#line.length);
    return events;
  }

  #endLine(rest: string): SseEvent | undefined {
    const line = this.#line + rest;
    this.#line = "";
    if (line === "") return this.#takeEvent();
    this.#takeLine(line);
    return undefined;
  }

  #takeLine(line: string): void {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const start = line.startsWith(" ", colon + 1) ? colon + 2 : colon + 1;
    const value = colon === -1 ? "" : line.slice(start);
    if (name === "event") this.#event = value;
    if (name !== "data") return;
    this.#data.push(value);
    this.#size += value.length;
    this.#measure(0);
  }

  #takeEvent(): SseEvent | undefined {
    const data = this.#data;
    const event = this.#event === "" ? "message" : this.#event;
    this.#data = [];
    this.#event = "";
    this.#size = 0;
    return data.length === 0 ? undefined : { event, data: data.join("\n") };
  }

  #measure(pending: number): void {
    if (this.#size + pending <= this.#limit) return;
    const megabytes = Math.max(1, Math.round(this.#limit / 1024 / 1024));
    throw new ModelError(`The answer holds an event of more than ${megabytes} MB.`, {
      failure: "malformed",
      retryable: false,
    });
  }
}
