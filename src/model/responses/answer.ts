// Reads one answer of the Responses format, streamed or whole, into events.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../../base/json.ts";
import type { AnswerOptions, AnswerReader } from "../answer-body.ts";
import { type RawCall, settleEnd } from "../calls.ts";
import { cutError, malformedError, readRefusal, refusalError } from "../errors.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import { type Maker, Outline } from "../outline.ts";
import { tokenCount, usageOf } from "../token-counts.ts";

/** One item of the answer, as far as it came. */
interface Item {
  value: JsonObject;
  /** Text of a message, or of reasoning, that was given out. */
  said: string;
  /** Pieces of a call's arguments. */
  arguments: string;
  /** Which part of the reasoning the last text belonged to. */
  part: string | undefined;
  isDone: boolean;
}

export class ResponsesAnswerReader implements AnswerReader {
  readonly #options: AnswerOptions;
  readonly #maker: Maker;
  /** By their place in the answer, in the order in which they began. */
  readonly #items = new Map<string, Item>();
  #rawReason: string | undefined;
  #usage: Usage | undefined;

  constructor(options: AnswerOptions, maker: Maker) {
    this.#options = options;
    this.#maker = maker;
  }

  get isFinished(): boolean {
    return this.#rawReason !== undefined;
  }

  get isComplete(): boolean {
    return this.isFinished;
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
    if (!Array.isArray(answer.output)) {
      const refusal = readRefusal(answer);
      if (refusal !== undefined) throw refusalError(refusal, this.#options.endpoint, this.#options);
      throw this.#malformed("it holds no output", false);
    }
    return this.#finish(answer);
  }

  end(): ModelEvent[] {
    if (this.#rawReason === undefined) throw cutError(this.#options.endpoint.provider);
    return settleEnd({
      calls: this.#rawCalls(),
      reason: finishReasons.get(this.#rawReason) ?? "other",
      rawReason: this.#rawReason,
      usage: this.#usage,
      providerData: this.#outline().toJson(this.#maker),
    });
  }

  #take(event: JsonObject): ModelEvent[] {
    const at = placeOf(event);
    switch (event.type) {
      case "response.output_item.added":
        return isJsonObject(event.item) ? this.#begin(at, event.item) : [];
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#say(at, { type: "message" }, textIn(event.delta));
      case "response.reasoning_summary_text.delta":
        return this.#think(at, `summary ${String(event.summary_index)}`, textIn(event.delta));
      case "response.reasoning_text.delta":
        return this.#think(at, `content ${String(event.content_index)}`, textIn(event.delta));
      case "response.function_call_arguments.delta": {
        const delta = textIn(event.delta);
        this.#item(at, { type: "function_call" }).arguments += delta;
        return delta === "" ? [] : [{ type: "progress" }];
      }
      case "response.function_call_arguments.done":
        return this.#settle(at, argumentsOf(event));
      case "response.output_item.done":
        return isJsonObject(event.item) ? this.#complete(at, event.item) : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return isJsonObject(event.response) ? this.#finish(event.response) : [];
      default:
        return this.#takeOther(event);
    }
  }

  /** Errors come as events of their own, bare or wrapped; anything else is unknown and passed over. */
  #takeOther(event: JsonObject): never[] {
    if (event.type !== "error" && !isJsonObject(event.error)) return [];
    const { code, message } = event;
    const refusal = isJsonObject(event.error)
      ? readRefusal(event)
      : { ...(typeof code === "string" && { code }), ...(typeof message === "string" && { message }) };
    throw refusalError(refusal ?? {}, this.#options.endpoint, this.#options);
  }

  #item(at: string, value: JsonObject): Item {
    const known = this.#items.get(at);
    if (known !== undefined) return known;
    const item: Item = { value, said: "", arguments: "", part: undefined, isDone: false };
    this.#items.set(at, item);
    return item;
  }

  #begin(at: string, value: JsonObject): ModelEvent[] {
    this.#item(at, value).value = value;
    return value.type === "function_call" ? [{ type: "progress" }] : [];
  }

