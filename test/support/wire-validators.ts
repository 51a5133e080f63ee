// What each provider's API refuses of a conversation, as far as its documentation says: the first thing wrong, or undefined.
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import { pairingProblem, type WireMessage } from "./chat-server.ts";

export type Validator = (body: JsonObject) => string | undefined;

/** Chat Completions: each call has one result, right behind it. */
export const chatProblem: Validator = ({ messages }) => pairingProblem(messages as unknown as WireMessage[]);

/** Messages: sides alternate from the user's on, nothing is empty, results open the message after their calls, ids differ. */
export const anthropicProblem: Validator = ({ messages }) => {
  const taken = new Set<string>();
  let waiting: string[] = [];
  for (const [index, { role, content }] of objectsOf(messages).entries()) {
    const blocks = objectsOf(content);
    if (role !== (index % 2 === 0 ? "user" : "assistant")) return `message ${index} is the ${String(role)}'s`;
    if (blocks.length === 0) return `message ${index} is empty`;
    if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === "")) return `a text is blank`;
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => String(block.tool_use_id));
    const leading = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
    if (role === "user" && (!leading || results.join() !== waiting.join()))
      return `message ${index} has the results of ${results.join()}, not of ${waiting.join()}`;
    waiting = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    for (const id of waiting) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `${id} is no id`;
      if (taken.has(id)) return `${id} is used twice`;
      taken.add(id);
    }
  }
  return waiting.length > 0 ? `no results for ${waiting.join()}` : undefined;
};

/** Responses: each call has one output behind it, with nobody's words between them; ids are short. */
export const responsesProblem: Validator = ({ input }) => {
  const open = new Set<string>();
  const taken = new Set<string>();
  for (const [index, item] of objectsOf(input).entries()) {
    const id = String(item.call_id);
    if (item.type === "function_call") {
      if (id.length > 64) return `${id} is too long`;
      if (taken.has(id)) return `${id} is used twice`;
      taken.add(id);
      open.add(id);
    } else if (item.type === "function_call_output") {
      if (!open.delete(id)) return `item ${index} is the output of ${id}, which no call waits for`;
    } else if (item.role === "user" && open.size > 0) return `item ${index} stands before the outputs of ${[...open]}`;
  }
  return open.size > 0 ? `no outputs for ${[...open]}` : undefined;
};

/** Gemini: sides alternate from the user's on, nothing is empty, as many responses as calls, of the same names in the same order. */
export const geminiProblem: Validator = ({ contents }) => {
  let waiting: string[] = [];
  for (const [index, { role, parts }] of objectsOf(contents).entries()) {
    const list = objectsOf(parts);
    if (role !== (index % 2 === 0 ? "user" : "model")) return `content ${index} is the ${String(role)}'s`;
    if (list.length === 0) return `content ${index} is empty`;
    if (list.some(({ text, thoughtSignature }) => typeof text === "string" && text.trim() === "" && !thoughtSignature))
      return "a text is blank";
    const responses = namesIn(list, "functionResponse");
    if (role === "user" && responses.join() !== waiting.join())
      return `content ${index} responds to ${responses.join()}, not to ${waiting.join()}`;
    const calls = list.filter((part) => isJsonObject(part.functionCall));
    if (calls.length > 0 && calls[0]?.thoughtSignature === undefined) return `content ${index} has an unsigned call`;
    waiting = namesIn(list, "functionCall");
  }
  return waiting.length > 0 ? `no responses for ${waiting.join()}` : undefined;
};

function namesIn(parts: readonly JsonObject[], key: string): string[] {
  return parts.flatMap((part) => {
    const value = part[key];
    return isJsonObject(value) ? [`${String(value.name)} ${String(value.id)}`] : [];
  });
}

function objectsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
