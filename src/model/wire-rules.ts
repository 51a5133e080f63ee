// What each provider's API refuses of a conversation, as far as its documentation says: the first thing wrong.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
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

/** Each call has one result, and they stand right behind it. */
const chat: Rule = ({ messages }) => {
  let waiting = new Set<string>();
  for (const [index, { role, tool_call_id: id, tool_calls: calls }] of objectsOf(messages).entries()) {
    if (role === "tool") {
      if (!waiting.delete(String(id)))
        return `message ${index} is the result of ${String(id)}, which no call waits for`;
      continue;
    }
    if (waiting.size > 0) return `message ${index} stands before the results of ${[...waiting].join(", ")}`;
    const ids = objectsOf(calls).map((call) => String(call.id));
    waiting = new Set(ids);
    if (waiting.size < ids.length) return `message ${index} has calls with one id`;
  }
  return missing(waiting);
};

/** Each call has one output behind it, with nobody's words between them; ids are short. */
const responses: Rule = ({ input }) => {
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
  return missing(open);
};

/** Sides alternate from the user's on, nothing is empty, results open the message after their calls, ids differ. */
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
    waiting = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    for (const id of waiting) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `${id} is no id`;
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
    const calls = list.filter((part) => isJsonObject(part.functionCall));
    if (calls.length > 0 && calls[0]?.thoughtSignature === undefined) return `content ${index} has an unsigned call`;
    waiting = namesIn(list, "functionCall");
  }
  return missing(new Set(waiting));
};

const rules: Readonly<Record<WireName, Rule>> = { chat, responses, anthropic, google };

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