  #say(at: string, value: JsonObject, delta: string): ModelEvent[] {
    this.#item(at, value).said += delta;
    return delta === "" ? [] : [{ type: "text-delta", delta }];
  }

  /** Parts of a summary are paragraphs. */
  #think(at: string, part: string, delta: string): ModelEvent[] {
    if (delta === "") return [];
    const item = this.#item(at, { type: "reasoning" });
    const isNext = item.part !== part && item.said !== "";
    item.part = part;
    item.said += delta;
    return [{ type: "reasoning-delta", delta: isNext ? `\n\n${delta}` : delta }];
  }

  #settle(at: string, args: string | undefined): ModelEvent[] {
    if (args !== undefined) this.#item(at, { type: "function_call" }).arguments = args;
    return [];
  }

  /** The whole item; what no delta told of it is told now. */
  #complete(at: string, value: JsonObject): ModelEvent[] {
    const item = this.#item(at, value);
    if (item.isDone) return [];
    item.value = value;
    item.isDone = true;
    item.arguments = argumentsOf(value) ?? item.arguments;
    if (value.type === "message" && item.said === "") return this.#say(at, value, messageText(value));
    if (value.type === "reasoning" && item.said === "") {
      const parts = [value.summary, value.content].map(partTexts).find((texts) => texts.length > 0) ?? [];
      return parts.flatMap((text, index) => this.#think(at, String(index), text));
    }
    return [];
  }

  /** Throws when the provider failed. */
  #finish(response: JsonObject): ModelEvent[] {
    const { status, error, output, incomplete_details: details } = response;
    if (status === "failed" || status === "cancelled" || isJsonObject(error)) {
      const refusal = readRefusal(response) ?? { message: `it stopped with ${String(status)}` };
      throw refusalError(refusal, this.#options.endpoint, this.#options);
    }
    const events = (Array.isArray(output) ? output : [])
      .filter(isJsonObject)
      .flatMap((item, index) => (this.#isKnown(item, index) ? [] : this.#complete(`output ${index}`, item)));
    if (isJsonObject(response.usage)) this.#usage = readUsage(response.usage);
    this.#rawReason = isJsonObject(details) ? textIn(details.reason) || "incomplete" : textIn(status) || "completed";
    return events;
  }

  /** Servers number what they streamed as they like; the id tells. */
  #isKnown({ id }: JsonObject, index: number): boolean {
    if (this.#items.get(`output ${index}`)?.isDone === true) return true;
    return typeof id === "string" && [...this.#items.values()].some((item) => item.isDone && item.value.id === id);
  }

  #rawCalls(): RawCall[] {
    const calls = [...this.#items.values()].filter(({ value }) => value.type === "function_call");
    return calls.map(({ value, arguments: args, isDone }) => ({
      id: textIn(value.call_id),
      name: textIn(value.name),
      arguments: args === "" ? "{}" : args,
      ...((!isDone || value.status === "incomplete") && { incomplete: true as const }),
    }));
  }

  #outline(): Outline {
    const outline = new Outline();
    for (const { value, said } of this.#items.values()) {
      if (value.type === "message")
        outline.text(said.length, typeof value.phase === "string" ? { phase: value.phase } : {});
      else if (value.type === "function_call") outline.call();
      else if (value.type === "reasoning" && typeof value.encrypted_content === "string") outline.own(keptItem(value));
    }
    return outline;
  }

  #malformed(what: string, retryable: boolean): Error {
    return malformedError(this.#options.endpoint.provider, what, { retryable });
  }
}

/** Reasoning goes back without its status, which is the provider's to set. */
function keptItem({ status: _, ...item }: JsonObject): JsonObject {
  return item;
}

/** Compatible servers send an object where the format has its text. */
function argumentsOf({ arguments: given }: JsonObject): string | undefined {
  if (isJsonObject(given)) return JSON.stringify(given);
  return typeof given === "string" ? given : undefined;
}

function placeOf({ output_index: index, item_id: id }: JsonObject): string {
  return typeof index === "number" ? `output ${index}` : textIn(id);
}

function messageText({ content }: JsonObject): string {
  return partTexts(content).join("");
}

function partTexts(parts: JsonValue | undefined): string[] {
  if (!Array.isArray(parts)) return [];
  return parts
    .filter(isJsonObject)
    .map((part) => textIn(part.text) || textIn(part.refusal))
    .filter((text) => text !== "");
}

function readUsage(raw: JsonObject): Usage | undefined {
  const input = isJsonObject(raw.input_tokens_details) ? raw.input_tokens_details : {};
  const output = isJsonObject(raw.output_tokens_details) ? raw.output_tokens_details : {};
  return usageOf({
    input_tokens: tokenCount(raw.input_tokens),
    output_tokens: tokenCount(raw.output_tokens),
    reasoning_tokens: tokenCount(output.reasoning_tokens),
    cached_tokens: tokenCount(input.cached_tokens),
    cache_write_tokens: tokenCount(input.cache_write_tokens),
    total_tokens: tokenCount(raw.total_tokens),
  });
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["completed", "stop"],
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"],
]);
