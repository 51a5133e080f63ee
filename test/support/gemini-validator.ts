// What the Gemini API takes of a request:
// https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching#Content,
// https://ai.google.dev/gemini-api/docs/function-calling, …/thought-signatures and …/thinking
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import {
  firstIn,
  isBlank,
  isCount,
  isObjectList,
  isObjectSchema,
  objectsIn,
  unknownKey,
  validatorOf,
} from "./wire-fields.ts";

const known = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"];

export const geminiProblem = validatorOf(known, [
  settingsProblem,
  (body) => toolsProblem(body.tools),
  (body) => contentsProblem(body.contents),
]);

function settingsProblem(body: JsonObject): string | undefined {
  const { systemInstruction: system, generationConfig: config } = body;
  if (isJsonObject(system) && !objectsIn(system.parts).every(({ text }) => !isBlank(text))) return "system is blank";
  if (!isJsonObject(config) || !isCount(config.maxOutputTokens)) return "no limit of tokens";
  const { thinkingConfig: thinking } = config;
  if (thinking === undefined) return undefined;
  if (!isJsonObject(thinking) || unknownKey(thinking, ["includeThoughts", "thinkingBudget", "thinkingLevel"]))
    return "thinkingConfig is wrong";
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  if (budget !== undefined && level !== undefined) return "a level beside a budget";
  if (level !== undefined && !["minimal", "low", "medium", "high"].includes(String(level))) return "no such level";
  return budget === undefined || (isCount(budget, -1) && budget <= 32_768) ? undefined : "no such budget";
}

function toolsProblem(tools: JsonValue | undefined): string | undefined {
  return firstIn(objectsIn(tools), ({ functionDeclarations: declared }) => {
    if (!isObjectList(declared) || declared.length === 0) return "declares no functions";
    return firstIn(declared, ({ name, description, parameters, parametersJsonSchema: schema }) => {
      if (!isName(name) || isBlank(description)) return "no name or description";
      return isObjectSchema(schema) && parameters === undefined ? undefined : `${String(name)} has no schema, or two`;
    });
  });
}

/** Sides alternate from the user's on; a call's responses are the next words, as many and of the same names. */
function contentsProblem(contents: JsonValue | undefined): string | undefined {
  if (!isObjectList(contents) || contents.length === 0) return "there are no contents";
  let waiting: readonly string[] = [];
  const problem = firstIn(contents, ({ role, parts }, index) => {
    if (role !== (index % 2 === 0 ? "user" : "model")) return `is the ${String(role)}'s`;
    if (!isObjectList(parts) || parts.length === 0) return "is empty";
    const responses = namesIn(parts, "functionResponse");
    if (role === "user" && responses.join() !== waiting.join()) return `responds to ${responses}, not to ${waiting}`;
    waiting = namesIn(parts, "functionCall");
    const calls = parts.filter((part) => isJsonObject(part.functionCall));
    if (calls.length > 0 && isBlank(calls[0]?.thoughtSignature)) return "has a first call without a signature";
    return firstIn(parts, (part) => partProblem(part, role === "model"));
  });
  if (problem !== undefined) return `content ${problem}`;
  return waiting.length > 0 ? `no responses for ${waiting.join()}` : undefined;
}

const kinds = ["text", "inlineData", "functionCall", "functionResponse"];

function partProblem(part: JsonObject, isModels: boolean): string | undefined {
  const { text, inlineData, functionCall: call, functionResponse: response, thoughtSignature: signature } = part;
  if (unknownKey(part, [...kinds, "thought", "thoughtSignature"]) !== undefined) return "a part with an unknown key";
  if (kinds.filter((kind) => part[kind] !== undefined).length !== 1) return "a part of no kind, or of two";
  if (!isModels && signature !== undefined) return "a signature of the user's";
  if (text !== undefined) return isBlank(text) && isBlank(signature) ? "a text is blank" : undefined;
  if (inlineData !== undefined) return isModels ? "media of the model's" : mediaProblem(inlineData);
  if (call !== undefined)
    return isModels && isJsonObject(call) && isName(call.name) && isJsonObject(call.args) ? undefined : "no call";
  if (isModels || !isJsonObject(response) || !isJsonObject(response.response)) return "no response";
  return firstIn(objectsIn(response.parts), ({ inlineData: data }) => {
    const isTaken = isJsonObject(data) && /^image\/(png|jpeg|webp)$|^application\/pdf$/.test(String(data.mimeType));
    return isTaken && !isBlank(data.data) ? undefined : "media that no response takes";
  });
}

function isName(name: JsonValue | undefined): boolean {
  return typeof name === "string" && /^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$/.test(name);
}

function mediaProblem(data: JsonValue): string | undefined {
  const types = /^image\/(png|jpeg|webp|hei[cf])$|^(audio|video)\/[\w.+-]+$/;
  const isMedia = isJsonObject(data) && types.test(String(data.mimeType));
  return isMedia && !isBlank(data.data) ? undefined : "media without type or data";
}

function namesIn(parts: readonly JsonObject[], key: string): string[] {
  return parts.flatMap((part) => {
    const value = part[key];
    return isJsonObject(value) ? [`${String(value.name)} ${String(value.id)}`] : [];
  });
}
