// What a fork is asked: it has read its parent's conversation, and must not go on with it.
import type { Content } from "../../base/content.ts";

const note =
  "You are a subagent now, and the conversation so far is only your background. Do this one task, and answer with its result:";

export function forkPrompt(prompt: Content): Content {
  return typeof prompt === "string" ? `${note}\n\n${prompt}` : [{ type: "text", text: note }, ...prompt];
}
