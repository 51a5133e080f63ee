// Reads one stream of the AI SDK's parts into events: calls are held back until a real finish.
import { isJsonObject, type JsonObject, type JsonValue, textIn } from "../../base/json.ts";
import { type RawCall, settleEnd } from "../calls.ts";
import { cutError } from "../errors.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { type Maker, Outline } from "../outline.ts";
import { readUsage } from "./usage.ts";

type Block =
  | { readonly type: "text" | "reasoning"; readonly id: string; text: string; metadata: JsonObject | undefined }
  | { readonly type: "call"; readonly call: RawCall; readonly metadata: JsonObject | undefined };

export class PartReader {
  readonly #maker: Maker;
  /** In the order in which they began. */
  readonly #blocks: Block[] = [];
  #finish: JsonObject | undefined;

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** @throws the value of an error part */
  read(part: unknown): ModelEvent[] {
    if (!isJsonObject(part)) return [];
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.#grow("text", part);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#grow("reasoning", part);
      case "tool-input-start":
        return [{ type: "progress" }];
      case "tool-input-delta":
        return part.delta === "" ? [] : [{ type: "progress" }];
      case "tool-call":
        return this.#call(part);
      case "finish":
        this.#finish = part;
        return [];
      case "error":
        throw part.error;
      default:
        return [];
    }
  }

  /** @throws ModelError `cut` when nothing said that the answer is over */
  end(): ModelEvent[] {
    const { provider } = this.#maker;
    if (this.#finish === undefined) throw cutError(provider);
    const [reason, rawReason] = this.#reasonOf(this.#finish.finishReason);
    return settleEnd({
      calls: this.#blocks.flatMap((block) => (block.type === "call" ? [block.call] : [])),
      reason,
      rawReason,
      usage: readUsage(this.#finish.usage),
      providerData: this.#outline().toJson(this.#maker),
    });
  }

  #grow(type: "text" | "reasoning", { id = "", delta, providerMetadata }: JsonObject): ModelEvent[] {
    const text = textIn(delta);
    const metadata = isJsonObject(providerMetadata) ? providerMetadata : undefined;
    const block = this.#blockOf(type, String(id), text);
    if (block === undefined) return [];
    block.text += text;
    block.metadata = metadata ?? block.metadata;
    if (text === "") return [];
    return [{ type: type === "text" ? "text-delta" : "reasoning-delta", delta: text }];
  }

  /** Text goes to the newest block alone, so that the blocks' order is that of the text; what is known of a block may come late. */
  #blockOf(type: "text" | "reasoning", id: string, text: string): Extract<Block, { text: string }> | undefined {
    const known = this.#blocks.findLast((block) => block.type === type && block.id === id);
    if (known !== undefined && known.type !== "call" && (text === "" || known === this.#newest(type))) return known;
    const block = { type, id, text: "", metadata: undefined };
    this.#blocks.push(block);
    return block;
  }

  #newest(type: "text" | "reasoning"): Block | undefined {
    return this.#blocks.findLast((block) => block.type === type);
  }

  /** What a provider runs by itself is none of ours. */
  #call({ toolCallId, toolName, input, providerExecuted, providerMetadata }: JsonObject): ModelEvent[] {
    if (providerExecuted === true) return [{ type: "progress" }];
    const call = {
      id: textIn(toolCallId),
      name: textIn(toolName),
      arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    };
    this.#blocks.push({ type: "call", call, metadata: isJsonObject(providerMetadata) ? providerMetadata : undefined });
    return [{ type: "progress" }];
  }

  /** Adapters say `other` without the provider's own word when the stream was cut off. */
  #reasonOf(given: JsonValue | undefined): [FinishReason, string | undefined] {
    const { unified, raw } = isJsonObject(given) ? given : { unified: given, raw: undefined };
    const reason = finishReasons.get(String(unified));
    if (reason !== undefined) return [reason, typeof raw === "string" ? raw : undefined];
    const { provider } = this.#maker;
    if (unified === "error")
      throw new ModelError(`${provider} failed to answer.`, { failure: "server", retryable: true });
    if (typeof raw !== "string") throw cutError(provider);
    return ["other", raw];
  }

  #outline(): Outline {
    const outline = new Outline();
    for (const block of this.#blocks) {
      const options = block.metadata === undefined ? {} : { providerOptions: block.metadata };
      if (block.type === "call") outline.call(options);
      else if (block.type === "text") outline.text(block.text.length, options);
      else if (block.text !== "" || block.metadata !== undefined)
        outline.own({ type: "reasoning", text: block.text, ...options });
    }
    return outline;
  }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["tool-calls", "tool-calls"],
  ["length", "length"],
  ["content-filter", "content-filter"],
]);
