// The body of a request, put together from bytes that mostly exist already.
import type { JsonObject } from "../../base/json.ts";
import type { ModelRequest, ModelTool } from "../model.ts";
import { type Fragment, FragmentCache, toBytes, userMessageOf } from "./message.ts";

export interface BodyOptions {
  /** The part of `provider:model` before the colon: whose reasoning goes back. */
  readonly provider: string;
  readonly modelId: string;
  /** `max_completion_tokens` where a server refuses `max_tokens`. */
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /** Added to each request; what is managed here wins. */
  readonly extra: JsonObject;
}

export interface RequestBody {
  /** To be sent one after the other. */
  readonly chunks: readonly Uint8Array[];
  readonly hasMedia: boolean;
}

/**
 * Builds bodies for one model. `messages` stands last, and each message is serialised once for its object: a step costs
 * what is new plus one pass over the list, and a request's messages are a byte prefix of the next one's.
 */
export class BodyBuilder {
  readonly #options: BodyOptions;
  readonly #fragments: FragmentCache;
  readonly #tools = new WeakMap<readonly ModelTool[], Uint8Array>();
  #system: { readonly text: string; readonly bytes: Uint8Array } | undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.#fragments = new FragmentCache(options.provider);
  }

  async build(request: ModelRequest): Promise<RequestBody> {
    const chunks: Uint8Array[] = [this.#head(request)];
    if (request.tools.length > 0) chunks.push(toolsKey, this.#toolsOf(request.tools));
    chunks.push(messagesKey);
    const list = new MessageList(chunks);
    if (request.system !== "") list.push(this.#systemOf(request.system));
    for (const message of request.messages) {
      const found = this.#fragments.get(message, request.loadMedia);
      const fragment = found instanceof Promise ? await found : found;
      if (message.role === "tool") list.pushResult(fragment);
      else list.pushMessage(fragment);
    }
    list.end();
    return { chunks, hasMedia: list.hasMedia };
  }

  /** `{"model":…` up to the last setting, without a closing brace. */
  #head({ maxTokens, reasoningEffort }: ModelRequest): Uint8Array {
    const { modelId, maxTokensName, extra } = this.#options;
    const managed = {
      model: modelId,
      stream: true,
      stream_options: { include_usage: true },
      [maxTokensName]: maxTokens,
      ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    };
    const kept = Object.entries(extra).filter(([name]) => !(name in managed) && !listNames.has(name));
    return toBytes({ ...managed, ...Object.fromEntries(kept) }).subarray(0, -1);
  }

  #toolsOf(tools: readonly ModelTool[]): Uint8Array {
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const bytes = toBytes(
      tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
    );
    this.#tools.set(tools, bytes);
    return bytes;
  }

  #systemOf(text: string): Uint8Array {
    if (this.#system?.text !== text) this.#system = { text, bytes: toBytes({ role: "system", content: text }) };
    return this.#system.bytes;
  }
}

/** Separates messages, and puts what tool messages cannot hold after the results of their step. */
class MessageList {
  readonly #chunks: Uint8Array[];
  #isFirst = true;
  #hoisted: Uint8Array[] = [];
  hasMedia = false;

  constructor(chunks: Uint8Array[]) {
    this.#chunks = chunks;
  }

  push(bytes: Uint8Array): void {
    if (!this.#isFirst) this.#chunks.push(comma);
    this.#isFirst = false;
    this.#chunks.push(bytes);
  }

  pushMessage({ bytes, hasMedia }: Fragment): void {
    this.#flush();
    this.push(bytes);
    this.hasMedia ||= hasMedia;
  }

  pushResult({ bytes, hoisted, hasMedia }: Fragment): void {
    this.push(bytes);
    this.#hoisted.push(...hoisted);
    this.hasMedia ||= hasMedia;
  }

  end(): void {
    this.#flush();
    this.#chunks.push(end);
  }

  #flush(): void {
    if (this.#hoisted.length === 0) return;
    const [first, ...rest] = userMessageOf(this.#hoisted);
    if (first !== undefined) this.push(first);
    this.#chunks.push(...rest);
    this.#hoisted = [];
  }
}

const listNames = new Set(["messages", "tools", "max_tokens", "max_completion_tokens"]);
const toolsKey = Buffer.from(',"tools":');
const messagesKey = Buffer.from(',"messages":[');
const comma = Buffer.from(",");
const end = Buffer.from("]}");
