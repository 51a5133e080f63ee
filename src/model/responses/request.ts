// The body of a request of the Responses format: everything goes with each request, nothing is kept by the provider.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { headBytes, separated, ToolElements } from "../body-bytes.ts";
import { ConversationRenderer } from "../conversation.ts";
import { toBytes } from "../json-bytes.ts";
import type { ModelRequest } from "../model.ts";
import type { Maker } from "../outline.ts";
import { objectSchemaOf } from "../tool-schema.ts";
import type { RequestBody } from "../wire.ts";
import { responsesFormat } from "./message.ts";

/** Builds bodies for one model; a request's items and tools are a byte prefix of the next one's. */
export class ResponsesBodyBuilder {
  readonly #maker: Maker;
  readonly #extra: JsonObject;
  readonly #conversation: ConversationRenderer;
  #asksForSummary = true;
  readonly #tools = new ToolElements(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters: objectSchemaOf(parameters),
    // Strict schemas allow no optional arguments.
    strict: false,
  }));

  constructor(maker: Maker, extra: JsonObject) {
    this.#maker = maker;
    this.#extra = extra;
    this.#conversation = new ConversationRenderer(responsesFormat(maker));
  }

  async build(request: ModelRequest): Promise<RequestBody> {
    const { chunks, hasMedia } = await this.#conversation.render(request.messages, request.loadMedia);
    const { system, tools } = request;
    return {
      chunks: [
        this.#head(request),
        ...(system === "" ? [] : [instructionsKey, toBytes(system)]),
        ...(tools.length === 0 ? [] : [toolsKey, ...separated(this.#tools.of(tools)), listEnd]),
        inputKey,
        ...chunks,
        end,
      ],
      hasMedia,
    };
  }

  /** From now on nothing is asked for but the sealed reasoning. Answers false when that was so before. */
  leaveOutSummary(): boolean {
    const asked = this.#asksForSummary;
    this.#asksForSummary = false;
    return asked;
  }

  #head({ maxTokens, reasoningEffort }: ModelRequest): Uint8Array {
    const managed = {
      model: this.#maker.modelId,
      stream: true,
      store: false,
      max_output_tokens: Math.max(maxTokens, fewestTokens),
      ...this.#reasoning(reasoningEffort),
    };
    return headBytes(managed, this.#extra, reserved);
  }

  /** Models that do not reason refuse to be asked for it. */
  #reasoning(effort: string | undefined): JsonObject {
    const asked = this.#extra.reasoning;
    const given = isJsonObject(asked) ? asked : {};
    const reasons = !withoutReasoning.test(this.#maker.modelId);
    if (!reasons && effort === undefined) return {};
    const summary = this.#asksForSummary ? { summary: "auto", ...given } : { ...given, summary: null };
    return {
      reasoning: { ...summary, ...(effort !== undefined && { effort }) },
      include: ["reasoning.encrypted_content"],
    };
  }
}

/** The API refuses a lower limit. */
const fewestTokens = 16;
const withoutReasoning = /^(ft:)?(gpt-3|gpt-4|chatgpt-|gpt-[\d.]+-chat|computer-use)/;
const reserved = new Set(["input", "tools", "instructions", "max_tokens", "max_completion_tokens"]);
const instructionsKey = Buffer.from(',"instructions":');
const toolsKey = Buffer.from(',"tools":[');
const inputKey = Buffer.from(',"input":[');
const listEnd = Buffer.from("]");
const end = Buffer.from("]}");
