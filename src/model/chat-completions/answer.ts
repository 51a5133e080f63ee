// Reads one answer of the Chat Completions format, streamed or whole, into events.
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../../base/json.ts";
import type { AnswerOptions, AnswerReader } from "../answer-body.ts";
import { settleEnd } from "../calls.ts";
import { cutError, malformedError, readRefusal, refusalError } from "../errors.ts";
import type { FinishReason, ModelEvent } from "../model.ts";
import { CallAssembler } from "./call-assembler.ts";
import { DetailAssembler, keptReasoningToJson, type ReasoningField, reasoningFields } from "./reasoning.ts";
import { findUsage, readUsage } from "./usage.ts";

export class ChatAnswerReader implements AnswerReader {
  /** `[DONE]` is not an event of the answer. */
  readonly isComplete = false;
  readonly #options: AnswerOptions;
  readonly #modelId: string;
  readonly #calls = new CallAssembler();
  readonly #details = new DetailAssembler();
  #choice: number | undefined;
  #reasoningField: ReasoningField | undefined;
  #rawReason: string | undefined;
  #usage: Usage | undefined;
  #hasStarted = false;

  constructor(options: AnswerOptions, modelId: string) {
    this.#options = options;
    this.#modelId = modelId;
  }

  get isFinished(): boolean {
    return this.#rawReason !== undefined;
  }

  read(data: string): ModelEvent[] {
    if (data.trim() === "") return [];
    const chunk = parseJson(data);
    if (!isJsonObject(chunk)) throw this.#malformed("it holds an event that is not a JSON object");
    return this.#take(chunk, "delta");
  }

  readWhole(body: string): ModelEvent[] {
    const answer = parseJson(body);
    if (!isJsonObject(answer) && readRefusal(answer) === undefined)
      throw this.#malformed("it is cut, or not a JSON object");
    const events = this.#take(answer, "message");
    if (!this.#hasStarted)
      throw malformedError(this.#options.endpoint.provider, "it holds no choices", { retryable: false });
    this.#rawReason ??= "stop";
    return events;
  }

  end(): ModelEvent[] {
    const { provider } = this.#options.endpoint;
    if (this.#rawReason === undefined) throw cutError(provider);
    const details = this.#details.blocks.length > 0 ? this.#details.blocks : undefined;
    const providerData = keptReasoningToJson({
      provider,
      model: this.#modelId,
      field: this.#reasoningField,
      details,
      calls: this.#calls.extras,
    });
    return settleEnd({
      calls: this.#calls.calls,
      reason: finishReasons.get(this.#rawReason) ?? "other",
      rawReason: this.#rawReason,
      usage: this.#usage,
      providerData,
    });
  }

  #take(chunk: JsonValue | undefined, content: "delta" | "message"): ModelEvent[] {
    this.#throwError(chunk);
    if (!isJsonObject(chunk)) return [];
    const choice = this.#chooseFrom(chunk.choices);
    const usage = findUsage(chunk, choice);
    if (usage !== undefined) this.#usage = readUsage(usage);
    if (choice === undefined) return [];
    this.#hasStarted = true;
    const said = choice[content] ?? choice.delta ?? choice.message;
    const events = isJsonObject(said) ? this.#takeContent(said) : [];
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") this.#finish(choice.finish_reason);
    return events;
  }

  #takeContent(said: JsonObject): ModelEvent[] {
    const { text, thinking } = readContent(said.content);
    const refusal = textIn(said.refusal);
    const reasoning = this.#takeReasoning(said) + thinking;
    const events: ModelEvent[] = [];
    if (reasoning !== "") events.push({ type: "reasoning-delta", delta: reasoning });
    if (text + refusal !== "") events.push({ type: "text-delta", delta: text + refusal });
    if (said.tool_calls !== undefined && said.tool_calls !== null) {
      this.#calls.push(said.tool_calls);
      if (events.length === 0) events.push({ type: "progress" });
    }
    return events;
  }

  #takeReasoning(said: JsonObject): string {
    this.#details.push(said.reasoning_details);
    // Some servers send the same text under both names.
    const field = reasoningFields.find((name) => typeof said[name] === "string" && said[name] !== "");
    if (field !== undefined) this.#reasoningField = field;
    // DeepSeek wants the field back even where it was empty.
    else if (said.reasoning_content === "") this.#reasoningField ??= "reasoning_content";
    return field === undefined ? "" : String(said[field]);
  }

  /** Servers that were asked for one choice may still number it as they like. */
  #chooseFrom(choices: JsonValue | undefined): JsonObject | undefined {
    if (!Array.isArray(choices)) return undefined;
    const found = choices
      .filter(isJsonObject)
      .find(({ index }) => this.#choice === undefined || (index ?? 0) === this.#choice);
    if (found !== undefined) this.#choice = typeof found.index === "number" ? found.index : 0;
    return found;
  }

  #throwError(chunk: JsonValue | undefined): void {
    const isError =
      Array.isArray(chunk) ||
      (isJsonObject(chunk) && (Boolean(chunk.error) || chunk.object === "error" || !("choices" in chunk)));
    const refusal = isError ? readRefusal(chunk) : undefined;
    if (refusal !== undefined) throw refusalError(refusal, this.#options.endpoint, this.#options);
  }

  #finish(rawReason: string): void {
    if (failedReasons.has(rawReason))
      throw refusalError({ message: `it stopped with ${rawReason}` }, this.#options.endpoint, this.#options);
    this.#rawReason = rawReason;
  }

  #malformed(what: string): Error {
    return malformedError(this.#options.endpoint.provider, what, { retryable: true });
  }
}

/** Reasons that are failures of the provider. */
const failedReasons = new Set(["error", "insufficient_system_resource"]);

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["end_turn", "stop"],
  ["eos", "stop"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content-filter"],
]);

/** Text, or a list of parts: Mistral's thinking is a part beside the text. */
function readContent(content: JsonValue | undefined): { text: string; thinking: string } {
  if (typeof content === "string") return { text: content, thinking: "" };
  if (!Array.isArray(content)) return { text: "", thinking: "" };
  const parts = content.filter(isJsonObject);
  const text = parts.map((part) => textIn(part.text)).join("");
  return { text, thinking: parts.map((part) => readContent(part.thinking).text).join("") };
}
