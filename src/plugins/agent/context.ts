// The model's messages of a tape's entries: pure, and the same whether built at once or entry by entry.
import { type Content, contentFromJson } from "../../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ModelCall, ModelMessage } from "../../model/model.ts";
import type { TapeEntry } from "../../tape/entry.ts";
import { isToolError, renderError, type ToolError } from "../../tools/render-error.ts";

/** What stands for a result that was never written. */
export const interruptedError: ToolError = {
  kind: "tool",
  message: "interrupted: it may or may not have taken effect",
};

export interface ContextOptions {
  /** Show anchors as assistant messages: for contexts that begin before them. */
  anchors?: boolean;
}

/**
 * Grows a conversation. Finished messages are never changed and keep their place, so that requests extend one another
 * byte for byte. Results follow their call in call order, whatever order they were written in.
 */
export class ContextBuilder {
  readonly #messages: ModelMessage[] = [];
  readonly #options: ContextOptions;
  #open: OpenCalls | undefined;

  constructor(options: ContextOptions = {}) {
    this.#options = options;
  }

  /** All messages so far; calls that still lack a result get the text of an interrupted one. */
  get messages(): readonly ModelMessage[] {
    this.#close();
    return this.#messages;
  }

  /** How many messages are finished. Those of a call that still lacks results are not. */
  get length(): number {
    return this.#messages.length;
  }

  /** Calls without a result, in call order. */
  get openCalls(): readonly ModelCall[] {
    return this.#open?.missing() ?? [];
  }

  push(entry: TapeEntry): void {
    if (entry.meta.context === false) return;
    // Systems stand before the conversation; events and errors are for people.
    if (entry.kind === "message") this.#pushMessage(entry.payload);
    else if (entry.kind === "tool_call") this.#pushCalls(entry.payload);
    else if (entry.kind === "tool_result") this.#pushResults(entry);
    else if (entry.kind === "anchor" && this.#options.anchors) this.#pushAnchor(entry.payload);
  }

  #pushAnchor(payload: JsonObject): void {
    this.#add({ role: "assistant", content: anchorText(payload) });
  }

  #pushMessage(payload: JsonObject): void {
    const content = contentFromJson(payload.content);
    if (payload.role === "user") this.#add({ role: "user", content });
    else if (payload.role === "assistant")
      this.#add({ role: "assistant", content: textContent(content), ...thoughts(payload) });
  }

  #pushCalls(payload: JsonObject): void {
    const calls = Array.isArray(payload.calls) ? payload.calls.flatMap((call) => readCall(call) ?? []) : [];
    const content = typeof payload.content === "string" ? payload.content : undefined;
    this.#add({ role: "assistant", content, ...thoughts(payload), calls });
    this.#open = calls.length > 0 ? new OpenCalls(calls) : undefined;
  }

  #pushResults({ payload, meta }: TapeEntry): void {
    const results = Array.isArray(payload.results) ? payload.results : [];
    const paired = Array.isArray(meta.calls) ? meta.calls : [];
    results.forEach((result, index) => {
      const pair = paired[index];
      this.#open?.fill(isJsonObject(pair) && typeof pair.id === "string" ? pair.id : undefined, result ?? null);
    });
    if (this.#open?.missing().length === 0) this.#close();
  }

  #add(message: ModelMessage): void {
    this.#close();
    this.#messages.push(message);
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#messages.push(...this.#open.messages());
    this.#open = undefined;
  }
}

export function buildContext(entries: readonly TapeEntry[], options: ContextOptions = {}): ContextBuilder {
  const builder = new ContextBuilder(options);
  for (const entry of entries) builder.push(entry);
  return builder;
}

/** The calls of one step that wait for their results. */
class OpenCalls {
  readonly #results = new Map<string, JsonValue>();

  constructor(readonly calls: readonly ModelCall[]) {}

  /** Without an id the result belongs to the first call that lacks one. */
  fill(id: string | undefined, result: JsonValue): void {
    const key = id ?? this.missing()[0]?.id;
    if (key !== undefined) this.#results.set(key, result);
  }

  missing(): readonly ModelCall[] {
    return this.calls.filter(({ id }) => !this.#results.has(id));
  }

  messages(): ModelMessage[] {
    return this.calls.map(({ id, name }) => {
      const { content, isError } = readResult(this.#results.get(id) ?? { ...interruptedError });
      return { role: "tool", callId: id, name, content, isError };
    });
  }
}

function readCall(value: JsonValue): ModelCall | undefined {
  if (!isJsonObject(value) || typeof value.id !== "string") return undefined;
  const { id, name, arguments: args } = value;
  if (typeof name !== "string") return undefined;
  return { id, name, arguments: isJsonObject(args) ? args : {} };
}

function readResult(result: JsonValue): { content: Content; isError: boolean } {
  if (typeof result === "string") return { content: result, isError: false };
  if (isToolError(result)) return { content: renderError(result), isError: true };
  if (isJsonObject(result) && result.type === "tool_content")
    return { content: contentFromJson(result.content), isError: false };
  return { content: JSON.stringify(result), isError: false };
}

function thoughts({ reasoning, provider_data: providerData }: JsonObject): {
  reasoning?: string;
  providerData?: JsonValue;
} {
  return {
    ...(typeof reasoning === "string" && { reasoning }),
    ...(providerData !== undefined && { providerData }),
  };
}

function textContent(content: Content): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function anchorText({ name, state }: JsonObject): string {
  return `[Anchor created: ${String(name)}]: ${JSON.stringify(state ?? {})}`;
}
