// What a reference within a JSON Schema means: `#/$defs/name`.
import { isJsonObject, type JsonValue } from "./json.ts";
import type { JsonSchema } from "./schema.ts";

/** The schema behind `#/…` references; undefined for what says nothing (`true`, absent, a reference to nowhere). */
export function resolveReference(given: JsonValue | undefined, root: JsonSchema): JsonSchema | undefined {
  let schema = isJsonObject(given) ? given : undefined;
  // References may point at each other in a ring.
  for (let hops = 0; hops < 32 && typeof schema?.$ref === "string"; hops++) schema = referredSchema(schema, root);
  return schema;
}

/** What a schema's own reference means, which may be one that refers again; undefined without one, and for nowhere. */
export function referredSchema({ $ref: reference }: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const target = reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .reduce<JsonValue | undefined>((value, part) => memberOf(value, part), root);
  return isJsonObject(target) ? target : undefined;
}

function memberOf(value: JsonValue | undefined, part: string): JsonValue | undefined {
  const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A `%` that encodes nothing is only a sign. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
