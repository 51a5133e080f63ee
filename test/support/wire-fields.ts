// What the validators of all wire formats look at: fields of a body, and the first thing wrong with them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";

/** The first thing that a provider would refuse of a request's body; undefined when it would take it. */
export type Validator = (body: JsonObject) => string | undefined;

export function objectsIn(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** A list of objects and of nothing else. */
export function isObjectList(list: JsonValue | undefined): list is JsonObject[] {
  return Array.isArray(list) && list.every(isJsonObject);
}

/** The first key that the API does not know. */
export function unknownKey(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((key) => !known.includes(key));
}

/** Asks one after the other, about bodies with no other keys than those. */
export function validatorOf(known: readonly string[], checks: readonly Validator[]): Validator {
  return (body) => {
    const unknown = unknownKey(body, known);
    if (unknown !== undefined) return `${unknown} is unknown`;
    for (const check of checks) {
      const problem = check(body);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** The first problem of a list's elements, with where it is. */
export function firstIn<Element>(
  list: readonly Element[],
  check: (element: Element, index: number) => string | undefined,
): string | undefined {
  for (const [index, element] of list.entries()) {
    const problem = check(element, index);
    if (problem !== undefined) return `${index}: ${problem}`;
  }
  return undefined;
}

export function isBlank(text: JsonValue | undefined): boolean {
  return typeof text !== "string" || text.trim() === "";
}

/** Some base64, or the address of something that servers fetch themselves. */
export function isMediaAddress(url: JsonValue | undefined): boolean {
  return typeof url === "string" && (/^https?:\/\/./.test(url) || /^data:[a-z]+\/[\w.+-]+;base64,./.test(url));
}

/** The text of a JSON object. */
export function isObjectText(text: JsonValue | undefined): boolean {
  try {
    return typeof text === "string" && isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** What most APIs take for the name of a function. */
export function isFunctionName(name: JsonValue | undefined): boolean {
  return typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

/** One object, with no choice between shapes at the top. */
export function isObjectSchema(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema) || schema.type !== "object" || !isJsonObject(schema.properties)) return false;
  return ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"].every((key) => schema[key] === undefined);
}

export function isCount(value: JsonValue | undefined, least = 1): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least;
}
