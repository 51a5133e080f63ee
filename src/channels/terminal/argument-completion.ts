// What can follow in a text command: names of its parameters, and the values that its schema names.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { JsonSchema } from "../../base/schema.ts";
import { resolveReference } from "../../base/schema-reference.ts";
import type { Suggestion } from "../../kernel/hooks.ts";
import { splitWords } from "../../tools/command-line.ts";
import type { Tool } from "../../tools/tool.ts";
import { parameterNames } from "../../tools/validate.ts";

export interface TypedArgument {
  /** The word at the cursor. */
  readonly typed: string;
  /** The parameter that its value is for; undefined when none is left. */
  readonly parameter: string | undefined;
  /** Parameters that nothing was given for. */
  readonly free: readonly string[];
}

/** @param text all that stands behind the command's name; undefined when a quote is open in it */
export function argumentOf({ parameters }: Pick<Tool, "parameters">, text: string): TypedArgument | undefined {
  const typed = /[^ \t]*$/.exec(text)?.[0] ?? "";
  const words = splitWords(text.slice(0, text.length - typed.length));
  if (words === undefined) return undefined;
  const names = parameterNames(parameters);
  const named = (word: string) => names.find((name) => word.startsWith(`${name}=`));
  const given = new Set(words.map(named));
  const positional = words.filter((word) => named(word) === undefined).length;
  const free = names.filter((name) => !given.has(name)).slice(positional);
  return { typed, parameter: named(typed) ?? free[0], free };
}

/** @param values what is known of the parameter's values beside its schema */
export function argumentSuggestions(
  { parameters }: Pick<Tool, "parameters">,
  { typed, parameter, free }: TypedArgument,
  values: readonly Suggestion[],
): Suggestion[] {
  const schema = (name: string) => propertyOf(parameters, name);
  const isNamed = parameter !== undefined && typed.startsWith(`${parameter}=`);
  const own: Suggestion[] =
    parameter === undefined ? [] : valuesOf(schema(parameter), parameters).map((value) => ({ value }));
  const all = [...own, ...values].map(({ value, description }) => ({
    value: `${isNamed ? `${parameter}=` : ""}${quoted(value)}`,
    ...(description !== undefined && { description }),
  }));
  if (isNamed) return all;
  const names = free.map((name) => ({ value: `${name}=`, ...descriptionOf(schema(name)) }));
  return [...all, ...names];
}

/** The values that a schema allows, when it names them all. */
function valuesOf(given: JsonValue | undefined, root: JsonSchema): string[] {
  const schema = resolveReference(given, root);
  if (schema === undefined) return [];
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return branches.flatMap((branch) => valuesOf(branch, root));
  if (Array.isArray(schema.enum)) return schema.enum.map(textOf);
  if (schema.const !== undefined) return [textOf(schema.const)];
  return schema.type === "boolean" ? ["true", "false"] : [];
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function propertyOf({ properties }: JsonSchema, name: string): JsonObject | undefined {
  const property = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(property) ? property : undefined;
}

function descriptionOf(schema: JsonObject | undefined): Pick<Suggestion, "description"> {
  return typeof schema?.description === "string" ? { description: schema.description } : {};
}

/** A path whose quote is still open stays as it is. */
function quoted(value: string): string {
  return value.startsWith('"') || /^[^\s'"\\]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
