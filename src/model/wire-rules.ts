// What each provider's API refuses of a conversation, as far as its documentation says: the first thing wrong.
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { WireName } from "./endpoint.ts";

/** Why the request would be refused, as the end of a sentence; undefined when nothing is wrong with it. */
export function refusalOf(wire: WireName, body: JsonObject): string | undefined {
  return rules[wire](body);
}

/** Most bytes of a request's body, where a provider says so. */
export const mostRequestBytes: Readonly<Partial<Record<WireName, number>>> = {
  anthropic: 32 * 1024 * 1024,
  google: 20 * 1024 * 1024,
};

type Rule = (body: JsonObject) => string | undefined;

/** Each call has one result in words, and they stand right behind it; an answer says or calls something. */
const chat: Rule = ({ messages }) => {
  let waiting = new Set<string>();
  for (const [index, { role, content, tool_call_id: id, tool_calls: calls }] of objectsOf(messages).entries()) {
    if (role === "tool") {
      if (!waiting.delete(String(id)))
        return `message ${index} is the result of ${String(id)}, which no call waits for`;
      if (typeof content !== "string") return `message ${index} is a result of something else than text`;
      continue;
    }
    if (waiting.size > 0) return `message ${index} stands before the results of ${[...waiting].join(", ")}`;
    const made = objectsOf(calls);
    if (role === "assistant" && typeof content !== "string" && made.length === 0)
      return `message ${index} says and calls nothing`;
    waiting = new Set(made.map((call) => String(call.id)));
    if (waiting.size < made.length) return `message ${index} has calls with one id`;
    for (const { id: callId, function: called } of made) {
      const isCall = isText(callId) && isJsonObject(called) && isFunctionName(called.name);
      if (!isCall || !isObjectText(called.arguments)) return `${String(callId)} is no call`;
    }
  }
  return missing(waiting);
};

/** Each call has one output behind it, with nobody's words between them; ids are short; reasoning has what it led to behind it. */
const responses: Rule = ({ input }) => {
  const open = new Set<string>();
  const taken = new Set<string>();
  const items = objectsOf(input);
  for (const [index, item] of items.entries()) {
    const id = String(item.call_id);
    if (item.type === "reasoning") {
      if (!isText(item.encrypted_content)) return `item ${index} is reasoning that nobody has stored`;
      const next = items[index + 1];
      if (next?.type !== "reasoning" && next?.type !== "function_call" && next?.role !== "assistant")
        return `item ${index} is reasoning without the item that it led to`;
    } else if (item.type === "function_call") {
      if (id.length > 64) return `${id} is too long`;
      if (taken.has(id)) return `${id} is used twice`;
      if (!isText(item.call_id) || !isFunctionName(item.name) || !isObjectText(item.arguments))
        return `${id} is no call`;
      taken.add(id);
      open.add(id);
    } else if (item.role === "assistant") {
      if (item.content === "") return `item ${index} is an answer without text`;
    } else if (item.type === "function_call_output") {
      if (!open.delete(id)) return `item ${index} is the output of ${id}, which no call waits for`;
    } else if (item.role === "user" && open.size > 0) return `item ${index} stands before the outputs of ${[...open]}`;
  }
  return missing(open);
};

/**
 * Sides alternate from the user's on, nothing is empty, results open the message after their calls, ids differ; thinking is
 * signed and does not come last, a failed result is text.
 */
