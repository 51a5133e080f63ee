// Makes tools: checks what can be checked when a tool is defined, and forgets its argument types for those who hold many.
import { BubError, messageOf } from "../base/errors.ts";
import { nearestName } from "../base/near.ts";
import type { JsonSchema, OutputOf, StandardSchema } from "../base/schema.ts";
import { jsonSchemaOf, yieldsJsonSchema } from "./json-schema.ts";
import type { Exposure, Rendered, Tool, ToolDefinition } from "./tool.ts";
import { validateArguments } from "./validate.ts";

const exposures: readonly Exposure[] = ["auto", "direct", "code", "command"];
const longestAlias = 64;
const fields: readonly (keyof ToolDefinition<JsonSchema, unknown>)[] = [
  "name",
  "description",
  "input",
  "output",
  "exposure",
  "deferred",
  "exclusive",
  "run",
  "render",
];

/** What other makers of tools call these fields, in lower case and without underscores. */
const namesElsewhere: ReadonlyMap<string, string> = new Map([
  ...["parameters", "inputschema", "schema", "arguments", "args"].map((name) => [name, "input"] as const),
  ...["outputschema", "returns"].map((name) => [name, "output"] as const),
  ...["execute", "handler", "call", "fn", "func"].map((name) => [name, "run"] as const),
]);

/**
 * A tool from its definition; the types of `run`'s arguments follow from `input`.
 * @throws BubError `config` naming the tool, for a field that seems to be misspelled, no `run`, a bad name, alias, exposure, deferral or input
 */
export function defineTool<Input extends StandardSchema | JsonSchema = JsonSchema, Output = unknown>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, description, output, exposure = "auto", deferred = false, exclusive = false } = definition;
  const input: StandardSchema | JsonSchema = definition.input ?? {};
  const alias = aliasOf(name);
  refuseMisspelledFields(name, { ...definition });
  checkDefinition(name, alias, { exposure, deferred, input, run: definition.run });
  let parameters: JsonSchema | undefined;
  return {
    name,
    alias,
    description,
    exposure,
    deferred,
    exclusive,
    output,
    get parameters() {
      parameters ??= readParameters(name, input);
      return parameters;
    },
    validate(args) {
      return validateArguments(args, { input, parameters: this.parameters });
    },
    async run(args, context) {
      return definition.run(args as OutputOf<Input>, context);
    },
    render: (value) => (definition.render === undefined ? renderValue(value) : definition.render(value as Output)),
  };
}

/** The model's name for a tool: every `.` as `_`. */
export function aliasOf(name: string): string {
  return name.replaceAll(".", "_");
}

/** The name inside `run_code`, where it must be an identifier. */
export function codeNameOf(tool: Pick<Tool, "alias">): string {
  return tool.alias.replaceAll("-", "_");
}

/** A value as text where its tool brings no `render`: strings as they are, nothing as nothing, else compact JSON. */
export function renderValue(value: unknown): Rendered {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

interface Checkable {
  exposure: Exposure;
  deferred: boolean;
  input: StandardSchema | JsonSchema;
  run: unknown;
}

/** What a definition has beside these is its own affair, unless one that it lacks was meant: its schema would be forgotten. */
function refuseMisspelledFields(name: string, definition: Readonly<Record<string, unknown>>): void {
  for (const field of Object.keys(definition)) {
    if (fields.some((known) => known === field)) continue;
    const meant = namesElsewhere.get(field.replaceAll("_", "").toLowerCase()) ?? nearestName(field, fields);
    if (meant === undefined || definition[meant] !== undefined) continue;
    throw new BubError("config", `tool '${name}' has the unknown field '${field}'; did you mean ${meant}?`, {
      hint: `A tool has ${fields.join(", ")}.`,
    });
  }
}

function checkDefinition(name: string, alias: string, { exposure, deferred, input, run }: Checkable): void {
  const fail = (what: string) => new BubError("config", `tool '${name}' ${what}`);
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) {
    throw fail("has a bad name: it takes letters, digits, '_', '.' and '-', and starts with a letter or '_'");
  }
  if (alias.length > longestAlias) {
    throw fail(`has a name of ${alias.length} characters; models take at most ${longestAlias}`);
  }
  if (typeof run !== "function") throw fail("has no function run");
  if (!exposures.includes(exposure)) {
    throw fail(`has the unknown exposure '${exposure}'; it is one of ${exposures.join(", ")}`);
  }
  if (deferred && (exposure === "code" || exposure === "command")) {
    throw fail(`cannot be deferred with exposure '${exposure}': only tools that the model calls itself can`);
  }
  if (!yieldsJsonSchema(input)) {
    throw fail(
      "has an input that gives no JSON Schema; give plain JSON Schema, valibot, or a schema with '~standard.jsonSchema'",
    );
  }
}

function readParameters(name: string, input: StandardSchema | JsonSchema): JsonSchema {
  try {
    return jsonSchemaOf(input);
  } catch (error) {
    throw new BubError("config", `tool '${name}' has an input that JSON Schema cannot express: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
