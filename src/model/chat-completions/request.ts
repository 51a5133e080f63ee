// The body of a request, put together from bytes that mostly exist already.
import type { JsonObject } from "../../base/json.ts";
import { toBytes } from "../json-bytes.ts";
import type { ModelRequest, ModelTool } from "../model.ts";
import { objectSchemaOf } from "../tool-schema.ts";
import type { RequestBody } from "../wire.ts";
import type { ServerTraits } from "./message.ts";
import { MessageList } from "./message-list.ts";

export interface BodyOptions extends ServerTraits {
  /** `max_completion_tokens` where a server refuses `max_tokens`. */
  readonly maxTokensName: "max_tokens" | "max_completion_tokens";
  /** Added to each request; what is managed here wins. */
  readonly extra: JsonObject;
}

/**
 * Builds bodies for one model. `messages` stands last, and each message is serialised once for its object: a step costs
 * what is new plus one pass over the list, and a request's messages are a byte prefix of the next one's.
 */
export class BodyBuilder {
  readonly #options: BodyOptions;
  readonly #list: MessageList;
  readonly #tools = new WeakMap<readonly ModelTool[], Uint8Array>();
  #system: { readonly text: string; readonly bytes: Uint8Array } | undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
    this.#list = new MessageList(options);
  }

  async build(request: ModelRequest): Promise<RequestBody> {
    const { chunks: messages, hasMedia } = await this.#list.render(request.messages, request.loadMedia);
    const elements = request.system === "" ? messages : [this.#systemOf(request.system), ...messages];
    const [first, ...rest] = elements;
    const tools = request.tools.length === 0 ? [] : [toolsKey, this.#toolsOf(request.tools)];
    // Each element brings the comma before it; the first has none.
    const list = first === undefined ? [] : [first.subarray(1), ...rest];
    return { chunks: [this.#head(request), ...tools, messagesKey, ...list, end], hasMedia };
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
    const kept = Object.entries(extra).filter(([name]) => !Object.hasOwn(managed, name) && !listNames.has(name));
    return toBytes({ ...managed, ...Object.fromEntries(kept) }).subarray(0, -1);
  }

  #toolsOf(tools: readonly ModelTool[]): Uint8Array {
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const bytes = toBytes(
      tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters: objectSchemaOf(parameters) },
      })),
    );
    this.#tools.set(tools, bytes);
    return bytes;
  }

  #systemOf(text: string): Uint8Array {
    if (this.#system?.text !== text) {
      this.#system = { text, bytes: toBytes({ role: "system", content: text }, ",") };
    }
    return this.#system.bytes;
  }
}

const listNames = new Set(["messages", "tools", "max_tokens", "max_completion_tokens"]);
const toolsKey = Buffer.from(',"tools":');
const messagesKey = Buffer.from(',"messages":[');
const end = Buffer.from("]}");
