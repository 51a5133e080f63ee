// `skill`: the skills of the current context, or one's instructions.
import * as v from "valibot";
import type { Turn } from "../../kernel/turn-state.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Skills } from "./skills.ts";

export type SkillValue =
  | { readonly skills: readonly { readonly name: string; readonly description: string }[] }
  | { readonly name: string; readonly location: string; readonly content: string }
  | { readonly error: string };

export function skillTool(skills: Skills): Tool {
  return defineTool({
    name: "skill",
    description: "Load a skill's instructions by name; without a name, list the skills.",
    input: v.strictObject({ name: v.optional(v.string()) }),
    async run({ name }, context): Promise<SkillValue> {
      const turn = context.turn as Turn;
      if (name === undefined) {
        const allowed = await skills.allowed(turn);
        return { skills: allowed.map(({ name, description }) => ({ name, description })) };
      }
      const skill = await skills.load(name, turn);
      if (skill === undefined)
        return { error: ["(no such skill)", ...(await skills.problemsOf(name, turn))].join("\n") };
      const { location, content } = skill;
      return { name: skill.name, location, content };
    },
    render: renderSkill,
  });
}

function renderSkill(value: SkillValue): string {
  if ("error" in value) return value.error;
  if ("location" in value) return `Location: ${value.location}\n---\n${value.content}`;
  return ["Available skills:", ...renderList(value.skills)].join("\n");
}

/** A line for each, as the tool and the system prompt show them. */
export function renderList(skills: readonly { name: string; description: string }[]): string[] {
  return skills.length === 0 ? ["(none)"] : skills.map(({ name, description }) => `- ${name}: ${description}`);
}