const anthropic: Rule = ({ messages }) => {
  const taken = new Set<string>();
  let waiting: string[] = [];
  for (const [index, { role, content }] of objectsOf(messages).entries()) {
    const blocks = objectsOf(content);
    if (role !== (index % 2 === 0 ? "user" : "assistant")) return `message ${index} is the ${String(role)}'s`;
    if (blocks.length === 0) return `message ${index} is empty`;
    if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === "")) return "a text is blank";
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => String(block.tool_use_id));
    const leading = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
    if (role === "user" && (!leading || results.join() !== waiting.join()))
      return `message ${index} has the results of ${results.join()}, not of ${waiting.join()}`;
    if (blocks.some(({ type, signature }) => type === "thinking" && !isText(signature)))
      return `message ${index} has thinking without a signature`;
    if (blocks.some(({ type, data }) => type === "redacted_thinking" && !isText(data)))
      return `message ${index} has redacted thinking without data`;
    if (/^(redacted_)?thinking$/.test(String(blocks.at(-1)?.type))) return `message ${index} ends with thinking`;
    const failed = blocks.filter(({ type, is_error: isError }) => type === "tool_result" && isError === true);
    if (failed.some((block) => objectsOf(block.content).some(({ type }) => type !== "text")))
      return `message ${index} has a failed result of more than text`;
    const image = [...blocks, ...blocks.flatMap((block) => objectsOf(block.content))].find(isWrongImage);
    if (image !== undefined) return `message ${index} has an image of none of the four types, or an empty one`;
    const calls = blocks.filter(({ type }) => type === "tool_use");
    waiting = calls.map(({ id }) => String(id));
    for (const { id: given, name, input } of calls) {
      const id = String(given);
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `${id} is no id`;
      if (!isFunctionName(name) || !isJsonObject(input)) return `${id} is no call`;
      if (taken.has(id)) return `${id} is used twice`;
      taken.add(id);
    }
  }
  return missing(new Set(waiting));
};

/** Sides alternate from the user's on, nothing is empty, as many responses as calls, of the same names in the same order. */
const google: Rule = ({ contents }) => {
  let waiting: string[] = [];
  for (const [index, { role, parts }] of objectsOf(contents).entries()) {
    const list = objectsOf(parts);
    if (role !== (index % 2 === 0 ? "user" : "model")) return `content ${index} is the ${String(role)}'s`;
    if (list.length === 0) return `content ${index} is empty`;
    if (list.some(({ text, thoughtSignature }) => typeof text === "string" && text.trim() === "" && !thoughtSignature))
      return "a text is blank";
    const given = namesIn(list, "functionResponse");
    if (role === "user" && given.join() !== waiting.join())
      return `content ${index} responds to ${given.join()}, not to ${waiting.join()}`;
    if (list.some((part) => isOddGooglePart(part)))
      return `content ${index} has a part that says nothing, or is no call`;
    const calls = list.filter((part) => isJsonObject(part.functionCall));
    if (calls.length > 0 && calls[0]?.thoughtSignature === undefined) return `content ${index} has an unsigned call`;
    waiting = namesIn(list, "functionCall");
  }
  return missing(new Set(waiting));
};

const rules: Readonly<Record<WireName, Rule>> = { chat, responses, anthropic, google };

/** Base64 of one of four types; an address says nothing of its type. */
function isWrongImage({ type, source }: JsonObject): boolean {
  if (type !== "image" || !isJsonObject(source) || source.type !== "base64") return false;
  return !/^image\/(jpeg|png|gif|webp)$/.test(String(source.media_type)) || !isText(source.data);
}

function isOddGooglePart({ text, inlineData, functionCall: call, functionResponse: response }: JsonObject): boolean {
  if (isJsonObject(call)) return !isGoogleName(call.name) || !isJsonObject(call.args);
  if (isJsonObject(response)) return !isGoogleName(response.name) || !isJsonObject(response.response);
  if (isJsonObject(inlineData)) return !isText(inlineData.data) || !isText(inlineData.mimeType);
  return typeof text !== "string";
}

function isGoogleName(name: JsonValue | undefined): boolean {
  return typeof name === "string" && /^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$/.test(name);
}

/** What most APIs take for the name of a function. */
function isFunctionName(name: JsonValue | undefined): boolean {
  return typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function isObjectText(text: JsonValue | undefined): boolean {
  return typeof text === "string" && isJsonObject(parseJson(text));
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function missing(waiting: ReadonlySet<string>): string | undefined {
  return waiting.size > 0 ? `there is no result for ${[...waiting].join(", ")}` : undefined;
}

function namesIn(parts: readonly JsonObject[], key: string): string[] {
  return parts.flatMap((part) => {
    const value = part[key];
    return isJsonObject(value) ? [`${String(value.name)} ${String(value.id)}`] : [];
  });
}

function objectsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
