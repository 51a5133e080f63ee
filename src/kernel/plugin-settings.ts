// Settings of plugins: `plugin_settings.<name>` of config.yml, checked against what the plugin declares, secrets told apart.
import { BubError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { nearestName } from "../base/near.ts";
import type { JsonSchema, StandardSchema } from "../base/schema.ts";
import { resolveReference } from "../base/schema-reference.ts";
import { jsonSchemaOf, yieldsJsonSchema } from "../tools/json-schema.ts";
import type { ArgumentIssue } from "../tools/tool.ts";
import { parameterNames, validateArguments } from "../tools/validate.ts";

/** The section of config.yml. */
export const section = "plugin_settings";

/** One setting as people are shown it. */
export interface PluginSetting {
  /** `plugin_settings.reader.site` */
  readonly name: string;
  /** Null when there is none; secrets as `***`. */
  readonly value: JsonValue;
  readonly source: "config.yml" | "default";
}

export interface ReadSettings {
  /** As the plugin gets them: coerced, checked, defaults filled in. */
  readonly own: object;
  readonly shown: readonly PluginSetting[];
  /** Values that nobody may see. */
  readonly secrets: readonly string[];
}

/**
 * Reads the settings of one plugin.
 * @throws BubError `config`: one sentence that names each key which is missing, unknown or does not fit
 */
export async function readPluginSettings(
  plugin: string,
  input: StandardSchema | JsonSchema,
  config: JsonObject,
): Promise<ReadSettings> {
  if (!yieldsJsonSchema(input)) throw new BubError("config", "its settings schema gives no JSON Schema.");
  const schema = jsonSchemaOf(input);
  const given = sectionOf(plugin, config);
  const place = `${section}.${plugin}`;
  const validated = await validateArguments(given, { input, parameters: schema });
  if (!validated.ok) {
    const sentence = validated.issues.map((issue) => renderIssue(issue, place, schema)).join("; ");
    throw new BubError("config", sentence.endsWith("?") ? sentence : `${sentence}.`);
  }
  const names = [...new Set([...parameterNames(schema), ...Object.keys(given)])];
  return {
    own: withDefaults(validated.args, schema, schema),
    shown: names.map((name) => shownSetting(name, { place, given, schema })),
    secrets: secretsOf(given, schema, schema),
  };
}

const notSections = `${section} in config.yml must hold a section for each plugin.`;

/** Sections whose plugin is not there, where another one's name is near. */
export function misspelledSections(config: JsonObject, plugins: readonly string[]): string[] {
  const given = config[section];
  if (given !== undefined && !isJsonObject(given)) return [notSections];
  const sections = Object.keys(given ?? {});
  const unknown = sections.filter((name) => !plugins.includes(name));
  return unknown.flatMap((name) => {
    const near = nearestName(name, plugins);
    return near === undefined
      ? []
      : [`${section}.${name} in config.yml belongs to no plugin that is loaded; did you mean ${near}?`];
  });
}

function sectionOf(plugin: string, config: JsonObject): JsonObject {
  const all = config[section] ?? {};
  if (!isJsonObject(all)) throw new BubError("config", notSections);
  const own = all[plugin] ?? {};
  if (isJsonObject(own)) return own;
  throw new BubError("config", `${section}.${plugin} in config.yml must hold keys and values.`);
}

function renderIssue({ path, message }: ArgumentIssue, place: string, schema: JsonSchema): string {
  const key = `${path === "" ? place : `${place}.${path}`} in config.yml`;
  if (message === "is required") return `${key} is required`;
  if (message.startsWith("unknown parameter; ")) {
    return `${key} is no setting of the plugin; ${message.slice("unknown parameter; ".length)}`;
  }
  // Validators quote the value.
  const isHidden = path !== "" && isSecretPath(path.split("."), schema, schema);
  return `${key} does not fit: ${isHidden ? "what it must be is in the plugin's documentation" : message.replace(/\.$/, "")}`;
}

interface Shown {
  readonly place: string;
  readonly given: JsonObject;
  readonly schema: JsonSchema;
}

function shownSetting(name: string, { place, given, schema }: Shown): PluginSetting {
  const own = propertyOf(schema, name);
  const isGiven = Object.hasOwn(given, name);
  const value = (isGiven ? given[name] : resolved(own, schema).default) ?? null;
  return { name: `${place}.${name}`, value: masked(value, own, schema), source: isGiven ? "config.yml" : "default" };
}

function masked(value: JsonValue, given: JsonValue | undefined, root: JsonSchema): JsonValue {
  if (value === null || value === "") return value;
  if (isSecret(given, root)) return "***";
  const schema = resolved(given, root);
  if (Array.isArray(value)) return value.map((item) => masked(item, schema.items, root));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, masked(inner ?? null, propertyOf(schema, name), root)]),
  );
}

function secretsOf(value: JsonValue, given: JsonValue | undefined, root: JsonSchema): string[] {
  if (isSecret(given, root)) return textsOf(value);
  const schema = resolved(given, root);
  if (Array.isArray(value)) return value.flatMap((item) => secretsOf(item, schema.items, root));
  if (!isJsonObject(value)) return [];
  const entries = Object.entries(value);
  return entries.flatMap(([name, inner]) => secretsOf(inner ?? null, propertyOf(schema, name), root));
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap((inner) => textsOf(inner ?? null));
}

function isSecretPath([name, ...rest]: readonly string[], given: JsonValue | undefined, root: JsonSchema): boolean {
  if (isSecret(given, root)) return true;
  if (name === undefined) return false;
  const schema = resolved(given, root);
  return isSecretPath(
    rest,
    /^\d+$/.test(name) ? (schema.items ?? propertyOf(schema, name)) : propertyOf(schema, name),
    root,
  );
}

/** Also where one way of writing it is secret. */
function isSecret(given: JsonValue | undefined, root: JsonSchema): boolean {
  const schema = resolved(given, root);
  const ways = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const isMarked = (isJsonObject(given) && given.writeOnly === true) || schema.writeOnly === true;
  return isMarked || schema.format === "password" || ways.some((way) => isSecret(way, root));
}

function resolved(given: JsonValue | undefined, root: JsonSchema): JsonSchema {
  return resolveReference(given, root) ?? {};
}

function propertyOf(schema: JsonSchema, name: string): JsonValue | undefined {
  const { properties, additionalProperties } = schema;
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

/** Plain JSON Schema only says what its defaults are; other schemas have filled them in by now. */
function withDefaults(value: JsonObject, schema: JsonSchema, root: JsonSchema): JsonObject {
  const filled = { ...value };
  for (const name of parameterNames(schema)) {
    const own = resolved(propertyOf(schema, name), root);
    if (filled[name] === undefined && own.default !== undefined) filled[name] = structuredClone(own.default);
    const inner = filled[name];
    if (isJsonObject(inner)) filled[name] = withDefaults(inner, own, root);
  }
  return filled;
}
