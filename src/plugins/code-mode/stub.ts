// A Python stub of tools: one async function each, typed from the tools' schemas.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { codeNameOf } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";

/** Valid Python 3.8; the same text for the same tools. */
export function buildStub(tools: readonly Tool[]): string {
  const results: string[] = [];
  const functions = tools.map((tool) => renderFunction(tool, results));
  return [
    "# The tools inside run_code: await tools.<name>(key=value).",
    "from typing import Any, Dict, List, Optional, TypedDict, Union",
    ...(results.length > 0 ? ["", ...results] : []),
    "",
    "class Tools:",
    ...(functions.length > 0 ? functions : ["    ..."]),
    "",
    "tools: Tools",
    "",
  ].join("\n");
}

function renderFunction(tool: Tool, results: string[]): string {
  const { parameters, description } = tool;
  const properties = isJsonObject(parameters.properties) ? Object.entries(parameters.properties) : [];
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const shown = properties.filter(([name]) => isName(name));
  const keywords = shown.map(([name, schema]) => renderParameter(name, schema ?? {}, required.includes(name)));
  // Names that Python does not take as keywords go through a dictionary.
  const others = shown.length < properties.length ? ["**others: Any"] : [];
  const star = keywords.length > 0 ? ["*"] : [];
  const signature = ["self", ...star, ...keywords, ...others].join(", ");
  const body = `        ${pythonText(description)}\n        ...`;
  return `    async def ${codeNameOf(tool)}(${signature}) -> ${resultType(tool, results)}:\n${body}`;
}

function renderParameter(name: string, schema: JsonValue, isRequired: boolean): string {
  const type = typeOf(schema);
  if (isRequired) return `${name}: ${type}`;
  const fallback = isJsonObject(schema) ? schema.default : undefined;
  if (fallback === undefined || fallback === null) return `${name}: Optional[${type}] = None`;
  return `${name}: ${type} = ${pythonValue(fallback)}`;
}

/** Objects with known keys get a dictionary type of their own. */
function resultType(tool: Tool, results: string[]): string {
  const { output } = tool;
  if (output === undefined) return "Any";
  if (output.type !== "object" || !isJsonObject(output.properties)) return typeOf(output);
  const name = `${codeNameOf(tool).replace(/(^|_)(\w)/g, (_, _line, letter: string) => letter.toUpperCase())}Result`;
  const keys = Object.entries(output.properties).map(([key, schema]) => `${pythonText(key)}: ${typeOf(schema ?? {})}`);
  results.push(`${name} = TypedDict(${pythonText(name)}, {${keys.join(", ")}}, total=False)`);
  return name;
}

function typeOf(schema: JsonValue): string {
  if (!isJsonObject(schema)) return "Any";
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return unionOf(branches.map(typeOf));
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })));
  return simpleType(schema);
}

function simpleType({ type, items }: JsonObject): string {
  switch (type) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "array":
      return `List[${typeOf(items ?? {})}]`;
    case "object":
      return "Dict[str, Any]";
    default:
      return "Any";
  }
}

function unionOf(types: readonly string[]): string {
  const different = [...new Set(types)];
  const [only] = different;
  return different.length === 1 && only !== undefined ? only : `Union[${different.join(", ")}]`;
}

/** JSON texts are Python texts, too. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

function pythonValue(value: JsonValue): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (isJsonObject(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${pythonText(key)}: ${pythonValue(one ?? null)}`);
    return `{${pairs.join(", ")}}`;
  }
  return JSON.stringify(value);
}

const reserved = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return self try while with yield".split(
    " ",
  ),
);

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !reserved.has(text);
}
