// What OpenAI's Responses API takes of a request:
// https://platform.openai.com/docs/api-reference/responses/create, https://developers.openai.com/api/docs/guides/reasoning;
// that reasoning needs what follows it: https://github.com/openai/openai-agents-python/issues/1660
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import {
  firstIn,
  isBlank,
  isCount,
  isFunctionName,
  isMediaAddress,
  isObjectList,
  isObjectSchema,
  isObjectText,
  unknownKey,
  validatorOf,
} from "./wire-fields.ts";

const known = [
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "store", "include"],
  ...["max_output_tokens", "reasoning", "temperature", "top_p", "text", "metadata", "service_tier", "truncation"],
  ...["prompt_cache_key", "safety_identifier"],
];

export const responsesProblem = validatorOf(known, [
  settingsProblem,
  (body) => toolsProblem(body.tools),
  (body) => inputProblem(body.input),
]);

/** Nothing is stored, so reasoning has to come sealed. */
function settingsProblem(body: JsonObject): string | undefined {
  const { model, stream, store, include, reasoning, max_output_tokens: most, instructions } = body;
  if (isBlank(model) || stream !== true || store !== false) return "model, stream or store is wrong";
  if (!isCount(most, 16)) return `${String(most)} tokens are too few`;
  if (instructions !== undefined && typeof instructions !== "string") return "instructions are no text";
  if (reasoning === undefined) return include === undefined ? undefined : "asks for the reasoning of a model without";
  if (!Array.isArray(include) || !include.includes("reasoning.encrypted_content")) return "reasoning is not sealed";
  if (!isJsonObject(reasoning)) return "reasoning is no object";
  const { effort = "medium", summary = null } = reasoning;
  if (!["none", "minimal", "low", "medium", "high", "xhigh", "max"].includes(String(effort))) return "no such effort";
  return [null, "auto", "concise", "detailed"].includes(summary as string | null) ? undefined : "no such summary";
}

function toolsProblem(tools: JsonValue | undefined): string | undefined {
  if (tools === undefined) return undefined;
  if (!isObjectList(tools)) return "tools is no list of objects";
  return firstIn(tools, ({ type, name, parameters, strict }) => {
    const isTool = type === "function" && isFunctionName(name);
    return isTool && isObjectSchema(parameters) && typeof strict === "boolean"
      ? undefined
      : `${String(name)} is no tool`;
  });
}

/** Each call has one output behind it, with nobody's words between them; reasoning is followed by what it led to. */
function inputProblem(input: JsonValue | undefined): string | undefined {
  if (!isObjectList(input) || input.length === 0) return "there is no input";
  const open = new Set<string>();
  const taken = new Set<string>();
  const problem = firstIn(input, (item, index) => {
    const id = String(item.call_id);
    if (item.type === "reasoning") return reasoningProblem(item, input[index + 1]);
    if (item.type === "function_call") {
      if (id.length === 0 || id.length > 64 || taken.has(id)) return `${id} is no new id`;
      taken.add(id);
      open.add(id);
      return isFunctionName(item.name) && isObjectText(item.arguments) ? undefined : `${id} is no call`;
    }
    if (item.type === "function_call_output")
      return open.delete(id) ? outputProblem(item.output) : `is the output of ${id}, which no call waits for`;
    if (item.type !== undefined && item.type !== "message") return `is a ${String(item.type)}`;
    if (item.role === "user") return open.size > 0 ? `stands before the outputs of ${[...open]}` : contentProblem(item);
    if (item.role !== "assistant") return `is the ${String(item.role)}'s`;
    return answerProblem(item);
  });
  if (problem !== undefined) return `item ${problem}`;
  return open.size > 0 ? `no outputs for ${[...open]}` : undefined;
}

function reasoningProblem(item: JsonObject, next: JsonObject | undefined): string | undefined {
  if (isBlank(item.id) || !isObjectList(item.summary)) return "is no reasoning";
  if (isBlank(item.encrypted_content)) return "is reasoning that nobody has stored";
  if (unknownKey(item, ["type", "id", "summary", "content", "encrypted_content"]) !== undefined) return "says too much";
  const isLedTo = next?.type === "reasoning" || next?.type === "function_call" || next?.role === "assistant";
  return isLedTo ? undefined : "is reasoning without the item that must follow it";
}

function answerProblem({ content, phase = "final_answer" }: JsonObject): string | undefined {
  if (!["commentary", "final_answer"].includes(String(phase))) return `is in the phase ${String(phase)}`;
  return typeof content === "string" && content !== "" ? undefined : "is an answer without text";
}

function contentProblem({ content }: JsonObject): string | undefined {
  return typeof content === "string" ? undefined : partsProblem(content);
}

function outputProblem(output: JsonValue | undefined): string | undefined {
  return typeof output === "string" ? undefined : partsProblem(output);
}

function partsProblem(parts: JsonValue | undefined): string | undefined {
  if (!isObjectList(parts) || parts.length === 0) return "is empty";
  return firstIn(parts, ({ type, text, image_url: url, detail = "auto" }) => {
    if (type === "input_text") return typeof text === "string" ? undefined : "a text is none";
    const isImage = type === "input_image" && ["auto", "low", "high", "original"].includes(String(detail));
    return isImage && isMediaAddress(url) ? undefined : `a ${String(type)}`;
  });
}
