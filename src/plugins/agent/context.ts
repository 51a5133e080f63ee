// The model's messages of a tape's entries: pure, and the same whether built at once or entry by entry.
import { type Content, contentFromJson } from "../../base/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ModelCall, ModelMessage } from "../../model/model.ts";
import type { RecordedResultCall, TapeEntry } from "../../tape/entry.ts";
import { answersIn, callsIn } from "../../tape/recorded-calls.ts";
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
  /** What stands behind the results of the open calls. */
  #waiting: ModelMessage[] = [];

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
    if (entry.kind === "message") this.#pushMessage(entry);
    else if (entry.kind === "tool_call") this.#pushCalls(entry);
    else if (entry.kind === "tool_result") this.#pushResults(entry);
    else if (entry.kind === "anchor" && this.#options.anchors) this.#pushAnchor(entry.payload);
  }

  /** An anchor between a call and its results stands behind them. */
  #pushAnchor(payload: JsonObject): void {
    const anchor: ModelMessage = { role: "assistant", content: anchorText(payload) };
    if (this.#open === undefined) this.#messages.push(anchor);
    else this.#waiting.push(anchor);
  }

  #pushMessage(entry: TapeEntry): void {
    const { payload } = entry;
    const content = contentFromJson(payload.content);
    if (payload.role === "user") this.#add({ role: "user", content });
    else if (payload.role === "tool") this.#pushToolMessage(payload);
    else if (payload.role !== "assistant") return;
    else if (payload.tool_calls !== undefined) this.#pushCalls(entry);
    else this.#pushAnswer({ content: textContent(content), ...thoughts(payload) });
  }

  #pushCalls(entry: TapeEntry): void {
    const { payload } = entry;
    const calls = callsIn(entry);
    const text = textContent(contentFromJson(payload.content));
    const content = text === "" ? undefined : text;
    if (calls.length > 0) {
      this.#add({ role: "assistant", content, ...thoughts(payload), calls });
      this.#open = new OpenCalls(calls);
    } else this.#pushAnswer({ content, ...thoughts(payload) });
  }

  /** An answer without a word is no message: providers refuse it. */
  #pushAnswer(
    answer: Pick<Extract<ModelMessage, { role: "assistant" }>, "content" | "reasoning" | "providerData">,
  ): void {
    if (answer.content !== undefined && answer.content !== "") this.#add({ role: "assistant", ...answer });
  }

  #pushResults(entry: TapeEntry): void {
    for (const { result, call } of answersIn(entry)) this.#open?.fill(call, result);
    if (this.#open?.missing().length === 0) this.#close();
  }

  /** A result as OpenAI's API has it. */
  #pushToolMessage({ tool_call_id: id, content }: JsonObject): void {
    const call = typeof id === "string" ? ({ id, name: "", status: "ok" } as const) : undefined;
    this.#open?.fill(call, typeof content === "string" ? content : { type: "tool_content", content });
    if (this.#open?.missing().length === 0) this.#close();
  }

  #add(message: ModelMessage): void {
    this.#close();
    this.#messages.push(message);
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#messages.push(...this.#open.messages(), ...this.#waiting);
    this.#open = undefined;
    this.#waiting = [];
  }
}

export function buildContext(entries: readonly TapeEntry[], options: ContextOptions = {}): ContextBuilder {
  const builder = new ContextBuilder(options);
  for (const entry of entries) builder.push(entry);
  return builder;
}

/** The calls of one step that wait for their results. */
class OpenCalls {
  readonly #answers = new Map<string, { result: JsonValue; isError: boolean }>();

  constructor(readonly calls: readonly ModelCall[]) {}

  /** Without a call the result belongs to the first one that lacks one. */
  fill(call: RecordedResultCall | undefined, result: JsonValue): void {
    const key = call?.id ?? this.missing()[0]?.id;
    if (key !== undefined) this.#answers.set(key, { result, isError: call?.status === "error" });
  }

  missing(): readonly ModelCall[] {
    return this.calls.filter(({ id }) => !this.#answers.has(id));
  }

  messages(): ModelMessage[] {
    return this.calls.map(({ id, name }) => {
      const { result, isError } = this.#answers.get(id) ?? { result: { ...interruptedError }, isError: true };
      return { role: "tool", callId: id, name, ...readResult(result, isError) };
    });
  }
}

/** @param isError of a failure whose text alone is left, such as one that was moved into a sidecar */
function readResult(result: JsonValue, isError: boolean): { content: Content; isError: boolean } {
  if (typeof result === "string") return { content: result, isError };
  if (isToolError(result)) return { content: renderError(result), isError: true };
  if (isJsonObject(result) && result.type === "tool_content")
    return { content: contentFromJson(result.content), isError };
  return { content: JSON.stringify(result), isError };
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
