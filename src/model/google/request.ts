// The body of a request of the Gemini format.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { headBytes, separated, ToolElements } from "../body-bytes.ts";
import { ConversationRenderer } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import type { ModelRequest } from "../model.ts";
import type { Maker } from "../outline.ts";
import { objectSchemaOf } from "../tool-schema.ts";
import type { RequestBody } from "../wire.ts";
import { thinkingConfigOf } from "./generation.ts";
import { geminiFormat } from "./message.ts";

/** Builds bodies for one model; a request's contents and tools are a byte prefix of the next one's. */
export class GeminiBodyBuilder {
  readonly #maker: Maker;
  readonly #extra: JsonObject;
  readonly #conversation: ConversationRenderer;
  readonly #tools = new ToolElements(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: objectSchemaOf(parameters),
  }));

  constructor(maker: Maker, extra: JsonObject) {
    this.#maker = maker;
    this.#extra = extra;
    this.#conversation = new ConversationRenderer(geminiFormat(maker));
  }

  async build(request: ModelRequest): Promise<RequestBody> {
    const { chunks, hasMedia } = await this.#conversation.render(request.messages, request.loadMedia);
    const { system, tools } = request;
    return {
      chunks: [
        headBytes({ generationConfig: this.#generation(request) }, this.#rest(), reserved),
        ...(system === "" ? [] : [systemKey, toBytes({ parts: [{ text: system }] })]),
        ...(tools.length === 0 ? [] : [toolsKey, ...separated(this.#tools.of(tools)), toolsEnd]),
        contentsKey,
        ...chunks,
        end,
      ],
      hasMedia,
    };
  }

  /** Settings such as `temperature` belong in here, wherever they were written. */
  #generation({ maxTokens, reasoningEffort }: ModelRequest): JsonObject {
    const thinkingConfig = thinkingConfigOf(this.#maker.modelId, reasoningEffort);
    const { generationConfig: given } = this.#extra;
    const loose = Object.entries(this.#extra).filter(([name]) => generationKeys.has(name));
    return {
      ...(thinkingConfig !== undefined && { thinkingConfig }),
      ...Object.fromEntries(loose.map(([name, value]) => [generationKeys.get(name), value])),
      ...(isJsonObject(given) && given),
      ...(thinkingConfig !== undefined && reasoningEffort !== undefined && { thinkingConfig }),
      maxOutputTokens: maxTokens,
    };
  }

  #rest(): JsonObject {
    return Object.fromEntries(Object.entries(this.#extra).filter(([name]) => !generationKeys.has(name)));
  }
}

/** Names as other formats have them, too. */
const generationKeys: ReadonlyMap<string, string> = new Map([
  ["temperature", "temperature"],
  ["topP", "topP"],
  ["top_p", "topP"],
  ["topK", "topK"],
  ["top_k", "topK"],
  ["seed", "seed"],
  ["stopSequences", "stopSequences"],
]);
const reserved = new Set(["contents", "tools", "systemInstruction", "max_tokens", "model", "stream"]);
const systemKey = Buffer.from(',"systemInstruction":');
const toolsKey = Buffer.from(',"tools":[{"functionDeclarations":[');
const toolsEnd = Buffer.from("]}]");
const contentsKey = Buffer.from(',"contents":[');
const end = Buffer.from("]}");
