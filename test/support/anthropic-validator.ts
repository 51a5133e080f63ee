// What Anthropic's API takes of a request:
// https://platform.claude.com/docs/en/api/messages, …/build-with-claude/thinking, …/prompt-caching, …/effort,
// …/vision and …/agents-and-tools/tool-use/handle-tool-calls;
// that nothing but text may stand in a failed result: https://github.com/vellum-ai/vellum-assistant/pull/18387,
// that thinking may not come last: https://github.com/tailcallhq/forgecode/issues/2107
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import {
  firstIn,
  isBlank,
  isCount,
  isFunctionName,
  isMediaAddress,
  isObjectList,
  isObjectSchema,
  objectsIn,
  validatorOf,
} from "./wire-fields.ts";

const known = [
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "thinking", "output_config"],
  ...["temperature", "top_p", "top_k", "stop_sequences", "metadata", "service_tier", "cache_control"],
];

export const anthropicProblem = validatorOf(known, [
  settingsProblem,
  (body) => toolsProblem(body.tools),
  (body) => messagesProblem(body.messages),
  thinkingProblem,
  marksProblem,
]);

function settingsProblem(body: JsonObject): string | undefined {
  const { model, max_tokens: most, stream, system } = body;
  if (isBlank(model) || !isCount(most) || stream !== true) return "model, max_tokens or stream is wrong";
  if (system === undefined || !isBlank(system)) return undefined;
  const isText = isObjectList(system) && system.every(({ type, text }) => type === "text" && !isBlank(text));
  return isText ? undefined : "system holds something else than texts";
}

function toolsProblem(tools: JsonValue | undefined): string | undefined {
  if (tools === undefined) return undefined;
  if (!isObjectList(tools)) return "tools is no list of objects";
  if (new Set(tools.map(({ name }) => name)).size < tools.length) return "two tools have one name";
  return firstIn(tools, ({ name, description, input_schema: schema }) => {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)) || typeof description !== "string") return "tool without a name";
    return isObjectSchema(schema) ? undefined : `the schema of ${String(name)} is no object's`;
  });
}

/** Sides alternate from the user's on; a call's results open the message behind it. */
function messagesProblem(messages: JsonValue | undefined): string | undefined {
  if (!isObjectList(messages) || messages.length === 0) return "there are no messages";
  const taken = new Set<string>();
  let waiting: readonly string[] = [];
  const problem = firstIn(messages, ({ role, content }, index) => {
    if (role !== (index % 2 === 0 ? "user" : "assistant")) return `is the ${String(role)}'s`;
    if (!isObjectList(content) || content.length === 0) return "is empty";
    const wrong = role === "user" ? userProblem(content, waiting) : assistantProblem(content, taken);
    waiting = content.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    return wrong;
  });
  if (problem !== undefined) return `message ${problem}`;
  return waiting.length > 0 ? `no results for ${waiting.join()}` : undefined;
}

function userProblem(content: readonly JsonObject[], waiting: readonly string[]): string | undefined {
  const results = content.filter(({ type }) => type === "tool_result");
  if (!content.slice(0, results.length).every(({ type }) => type === "tool_result")) return "has words before results";
  const ids = results.map(({ tool_use_id: id }) => String(id));
  if ([...ids].sort().join() !== [...waiting].sort().join()) return `has the results of ${ids}, not of ${waiting}`;
  return firstIn(content, (block) => (block.type === "tool_result" ? resultProblem(block) : partProblem(block)));
}

function resultProblem({ content, is_error: isError }: JsonObject): string | undefined {
  if (content === undefined || typeof content === "string") return undefined;
  if (!isObjectList(content)) return "the result is no list of blocks";
  if (isError === true && content.some(({ type }) => type !== "text")) return "a failed result holds more than text";
  return firstIn(content, partProblem);
}

function partProblem({ type, text, source }: JsonObject): string | undefined {
  if (type === "text") return isBlank(text) ? "a text is blank" : undefined;
  if (type !== "image" || !isJsonObject(source)) return `a ${String(type)} stands on the user's side`;
  if (source.type === "url") return isMediaAddress(source.url) ? undefined : "the image's address is none";
  const isKnown = /^image\/(jpeg|png|gif|webp)$/.test(String(source.media_type)) && !isBlank(source.data);
  return source.type === "base64" && isKnown ? undefined : "the image is none of the four types, or empty";
}

function assistantProblem(content: readonly JsonObject[], taken: Set<string>): string | undefined {
  if (isThinking(content.at(-1))) return "ends with thinking";
  return firstIn(content, ({ type, text, id, name, input, thinking, signature, data }) => {
    if (type === "text") return isBlank(text) ? "a text is blank" : undefined;
    if (type === "thinking")
      return typeof thinking === "string" && !isBlank(signature) ? undefined : "thinking without a signature";
    if (type === "redacted_thinking") return isBlank(data) ? "redacted thinking without data" : undefined;
    if (type !== "tool_use") return `a ${String(type)} stands on the assistant's side`;
    if (!/^[a-zA-Z0-9_-]+$/.test(String(id)) || !isFunctionName(name) || !isJsonObject(input))
      return `${String(id)} is no call`;
    if (taken.has(String(id))) return `${String(id)} is used twice`;
    taken.add(String(id));
    return undefined;
  });
}

/** A budget is below the limit; with one, an answer that still goes on begins with thinking. */
function thinkingProblem({ thinking, max_tokens: most, temperature, messages, output_config: output }: JsonObject) {
  const effort = isJsonObject(output) ? String(output.effort) : "high";
  if (!["low", "medium", "high", "xhigh", "max"].includes(effort)) return `there is no effort ${effort}`;
  if (!isJsonObject(thinking)) return undefined;
  if (temperature !== undefined && temperature !== 1) return "a temperature beside thinking";
  if (thinking.type === "adaptive")
    return [undefined, "summarized", "omitted"].includes(thinking.display as string) ? undefined : "no such display";
  if (thinking.type !== "enabled") return thinking.type === "disabled" ? undefined : "no such thinking";
  const { budget_tokens: budget } = thinking;
  if (!isCount(budget, 1024) || budget >= Number(most))
    return `the budget ${String(budget)} is not below ${String(most)}`;
  const last = objectsIn(messages).findLast(({ role }) => role === "assistant");
  const blocks = objectsIn(last?.content);
  const goesOn = blocks.some(({ type }) => type === "tool_use");
  return goesOn && !isThinking(blocks[0]) ? "the answer that goes on does not begin with thinking" : undefined;
}

function isThinking(block: JsonObject | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** At most four marks, none on thinking. */
function marksProblem({ system, tools, messages, cache_control: own }: JsonObject): string | undefined {
  const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content));
  const inner = blocks.flatMap(({ content }) => objectsIn(content));
  if (blocks.some((block) => isThinking(block) && block.cache_control !== undefined)) return "a mark on thinking";
  const marks = [...objectsIn(tools), ...objectsIn(system), ...blocks, ...inner]
    .map(({ cache_control: mark }) => mark)
    .concat(own)
    .filter((mark) => mark !== undefined);
  if (marks.length > 4) return `${marks.length} marks for the cache`;
  return marks.every((mark) => isJsonObject(mark) && mark.type === "ephemeral") ? undefined : "a mark is none";
}
