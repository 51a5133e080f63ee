// `$name` in a message: brings that skill's instructions into it.
import { type Content, textOf } from "../../base/content.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Skills } from "./skills.ts";

/** A name that is a part of a longer word, or of a path, is no hint. */
const hint = /(?<![\w$\\/])\$([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w-])/gi;

/** The message with the skills that it names after its own words, each once; undefined when it names none. */
export async function withHintedSkills(content: Content, turn: Turn, skills: Skills): Promise<Content | undefined> {
  const said = textOf(content);
  if (!said.includes("$")) return undefined;
  const names = new Set([...said.matchAll(hint)].map(([, name = ""]) => name.toLowerCase()));
  const blocks: string[] = [];
  for (const name of names) {
    const skill = await skills.load(name, turn);
    if (skill === undefined) continue;
    blocks.push(`<skill name="${skill.name}" location="${skill.location}">\n${skill.content}\n</skill>`);
  }
  if (blocks.length === 0) return undefined;
  const text = blocks.join("\n\n");
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}
