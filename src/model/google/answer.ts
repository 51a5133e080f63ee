// Reads one answer of the Gemini format, streamed or whole, into events.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../../base/json.ts";
import type { AnswerOptions, AnswerReader } from "../answer-body.ts";
import { type RawCall, settleEnd } from "../calls.ts";
import { cutError, malformedError, readRefusal, refusalError } from "../errors.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import { type Maker, Outline } from "../outline.ts";
import { tokenCount, tokenSum, usageOf } from "../token-counts.ts";

export class GeminiAnswerReader implements AnswerReader {
  /** Nothing in the format says so: usage may follow the reason. */
  readonly isComplete = false;
  readonly #options: AnswerOptions;
  readonly #maker: Maker;
  readonly #calls: RawCall[] = [];
  readonly #outline = new Outline();
  #rawReason: string | undefined;
  #usage: Usage | undefined;
  #hasStarted = false;

  constructor(options: AnswerOptions, maker: Maker) {
    this.#options = options;
    this.#maker = maker;
  }

  get isFinished(): boolean {
    return this.#rawReason !== undefined;
  }

  read(data: string): ModelEvent[] {
    if (data.trim() === "") return [];
    const chunk = parseJson(data);
    const isError = Array.isArray(chunk) && readRefusal(chunk) !== undefined;
    if (!isJsonObject(chunk) && !isError) throw this.#malformed("it holds an event that is not a JSON object", true);
    return this.#take(chunk);
  }

  /** One object, or the list of all chunks that a server without events sends. */
  readWhole(body: string): ModelEvent[] {
    const answer = parseJson(body);
    const chunks = Array.isArray(answer) ? answer : [answer];
    if (!chunks.every(isJsonObject)) throw this.#malformed("it is cut, or not a JSON object", true);
    const events = chunks.flatMap((chunk) => this.#take(chunk));
    if (!this.#hasStarted) throw this.#malformed("it holds no candidates", false);
    this.#rawReason ??= "STOP";
    return events;
  }

  end(): ModelEvent[] {
    if (this.#rawReason === undefined) throw cutError(this.#options.endpoint.provider);
    return settleEnd({
      calls: this.#calls,
      reason: finishReasons.get(this.#rawReason) ?? "other",
      rawReason: this.#rawReason,
      usage: this.#usage,
      providerData: this.#outline.toJson(this.#maker),
    });
  }

  #take(chunk: JsonValue | undefined): ModelEvent[] {
    const refusal = Array.isArray(chunk) || (isJsonObject(chunk) && chunk.error) ? readRefusal(chunk) : undefined;
    if (refusal !== undefined) throw refusalError(refusal, this.#options.endpoint, this.#options);
    if (!isJsonObject(chunk)) return [];
    if (isJsonObject(chunk.usageMetadata)) this.#usage = readUsage(chunk.usageMetadata) ?? this.#usage;
    const blocked = isJsonObject(chunk.promptFeedback) ? chunk.promptFeedback.blockReason : undefined;
    if (typeof blocked === "string") return this.#block(blocked);
    const candidate = Array.isArray(chunk.candidates) ? chunk.candidates.find(isJsonObject) : undefined;
    if (candidate === undefined) return [];
    this.#hasStarted = true;
    const parts = isJsonObject(candidate.content) ? candidate.content.parts : undefined;
    const events = (Array.isArray(parts) ? parts : []).filter(isJsonObject).flatMap((part) => this.#takePart(part));
    if (typeof candidate.finishReason === "string") this.#finish(candidate.finishReason, candidate);
    return events;
  }

  #takePart(part: JsonObject): ModelEvent[] {
    const signature = part.thoughtSignature ?? part.thought_signature;
    const extra = typeof signature === "string" && signature !== "" ? { thoughtSignature: signature } : {};
    if (isJsonObject(part.functionCall)) {
      const { id, name, args } = part.functionCall;
      this.#calls.push({ id: textIn(id), name: textIn(name), arguments: JSON.stringify(args ?? {}) });
      this.#outline.call(extra);
      return [{ type: "progress" }];
    }
    const delta = textIn(part.text);
    if (part.thought === true) {
      // A thought's text goes nowhere; its signature mostly stands on the part that follows.
      if (extra.thoughtSignature !== undefined) this.#outline.own({ text: "", thought: true, ...extra });
      return delta === "" ? [] : [{ type: "reasoning-delta", delta }];
    }
    this.#outline.text(delta.length, extra);
    return delta === "" ? [] : [{ type: "text-delta", delta }];
  }

  /** The question itself was refused. */
  #block(reason: string): ModelEvent[] {
    this.#hasStarted = true;
    this.#rawReason = finishReasons.get(reason) === "content-filter" ? reason : "PROHIBITED_CONTENT";
    return [{ type: "text-delta", delta: `(${this.#options.endpoint.provider} blocked the request: ${reason})` }];
  }

  #finish(rawReason: string, { finishMessage }: JsonObject): void {
    if (failedReasons.has(rawReason)) {
      const message = textIn(finishMessage) || `it stopped with ${rawReason}`;
      throw refusalError({ message }, this.#options.endpoint, this.#options);
    }
    if (rawReason !== "FINISH_REASON_UNSPECIFIED") this.#rawReason = rawReason;
  }

  #malformed(what: string, retryable: boolean): Error {
    return malformedError(this.#options.endpoint.provider, what, { retryable });
  }
}

/** The API counts thoughts apart; ours are a part of the output. */
function readUsage(raw: JsonObject): Usage | undefined {
  const thoughts = tokenCount(raw.thoughtsTokenCount);
  return usageOf({
    input_tokens: tokenSum(tokenCount(raw.promptTokenCount), tokenCount(raw.toolUsePromptTokenCount)),
    output_tokens: tokenSum(tokenCount(raw.candidatesTokenCount), thoughts),
    reasoning_tokens: thoughts,
    cached_tokens: tokenCount(raw.cachedContentTokenCount),
    total_tokens: tokenCount(raw.totalTokenCount),
  });
}

/** Reasons that are failures: of the model, which wrote a call that cannot be read, or of a turn that is not whole. */
const failedReasons = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
]);

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["STOP", "stop"],
  ["FUNCTION_CALL", "tool-calls"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content-filter"],
  ["RECITATION", "content-filter"],
  ["LANGUAGE", "content-filter"],
  ["BLOCKLIST", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter"],
  ["SPII", "content-filter"],
  ["IMAGE_SAFETY", "content-filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content-filter"],
  ["IMAGE_RECITATION", "content-filter"],
]);
