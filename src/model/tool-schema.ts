// A tool's parameters as APIs take them: one object at the top, with properties, and no choice between shapes there.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { JsonSchema } from "../base/schema.ts";
import { referredSchema } from "../base/schema-reference.ts";

/**
 * The schema itself when it is such an object. Otherwise its shapes become one that takes what each of them takes: all
 * properties, required where every shape requires them. A call is still checked against the schema as it was written.
 */
export function objectSchemaOf(schema: JsonSchema): JsonObject {
  if (isPlain(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => !replaced.has(key));
  const { properties, required } = shapeOf(schema, schema, deepest);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...Object.fromEntries(kept),
  };
}

/** APIs refuse these at the top, and with one tool all of a request. */
const choices = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else", "$ref"] as const;
const replaced: ReadonlySet<string> = new Set([...choices, "type", "properties", "required"]);
/** References that go deeper go in circles. */
const deepest = 8;

interface Shape {
  readonly properties: ReadonlyMap<string, JsonValue>;
  readonly required: ReadonlySet<string>;
}

const nothing: Shape = { properties: new Map(), required: new Set() };

function isPlain(schema: JsonSchema): boolean {
  return (
    schema.type === "object" && isJsonObject(schema.properties) && choices.every((key) => schema[key] === undefined)
  );
}

function shapeOf(schema: JsonObject, root: JsonObject, depth: number): Shape {
  if (depth === 0) return nothing;
  const shapes = (list: JsonValue | undefined) =>
    (Array.isArray(list) ? list.filter(isJsonObject) : []).map((branch) => shapeOf(branch, root, depth - 1));
  const own = { properties: propertiesOf(schema), required: requiredOf(schema) };
  const target = referredSchema(schema, root);
  const referred = target === undefined ? [] : [shapeOf(target, root, depth - 1)];
  const either = [schema.anyOf, schema.oneOf].map(shapes).filter((list) => list.length > 0);
  return [own, ...referred, ...shapes(schema.allOf), ...either.map(oneOfThese)].reduce(bothOfThese, nothing);
}

function propertiesOf({ properties }: JsonObject): ReadonlyMap<string, JsonValue> {
  const given = isJsonObject(properties) ? Object.entries(properties) : [];
  return new Map(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function requiredOf({ required }: JsonObject): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
}

function oneOfThese(shapes: readonly Shape[]): Shape {
  const [first = nothing, ...others] = shapes;
  const required = [...first.required].filter((name) => others.every((shape) => shape.required.has(name)));
  return { properties: shapes.reduce(bothOfThese, nothing).properties, required: new Set(required) };
}

function bothOfThese(left: Shape, right: Shape): Shape {
  const properties = new Map(left.properties);
  for (const [name, value] of right.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? value : eitherValue(known, value));
  }
  return { properties, required: new Set([...left.required, ...right.required]) };
}

/** Inside a property a choice is allowed. */
function eitherValue(left: JsonValue, right: JsonValue): JsonValue {
  const values =
    isJsonObject(left) && Object.keys(left).join() === "anyOf" && Array.isArray(left.anyOf) ? left.anyOf : [left];
  if (values.some((value) => JSON.stringify(value) === JSON.stringify(right))) return left;
  return { anyOf: [...values, right] };
}
