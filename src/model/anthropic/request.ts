// The body of a request of the Messages format, with marks for its cache.
import type { JsonObject } from "../../base/json.ts";
import { headBytes, separated, ToolElements } from "../body-bytes.ts";
import { ConversationRenderer, type Passage } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import type { ModelRequest } from "../model.ts";
import type { Maker } from "../outline.ts";
import { objectSchemaOf } from "../tool-schema.ts";
import type { RequestBody } from "../wire.ts";
import { messagesFormat } from "./message.ts";
import { thinkingOf } from "./thinking.ts";

/**
 * Builds bodies for one model. Marks stand on the end of the fixed parts, on the newest block, and where the last request's
 * newest block was; without them a request's elements are a byte prefix of the next one's.
 */
export class MessagesBodyBuilder {
  readonly #maker: Maker;
  readonly #extra: JsonObject;
  readonly #conversation: ConversationRenderer;
  readonly #tools = new ToolElements(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: objectSchemaOf(parameters),
  }));

  constructor(maker: Maker, extra: JsonObject) {
    this.#maker = maker;
    this.#extra = extra;
    this.#conversation = new ConversationRenderer(messagesFormat(maker));
  }

  async build(request: ModelRequest): Promise<RequestBody> {
    const { chunks, hasMedia } = await this.#conversation.render(request.messages, request.loadMedia, markNewest);
    const { system, tools } = request;
    return {
      chunks: [
        this.#head(request),
        ...(tools.length > 0 ? this.#toolsList(request) : []),
        ...(system === "" ? [] : [systemKey, toBytes([{ type: "text", text: system, ...cacheMark }])]),
        messagesKey,
        ...chunks,
        end,
      ],
      hasMedia,
    };
  }

  #head(request: ModelRequest): Uint8Array {
    const managed = {
      model: this.#maker.modelId,
      stream: true,
      max_tokens: request.maxTokens,
      ...thinkingOf(request, this.#maker),
    };
    return headBytes(managed, this.#extra, reserved);
  }

  /** The system prompt comes after the tools and marks both. */
  #toolsList({ tools, system }: ModelRequest): readonly Uint8Array[] {
    const elements = this.#tools.of(tools);
    return [toolsKey, ...separated(system === "" ? markLast(elements) : elements), listEnd];
  }
}

/** The API looks for a cached beginning only some twenty blocks before a mark, so the place of the last mark keeps its own. */
function markNewest(passages: readonly Passage[]): readonly Passage[] {
  const marked = new Set(passages.filter(({ side }) => side === "user").slice(-2));
  return passages.map((passage) => (marked.has(passage) ? { ...passage, blocks: markLast(passage.blocks) } : passage));
}

function markLast(blocks: readonly Uint8Array[]): readonly Uint8Array[] {
  const last = blocks.at(-1);
  return last === undefined ? blocks : [...blocks.slice(0, -1), Buffer.concat([last.subarray(0, -1), mark])];
}

const cacheMark = { cache_control: { type: "ephemeral" } } as const;
const mark = Buffer.from(',"cache_control":{"type":"ephemeral"}}');
const reserved = new Set(["messages", "tools", "system"]);
const toolsKey = Buffer.from(',"tools":[');
const systemKey = Buffer.from(',"system":');
const messagesKey = Buffer.from(',"messages":[');
const listEnd = Buffer.from("]");
const end = Buffer.from("]}");
