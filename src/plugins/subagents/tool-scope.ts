// What a child may use: never more than its parent, and never subagents of its own.
import { BubError } from "../../base/errors.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Toolset } from "../../tools/toolset.ts";

/**
 * The names of a child's tools.
 * @param asked names or aliases; undefined asks for all of the parent's
 * @throws BubError `invalid_input` naming the tools that the parent does not have, when strict; else they are left out
 */
export function narrowedTools(
  toolset: Toolset,
  asked: readonly string[] | undefined,
  { isStrict }: { isStrict: boolean },
): readonly string[] {
  if (asked === undefined) return toolset.all.map(({ tool }) => tool).flatMap(childName);
  const found = asked.map((name) => ({ name, tool: toolset.resolve(name)?.tool }));
  const unknown = found.flatMap(({ name, tool }) => (tool === undefined && !isOfSubagents(name) ? [name] : []));
  if (isStrict && unknown.length > 0) {
    const names = unknown.map((name) => `'${name}'`).join(", ");
    throw new BubError("invalid_input", `a subagent cannot get what this run does not have: ${names}`, {
      details: { allowed_tools: unknown },
    });
  }
  return [...new Set(found.flatMap(({ tool }) => (tool === undefined ? [] : childName(tool))))];
}

/** The names of a child's skills, in lower case; undefined: all that there are. */
export function narrowedSkills(
  parent: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): readonly string[] | undefined {
  if (asked === undefined) return parent;
  const allowed = parent === undefined ? undefined : new Set(parent.map(fold));
  return [...new Set(asked.map(fold))].filter((name) => allowed?.has(name) ?? true);
}

function childName({ name }: Tool): string[] {
  return name === "subagent" || name.startsWith("subagent.") ? [] : [name];
}

/** True for a name of ours that this run does not have itself; asking for it is in vain, not wrong. */
function isOfSubagents(name: string): boolean {
  return /^subagent([._](wait|send|cancel))?$/i.test(name.trim());
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}
