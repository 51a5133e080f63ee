// Reads arguments as leniently as models write them: only spellings change, never meanings.
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { JsonSchema } from "../base/schema.ts";
import { resolveReference } from "../base/schema-reference.ts";

/**
 * Arguments in the types that `schema` names: numeric text as numbers, `yes`, `off`, `1` and the like as booleans,
 * JSON text as arrays or objects, `null` left out where a parameter may be absent and has no other default.
 * A value that cannot be read so stays as it was, for validation to judge.
 */
export function coerceArguments(args: JsonObject, schema: JsonSchema): JsonObject {
  const coerced = coerce(args, schema, schema);
  return isJsonObject(coerced) ? coerced : args;
}

type Value = JsonValue | undefined;

function coerce(value: Value, given: Value, root: JsonSchema): Value {
  const schema = resolveReference(given, root);
  if (schema === undefined) return value;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  const whole = parts.reduce<Value>((current, part) => coerce(current, part, root), coerceTyped(value, schema, root));
  const branches = branchesOf(schema);
  return branches === undefined ? whole : coerceToBranch(whole, branches, root);
}

/** The first branch that the value fits as it is; else the first that it can be read as. */
function coerceToBranch(value: Value, branches: readonly JsonSchema[], root: JsonSchema): Value {
  const fitting = branches.find((branch) => fits(value, branch, root));
  if (fitting !== undefined) return coerce(value, fitting, root);
  for (const branch of branches) {
    const coerced = coerce(value, branch, root);
    if (coerced !== value && fits(coerced, branch, root)) return coerced;
  }
  return value;
}

function coerceTyped(value: Value, schema: JsonSchema, root: JsonSchema): Value {
  switch (typeOf(schema)) {
    case "number":
      return readNumber(value) ?? value;
    case "integer": {
      const number = readNumber(value);
      return Number.isInteger(number) ? number : value;
    }
    case "boolean":
      return readBoolean(value) ?? value;
    case "array": {
      const list = readJson(value, Array.isArray);
      return Array.isArray(list)
        ? list.map((item, index) => coerce(item, itemSchema(schema, index), root) ?? null)
        : value;
    }
    case "object": {
      const object = readJson(value, isJsonObject);
      return isJsonObject(object) ? coerceProperties(object, schema, root) : value;
    }
    default:
      return value;
  }
}

function coerceProperties(object: JsonObject, schema: JsonSchema, root: JsonSchema): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]): [string, Value][] => {
    const own = propertySchema(schema, name);
    if (value === null && isAbsentByNull(name, own, schema, root)) return [];
    return [[name, coerce(value, own, root)]];
  });
  return Object.fromEntries(entries);
}

/** `null` says "not given" where the parameter is optional, has no default of its own and takes no null. */
function isAbsentByNull(name: string, given: Value, schema: JsonSchema, root: JsonSchema): boolean {
  const own = resolveReference(given, root);
  const required = Array.isArray(schema.required) && schema.required.includes(name);
  if (own === undefined || required || fits(null, own, root)) return false;
  const fallback = (isJsonObject(given) ? given.default : undefined) ?? own.default ?? null;
  return fallback === null;
}

const booleanWords = new Map<string, boolean>([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

function readBoolean(value: Value): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return booleanWords.get(String(value).trim().toLowerCase());
}

function readNumber(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  // Digits that a double cannot hold would come out as another number.
  const exact = /^[+-]?\d+$/.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number);
  return exact ? number : undefined;
}

function readJson(value: Value, wanted: (value: unknown) => boolean): Value {
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  return wanted(parsed) ? parsed : value;
}

/** Whether a value has the types that a schema names, its parts too; limits and patterns are not looked at. */
function fits(value: Value, given: Value, root: JsonSchema): boolean {
  const schema = resolveReference(given, root);
  if (schema === undefined) return given !== false;
  const branches = branchesOf(schema);
  if (branches !== undefined && !branches.some((branch) => fits(value, branch, root))) return false;
  if ("const" in schema && schema.const !== value) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value as JsonValue)) return false;
  if (branches === undefined && !hasType(value, typeOf(schema))) return false;
  if (Array.isArray(value)) return value.every((item, index) => fits(item, itemSchema(schema, index), root));
  return !isJsonObject(value) || fitsProperties(value, schema, root);
}

function fitsProperties(value: JsonObject, schema: JsonSchema, root: JsonSchema): boolean {
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (!required.every((name) => Object.hasOwn(value, String(name)))) return false;
  return Object.entries(value).every(([name, item]) => fits(item, propertySchema(schema, name), root));
}

function hasType(value: Value, type: string | undefined): boolean {
  switch (type) {
    case undefined:
      return true;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function branchesOf(schema: JsonSchema): JsonSchema[] | undefined {
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return branches.filter(isJsonObject);
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return undefined;
}

function typeOf(schema: JsonSchema): string | undefined {
  if (typeof schema.type === "string") return schema.type;
  if ("const" in schema && schema.const !== null) return typeof schema.const;
  return isJsonObject(schema.properties) ? "object" : undefined;
}

function itemSchema(schema: JsonSchema, index: number): Value {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems[index] : undefined;
  return first ?? schema.items;
}

function propertySchema({ properties, additionalProperties }: JsonSchema, name: string): Value {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}
