// Skills: instructions in folders, listed in the system prompt and loaded when a task calls for them.
import { homeOfUser } from "../../base/user-home.ts";
import type { Diagnosis } from "../../kernel/diagnosis.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import { runToolset } from "../../kernel/run-tools.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { withHintedSkills } from "./hints.ts";
import { SkillCatalog } from "./skill-catalog.ts";
import { renderList, skillTool } from "./skill-tool.ts";
import { Skills } from "./skills.ts";

export const skillsPlugin = definePlugin(({ settings, workspace, env, log }: PluginHost) => {
  const places = { workspace, userHome: homeOfUser(env), home: settings.home };
  const skills = new Skills(new SkillCatalog(log), places);
  return {
    name: "skills",
    provideTools: () => [skillTool(skills)],
    systemPrompt: (turn) => renderBlock(turn, skills),
    prepareMessage: (content, turn) => withHintedSkills(content, turn, skills),
    suggestWords: async ({ kind, text }, runtime) =>
      kind === "word" && text.startsWith("$")
        ? (await skills.all(runtime)).map(({ name, description }) => ({ value: `$${name}`, description }))
        : undefined,
    diagnose: (runtime) => diagnoseSkills(runtime, skills),
  };
});

async function diagnoseSkills(runtime: Runtime, skills: Skills): Promise<Diagnosis> {
  const names = (await skills.all(runtime)).map(({ name }) => name);
  const problems = await skills.problems(runtime);
  return {
    title: "Skills",
    facts: [{ name: "found", value: names.length === 0 ? "none" : `${names.length}: ${names.join(", ")}` }],
    findings: problems.map(({ message, isFatal }) => ({
      sentence: message,
      severity: isFatal ? "problem" : "warning",
    })),
  };
}

async function renderBlock(turn: Turn, skills: Skills): Promise<string | undefined> {
  const allowed = await skills.allowed(turn);
  // A run without the tool could read of skills, but not load one.
  if (allowed.length === 0 || (await runToolset(turn)).resolve("skill") === undefined) return undefined;
  return [
    "<skills>",
    "Skills hold instructions for kinds of tasks. When a task fits one, load it with the tool skill before you begin.",
    ...renderList(allowed),
    "</skills>",
  ].join("\n");
}
