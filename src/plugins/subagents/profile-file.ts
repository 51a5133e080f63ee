// A profile: named settings for subagents, as a Markdown file with YAML front matter, or as a section of config.yml.
import { messageOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** What a call may say of a child, and a profile where the call does not. */
export interface ChildSettings {
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly session?: string;
  readonly allowedTools?: readonly string[];
  readonly allowedSkills?: readonly string[];
  readonly timeoutSeconds?: number;
}

export interface Profile extends ChildSettings {
  readonly name: string;
  /** On one line; empty when there is none. */
  readonly description: string;
  /** Added to the child's instructions; empty when there are none. */
  readonly instructions: string;
}

/** A profile, or what is wrong with it: the rest of a sentence that begins with its place. */
export type ParsedProfile = { readonly profile: Profile } | { readonly problem: string };

/** @param name the file's, without `.md`; a name in the front matter wins */
export async function parseProfileFile(text: string, name: string): Promise<ParsedProfile> {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n([\s\S]*))?$/m.exec(text);
  if (parts === null || parts.index > 0) return { problem: "has no front matter between two lines of ---" };
  const [, head = "", body = ""] = parts;
  const { parse } = await import("yaml");
  try {
    const fields: unknown = parse(head, { logLevel: "error" });
    if (!isJsonObject(fields)) return { problem: "has a front matter that is no list of `key: value` lines" };
    return parseProfile({ ...fields, instructions: body.trim() }, name);
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    return { problem: `has a front matter that is not valid YAML: ${reason}` };
  }
}

/** @param fields the keys of the front matter, and `instructions` */
export function parseProfile(fields: JsonObject, fallbackName: string): ParsedProfile {
  const problems: string[] = [];
  const text = (key: string): string | undefined => {
    const value = fields[key] ?? undefined;
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) return value?.trim();
    if (value !== "") problems.push(`${key} that is no text`);
    return undefined;
  };
  const names = (key: string): readonly string[] | undefined => {
    const value = fields[key] ?? undefined;
    const list = namesIn(value);
    if (value !== undefined && list === undefined) problems.push(`${key} that are no list of names`);
    return list;
  };
  const seconds = fields.timeout_seconds ?? undefined;
  if (seconds !== undefined && !(typeof seconds === "number" && seconds > 0))
    problems.push("timeout_seconds that is no number above 0");
  const profile: Profile = {
    name: text("name") ?? fallbackName,
    description: (text("description") ?? "").replace(/\s+/g, " "),
    instructions: text("instructions") ?? "",
    model: text("model"),
    reasoningEffort: text("reasoning_effort"),
    session: text("session"),
    allowedTools: names("allowed_tools"),
    allowedSkills: names("allowed_skills"),
    timeoutSeconds: typeof seconds === "number" ? seconds : undefined,
  };
  return problems.length === 0 ? { profile } : { problem: `has ${problems.join(", and ")}` };
}

/** A list, or names separated by commas. */
function namesIn(value: JsonValue | undefined): readonly string[] | undefined {
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) return undefined;
  return list.map((name) => name.trim()).filter((name) => name !== "");
}
