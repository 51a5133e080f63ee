// Checks a call's arguments against the tool's schema and says in plain words what is wrong with them.
import type { OutputUnit, Validator } from "@cfworker/json-schema";
import { BubError, messageOf } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { nearestName } from "../base/near.ts";
import type { JsonSchema, StandardIssue, StandardSchema } from "../base/schema.ts";
import { beginningOf } from "../base/text-preview.ts";
import { coerceArguments } from "./coerce.ts";
import { isStandardSchema } from "./json-schema.ts";
import type { ArgumentIssue, Validated } from "./tool.ts";

export interface ArgumentSchema {
  /** What the tool brought. */
  readonly input: StandardSchema | JsonSchema;
  /** Its JSON Schema. */
  readonly parameters: JsonSchema;
}

/**
 * Coerces raw arguments and checks them.
 * @returns the arguments as `run` gets them, defaults filled in, or every issue found
 */
export async function validateArguments(raw: JsonObject, { input, parameters }: ArgumentSchema): Promise<Validated> {
  const unknown = unknownNames(raw, parameters);
  const known = Object.fromEntries(Object.entries(raw).filter(([name]) => !unknown.includes(name)));
  const args = coerceArguments(known, parameters);
  const names = [...missingNames(args, parameters), ...unknown.map((name) => describeUnknown(name, parameters))];
  const checked = isStandardSchema(input) ? await checkStandard(args, input) : await checkJsonSchema(args, input);
  const issues = [...names, ...checked.issues.filter(({ path }) => !names.some((issue) => issue.path === path))];
  return issues.length === 0 ? { ok: true, args: checked.args } : { ok: false, issues };
}

interface Checked {
  readonly args: JsonObject;
  readonly issues: readonly ArgumentIssue[];
}

function unknownNames(args: JsonObject, parameters: JsonSchema): string[] {
  const { additionalProperties, patternProperties, anyOf, oneOf, allOf } = parameters;
  const open = additionalProperties !== undefined && additionalProperties !== false;
  const namesElsewhere = patternProperties ?? anyOf ?? oneOf ?? allOf;
  if (open || namesElsewhere !== undefined) return [];
  return Object.keys(args).filter((name) => !parameterNames(parameters).includes(name));
}

function describeUnknown(name: string, parameters: JsonSchema): ArgumentIssue {
  const names = parameterNames(parameters);
  const near = nearestName(name, names);
  const known = names.length === 0 ? "there are none" : `known: ${names.join(", ")}`;
  return { path: name, message: `unknown parameter; ${near === undefined ? known : `did you mean ${near}?`}` };
}

function missingNames(args: JsonObject, { required }: JsonSchema): ArgumentIssue[] {
  const missing = (Array.isArray(required) ? required : []).map(String).filter((name) => !Object.hasOwn(args, name));
  return missing.map((path) => ({ path, message: "is required" }));
}

/** In the order in which positional values fill them. */
export function parameterNames({ properties }: JsonSchema): string[] {
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

async function checkStandard(args: JsonObject, schema: StandardSchema): Promise<Checked> {
  const result = await schema["~standard"].validate(args);
  if (result.issues === undefined) return { args: result.value as JsonObject, issues: [] };
  return { args, issues: result.issues.map((issue) => ({ path: pathOf(issue), message: plainWords(issue.message) })) };
}

function pathOf({ path = [] }: StandardIssue): string {
  return path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
}

async function checkJsonSchema(args: JsonObject, schema: JsonSchema): Promise<Checked> {
  const errors = await findErrors(args, schema);
  const issues = errors.filter(isInnermost).map(({ keyword, instanceLocation, error }) => ({
    path: dotted(instanceLocation),
    message: keyword === "false" ? "is not allowed" : plainWords(error),
  }));
  return { args, issues };
}

const validators = new WeakMap<JsonSchema, Validator>();

async function findErrors(args: JsonObject, schema: JsonSchema): Promise<OutputUnit[]> {
  const { Validator } = await import("@cfworker/json-schema");
  try {
    // It marks the schema's objects, and this one is the tool's.
    const validator = validators.get(schema) ?? new Validator(structuredClone(schema), "2020-12", false);
    validators.set(schema, validator);
    return validator.validate(args).errors;
  } catch (error) {
    throw new BubError("config", `the tool's parameter schema cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Each of these only says that something inside does not fit; the inside is reported too. */
const containerKeywords = new Set(["properties", "items", "prefixItems", "additionalProperties", "allOf", "$ref"]);

function isInnermost({ keyword, keywordLocation }: OutputUnit): boolean {
  // Missing parameters are found before, for every kind of schema.
  if (containerKeywords.has(keyword) || keywordLocation === "#/required") return false;
  // Why each branch of a choice does not fit is noise beside the fact that none does.
  return !/\/(anyOf|oneOf)\/\d/.test(keywordLocation);
}

/** `#/names/0` as `names.0`. */
function dotted(location: string): string {
  const parts = location.split("/").slice(1);
  return parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}

const longestMessage = 300;

function plainWords(message: string): string {
  // Validators quote the value that was refused, however long.
  const short = message.length > longestMessage ? `${beginningOf(message, longestMessage)}…` : message;
  return short
    .replace(/^Invalid integer: Received (.*)$/, "Expected integer but received $1")
    .replace(/^Invalid length: Expected !0 but received 0$/, "must not be empty")
    .replace(/^Invalid \w+: /, "")
    .replace(/^Instance type "(\w+)" is invalid. Expected "(.*)".$/, "Expected $2 but received $1");
}
