// Reads one SKILL.md: YAML front matter and a body, in the format of agentskills.io.
import { messageOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

export interface SkillFile {
  readonly name: string;
  /** On one line. */
  readonly description: string;
  /** What follows the front matter, without blank lines around it. */
  readonly body: string;
}

export interface ParsedSkill {
  /** Undefined when it cannot be used. */
  readonly skill: SkillFile | undefined;
  /** What is wrong: each the rest of a sentence that begins with the file. */
  readonly problems: readonly string[];
}

const longestName = 64;
const longestDescription = 1024;
const longestCompatibility = 500;

/** @param folder the name of the directory that it lies in; the skill must be called the same */
export async function parseSkill(text: string, folder: string): Promise<ParsedSkill> {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n([\s\S]*))?$/m.exec(text);
  if (parts === null || parts.index > 0) return unusable("has no front matter between two lines of ---");
  const [, head = "", rest = ""] = parts;
  try {
    const fields = await parseYaml(head);
    if (!isJsonObject(fields)) return unusable("has a front matter that is no list of `key: value` lines");
    return checkFields(fields, folder, rest.trim());
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    return unusable(`has a front matter that is not valid YAML: ${reason}`);
  }
}

function unusable(...problems: string[]): ParsedSkill {
  return { skill: undefined, problems };
}

async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  const options = { logLevel: "error" } as const;
  try {
    return parse(text, options);
  } catch (error) {
    // Other agents take `description: Use when: …` as it is meant, and skills are written for them, too.
    const quoted = text.replace(/^([\w-]+):[ \t]+([^\s"'[{|>&*!#].*:[ \t].*?)[ \t]*\r?$/gm, quoteValue);
    if (quoted === text) throw error;
    return parse(quoted, options);
  }
}

function quoteValue(_line: string, key: string, value: string): string {
  return `${key}: ${JSON.stringify(value)}`;
}

function checkFields(fields: JsonObject, folder: string, body: string): ParsedSkill {
  const { description } = fields;
  // YAML takes a name of digits for a number.
  const name = typeof fields.name === "number" ? String(fields.name) : fields.name;
  const problems = [nameProblem(name, folder), descriptionProblem(description)].filter((text) => text !== undefined);
  if (problems.length > 0) return unusable(...problems);
  const oneLine = String(description).trim().replace(/\s+/g, " ");
  return { skill: { name: String(name), description: oneLine, body }, problems: optionalProblems(fields) };
}

function nameProblem(name: unknown, folder: string): string | undefined {
  if (typeof name !== "string") return "has no name in its front matter";
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    return `has the name "${name}", which must be lower-case letters and digits, in words joined by '-'`;
  if (name.length > longestName) return `has a name of ${name.length} characters; ${longestName} are allowed`;
  if (name !== folder) return `has the name "${name}", but lies in the folder "${folder}"; both must be the same`;
  return undefined;
}

function descriptionProblem(description: unknown): string | undefined {
  if (typeof description !== "string" || description.trim() === "") return "has no description in its front matter";
  const { length } = Array.from(description.trim());
  if (length > longestDescription)
    return `has a description of ${length} characters; ${longestDescription} are allowed`;
  return undefined;
}

/** What is odd about fields that nothing here depends on; fields of other agents are nobody's business. */
function optionalProblems(fields: JsonObject): string[] {
  const { license, compatibility, metadata, "allowed-tools": tools } = fields;
  const isTextList = Array.isArray(tools) && tools.every((tool) => typeof tool === "string");
  return [
    ...(isAbsent(license) || typeof license === "string" ? [] : ["has a license that is no text"]),
    ...(isAbsent(compatibility) || (typeof compatibility === "string" && compatibility.length <= longestCompatibility)
      ? []
      : [`has a compatibility that is no text of up to ${longestCompatibility} characters`]),
    ...(isAbsent(metadata) || isJsonObject(metadata) ? [] : ["has metadata that are no keys and values"]),
    ...(isAbsent(tools) || typeof tools === "string" || isTextList ? [] : ["has allowed-tools that are no names"]),
  ];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
