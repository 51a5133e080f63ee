// Turns whatever schema a tool brings into one plain JSON Schema with stable bytes.
import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { isJsonObject } from "../base/json.ts";
import type { JsonSchema, StandardSchema } from "../base/schema.ts";
import { resolveReference } from "../base/schema-reference.ts";

/** True when JSON Schema can be had from it: plain JSON Schema, valibot, or a vendor with `~standard.jsonSchema`. */
export function yieldsJsonSchema(schema: StandardSchema | JsonSchema): boolean {
  if (!isStandardSchema(schema)) return true;
  const standard = schema["~standard"];
  return standard.vendor === "valibot" || typeof standard.jsonSchema?.input === "function";
}

/**
 * The JSON Schema of what a tool accepts: one object schema, keywords in a fixed order, properties as written.
 * @throws whatever the vendor throws for a schema that JSON Schema cannot express
 */
export function jsonSchemaOf(schema: StandardSchema | JsonSchema): JsonSchema {
  const whole = normalSchema(isStandardSchema(schema) ? convert(schema) : schema);
  // A recursive schema stands among its own definitions; models want the object itself.
  const { $ref, ...normal } = typeof whole.$ref === "string" ? { ...whole, ...resolveReference(whole, whole) } : whole;
  // That unknown names are refused holds for every tool; saying it in each definition only costs tokens.
  if (normal.additionalProperties === false) delete normal.additionalProperties;
  return { ...normal, type: "object", properties: normal.properties ?? {} };
}

export function isStandardSchema(schema: StandardSchema | JsonSchema): schema is StandardSchema {
  // Some vendors' schemas are functions, so this is no check for plain objects.
  return "~standard" in schema;
}

type ValibotSchema = Parameters<typeof toJsonSchema>[0];

function convert(schema: StandardSchema): JsonObject {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema !== undefined) return jsonSchema.input({ target: "draft-2020-12" }) as JsonObject;
  if (vendor !== "valibot") throw new Error(`schemas of ${vendor} give no JSON Schema`);
  return toJsonSchema(schema as unknown as ValibotSchema, {
    target: "draft-2020-12",
    typeMode: "input",
    // Checks and transformations that JSON Schema has no word for are left to validation.
    overrideAction: ({ jsonSchema }) => jsonSchema,
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === "loose_object" ? { ...jsonSchema, additionalProperties: true } : undefined,
  }) as JsonObject;
}

const leadingKeywords = ["type", "description", "properties", "required", "items", "anyOf", "oneOf", "enum"];
const droppedKeywords = new Set(["$schema", "propertyNames"]);
const schemaKeywords = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains"]);
const schemaListKeywords = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemaMapKeywords = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function normalSchema(schema: JsonObject): JsonObject {
  const keywords = Object.keys(schema).filter(
    (keyword) => !droppedKeywords.has(keyword) && !isEmptyList(schema, keyword),
  );
  const ordered = keywords.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  return Object.fromEntries(ordered.map((keyword) => [keyword, normalKeyword(keyword, schema[keyword])]));
}

function normalKeyword(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  if (schemaKeywords.has(keyword)) return normalIfSchema(value);
  if (schemaListKeywords.has(keyword) && Array.isArray(value)) return value.map((item) => normalIfSchema(item) ?? item);
  if (schemaMapKeywords.has(keyword) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, normalIfSchema(schema)]));
  }
  return value;
}

function normalIfSchema(value: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(value) ? normalSchema(value) : value;
}

function isEmptyList(schema: JsonObject, keyword: string): boolean {
  const value = schema[keyword];
  return value === undefined || (keyword === "required" && Array.isArray(value) && value.length === 0);
}

function rank(keyword: string): number {
  const place = leadingKeywords.indexOf(keyword);
  return place < 0 ? leadingKeywords.length : place;
}
