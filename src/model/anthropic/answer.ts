// Reads one answer of the Messages format, streamed or whole, into events.
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../../base/json.ts";
import type { AnswerOptions, AnswerReader } from "../answer-body.ts";
import { type RawCall, settleEnd } from "../calls.ts";
import { cutError, malformedError, readRefusal, refusalError } from "../errors.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import { type Maker, Outline } from "../outline.ts";
import { readUsage } from "./usage.ts";

interface Block {
  readonly type: string;
  /** As it began; deltas are not added. */
  readonly start: JsonObject;
  /** Text or thinking. */
  text: string;
  signature: string;
  /** Pieces of a call's input. */
  input: string;
  isOpen: boolean;
}

export class MessagesAnswerReader implements AnswerReader {
  readonly #options: AnswerOptions;
  readonly #maker: Maker;
  /** In the order in which they began. */
  readonly #blocks = new Map<number, Block>();
  #rawReason: string | undefined;
  #usage: JsonObject = {};
  #isComplete = false;

  constructor(options: AnswerOptions, maker: Maker) {
    this.#options = options;
    this.#maker = maker;
  }

  get isFinished(): boolean {
    return this.#rawReason !== undefined;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  read(data: string): ModelEvent[] {
    if (data.trim() === "") return [];
    const event = parseJson(data);
    if (!isJsonObject(event)) throw this.#malformed("it holds an event that is not a JSON object", true);
    return this.#take(event);
  }

  readWhole(body: string): ModelEvent[] {
    const answer = parseJson(body);
    if (!isJsonObject(answer)) throw this.#malformed("it is cut, or not a JSON object", true);
    this.#throwError(answer);
    if (!Array.isArray(answer.content)) throw this.#malformed("it holds no content", false);
    const events = answer.content.filter(isJsonObject).flatMap((block, index) => {
      const begun = this.#begin(index, block);
      this.#end(index);
      return begun;
    });
    this.#takeUsage(answer.usage);
    return [...events, ...this.#finish(answer, answer.stop_reason ?? "end_turn")];
  }

  end(): ModelEvent[] {
    if (this.#rawReason === undefined) throw cutError(this.#options.endpoint.provider);
    return settleEnd({
      calls: this.#rawCalls(),
      reason: finishReasons.get(this.#rawReason) ?? "other",
      rawReason: this.#rawReason,
      usage: readUsage(this.#usage),
      providerData: this.#outline().toJson(this.#maker),
    });
  }

  #take(event: JsonObject): ModelEvent[] {
    this.#throwError(event);
    const index = typeof event.index === "number" ? event.index : 0;
    switch (event.type) {
      case "message_start":
        if (isJsonObject(event.message)) this.#takeUsage(event.message.usage);
        return [];
      case "content_block_start":
        return isJsonObject(event.content_block) ? this.#begin(index, event.content_block) : [];
      case "content_block_delta":
        return isJsonObject(event.delta) ? this.#grow(index, event.delta) : [];
      case "content_block_stop":
        this.#end(index);
        return [];
      case "message_delta":
        this.#takeUsage(event.usage);
        return isJsonObject(event.delta) ? this.#finish(event.delta, event.delta.stop_reason) : [];
      case "message_stop":
        this.#isComplete = this.isFinished;
        return [];
      default:
        return [];
    }
  }

  #begin(index: number, start: JsonObject): ModelEvent[] {
    const type = String(start.type ?? "");
    const block: Block = { type, start, text: "", signature: "", input: "", isOpen: true };
    this.#blocks.set(index, block);
    if (type === "thinking") block.signature = textIn(start.signature);
    const events = said(block, textIn(type === "thinking" ? start.thinking : start.text));
    return events.length > 0 || type === "text" || type === "thinking" ? events : [{ type: "progress" }];
  }

  #grow(index: number, delta: JsonObject): ModelEvent[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    switch (delta.type) {
      case "text_delta":
        return said(block, textIn(delta.text));
      case "thinking_delta":
        return said(block, textIn(delta.thinking));
      case "signature_delta":
        block.signature += textIn(delta.signature);
        return [];
      case "input_json_delta": {
        const piece = textIn(delta.partial_json);
        block.input += piece;
        return piece === "" ? [] : [{ type: "progress" }];
      }
      default:
        return [];
    }
  }

  #end(index: number): void {
    const block = this.#blocks.get(index);
    if (block !== undefined) block.isOpen = false;
  }

  /** What a refusal says for itself stands in the place of an answer. */
  #finish({ stop_details: details }: JsonObject, rawReason: JsonValue | undefined): ModelEvent[] {
    if (typeof rawReason !== "string" || rawReason === "") return [];
    this.#rawReason = rawReason;
    const hasText = [...this.#blocks.values()].some(({ type, text }) => type === "text" && text !== "");
    const explanation = isJsonObject(details) && !hasText ? textIn(details.explanation) : "";
    return explanation === "" ? [] : [{ type: "text-delta", delta: explanation }];
  }

  /** Counts are told at the start and, growing, at the end. */
  #takeUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage)) return;
    const given = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(given) };
  }

  #rawCalls(): RawCall[] {
    return [...this.#blocks.values()].filter(isCall).map(({ start, input, isOpen }) => ({
      id: textIn(start.id),
      name: textIn(start.name),
      // Without any piece it is either a call without arguments or one that was cut before them: its end tells.
      arguments: input === "" && !isEmpty(start.input) ? JSON.stringify(start.input) : input,
      ...(isOpen && { incomplete: true as const }),
    }));
  }

  #outline(): Outline {
    const outline = new Outline();
    for (const block of this.#blocks.values()) {
      if (block.type === "text") outline.text(block.text.length);
      else if (isCall(block)) outline.call();
      else if (block.type === "redacted_thinking") outline.own(block.start);
      else if (block.type === "thinking" && block.signature !== "")
        outline.own({ type: "thinking", thinking: block.text, signature: block.signature });
    }
    return outline;
  }

  #throwError(event: JsonObject): void {
    if (event.type !== "error" && event.error === undefined) return;
    const refusal = readRefusal(event) ?? {};
    throw refusalError(refusal, this.#options.endpoint, this.#options);
  }

  #malformed(what: string, retryable: boolean): Error {
    return malformedError(this.#options.endpoint.provider, what, { retryable });
  }
}

function said(block: Block, delta: string): ModelEvent[] {
  block.text += delta;
  if (delta === "") return [];
  return [{ type: block.type === "thinking" ? "reasoning-delta" : "text-delta", delta }];
}

function isCall({ type }: Block): boolean {
  return type === "tool_use";
}

function isEmpty(input: JsonValue | undefined): boolean {
  return !isJsonObject(input) || Object.keys(input).length === 0;
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content-filter"],
]);
