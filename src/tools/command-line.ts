// Text commands: words, `key=value` and positional values into a tool's arguments, and the usage line that explains them.
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { JsonSchema } from "../base/schema.ts";
import { resolveReference } from "../base/schema-reference.ts";
import type { ToolError } from "./render-error.ts";
import type { Tool } from "./tool.ts";
import { parameterNames } from "./validate.ts";

/** A command's first word, and the text after it. */
export function splitCommand(line: string): { name: string; rest: string } {
  const [, name = "", rest = ""] = /^[ \t\r\n]*([^ \t\r\n]*)[ \t\r\n]*([\s\S]*)$/.exec(line) ?? [];
  return { name, rest };
}

export interface CommandArguments {
  readonly arguments: JsonObject;
  /** Why the command cannot run; its message ends with the usage line. */
  readonly problem?: ToolError;
}

/**
 * Reads the text after a command's name as arguments of `tool`, and checks them.
 * `key=value` counts where the tool has a parameter `key`; every other word fills the next free parameter in order.
 */
export async function parseCommand(tool: Tool, text: string): Promise<CommandArguments> {
  const failed = (message: string): CommandArguments => {
    const error: ToolError = { kind: "invalid_input", message: `${message}\nusage: ${usageOf(tool)}` };
    return { arguments: {}, problem: error };
  };
  const words = splitWords(text);
  if (words === undefined) return failed(`${tool.name}: a quote is not closed`);
  const { args, left } = assign(words, tool.parameters);
  if (left !== undefined) return failed(`${tool.name}: unexpected argument '${left}'`);
  const validated = await tool.validate(args);
  if (validated.ok) return { arguments: args };
  const issues = validated.issues.map(({ path, message }) => `${path}: ${message}`);
  return { ...failed(`${tool.name}: ${issues.join("; ")}`), arguments: args };
}

/** `fs.read path [offset=0] [limit]`: required parameters plain, the others in brackets with their default. */
export function usageOf({ name, parameters }: Pick<Tool, "name" | "parameters">): string {
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const shown = parameterNames(parameters).map((key) => {
    if (required.includes(key)) return key;
    const fallback = propertyOf(parameters, key)?.default;
    return fallback === undefined || fallback === null ? `[${key}]` : `[${key}=${renderValue(fallback)}]`;
  });
  return [name, ...shown].join(" ");
}

/** The line, without prefix, that `parseCommand` reads as these arguments. */
export function renderCommand(name: string, args: JsonObject): string {
  const pairs = Object.entries(args).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${renderValue(value)}`],
  );
  return [name, ...pairs].join(" ");
}

const parts = /'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^ \t\r\n'"\\]+)|[ \t\r\n]+/gy;

/**
 * Splits text into words as a POSIX shell does, without expanding anything.
 * @returns undefined when a quote or a last backslash is left open
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const [part, single, double, escaped, plain] of text.matchAll(parts)) {
    end += part.length;
    const piece = single ?? unescaped(double) ?? (escaped === "\n" ? "" : escaped) ?? plain;
    if (piece !== undefined) word = (word ?? "") + piece;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (word !== undefined) words.push(word);
  return end === text.length ? words : undefined;
}

/** Between double quotes a backslash stands for itself except before these. */
function unescaped(text: string | undefined): string | undefined {
  return text?.replace(/\\([$`"\\\n])/g, (_, character: string) => (character === "\n" ? "" : character));
}

interface Assigned {
  readonly args: JsonObject;
  /** A word that no parameter is left for. */
  readonly left: string | undefined;
}

function assign(words: readonly string[], parameters: JsonSchema): Assigned {
  const names = parameterNames(parameters);
  const pairs = words.map((word) => pairOf(word, names));
  const free = names.filter((name) => !pairs.some(([key]) => key === name));
  const given = new Map<string, JsonValue>();
  for (const [key, text] of pairs) {
    const name = key ?? free.shift();
    if (name === undefined || given.has(name)) return { args: {}, left: text };
    given.set(name, readValue(text, propertyOf(parameters, name), parameters));
  }
  return { args: Object.fromEntries(given), left: undefined };
}

/** The parameter that a word names, if any, and the value's text. */
function pairOf(word: string, names: readonly string[]): [string | undefined, string] {
  const sign = word.indexOf("=");
  const key = word.slice(0, Math.max(0, sign));
  return names.includes(key) ? [key, word.slice(sign + 1)] : [undefined, word];
}

function propertyOf({ properties }: JsonSchema, name: string): JsonObject | undefined {
  const property = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(property) ? property : undefined;
}

function readValue(text: string, schema: JsonSchema | undefined, root: JsonSchema): JsonValue {
  const value = takesText(schema, root) ? text : parseJson(text);
  return value === undefined ? text : value;
}

function takesText(given: JsonValue | undefined, root: JsonSchema): boolean {
  const schema = resolveReference(given, root);
  if (schema === undefined) return false;
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return branches.some((branch) => takesText(branch, root));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.includes("string") || typeof schema.const === "string";
}

function renderValue(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
