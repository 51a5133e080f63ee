// The bundled skill `skill-creator`: how to write a skill, and how to see that it is a valid one.
import type { BundledSkill } from "./bundled-skill.ts";

const body = `
# Writing a skill

A skill is a folder with a \`SKILL.md\`: instructions that an agent loads when a task calls for them. Until then it sees only
the name and the description.

## 1. Agree on what it is for

Ask, if the conversation does not say: which task, when it comes up, what a good result looks like. One skill, one kind of task.

- **Place**: \`.agents/skills/<name>/\` in the workspace for this project, \`~/.agents/skills/<name>/\` for everything the user does.
- **Name**: lower-case letters and digits, words joined by \`-\`, at most 64 characters. The folder has the same name.
- **Description**: what it does and when to use it, in the words that somebody would use who needs it; 1 to 1024 characters.

Call \`skill\` without a name first: if one like it exists, change that one.

## 2. Write it

Read \`$SKILL_DIR/template.md\`, fill it in, and write it to \`<place>/SKILL.md\`.

- Say what to do, step by step, and what to check. Leave out what any agent knows anyway.
- Keep it under 500 lines. Details that are needed only sometimes go into \`references/\`, programs into \`scripts/\`, files to copy into
  \`assets/\`; name each in the body as the template does.
- Try every script and every command that the body names.

## 3. Check it

Call \`skill\` with the new name. A valid skill answers with its location and its body. \`(no such skill)\` and a reason mean
that it is not valid: correct it and call again. Then read the answer as somebody who knows nothing else: is it enough for the task?

Tell the user where it lies, and that \`$<name>\` in a message brings it in at once.
`.trim();

const template = `---
name: the-name-of-its-folder
description: What it does. Use it when …
---

# What this is about

## Steps

1. First …
2. Then …

Details that are needed only sometimes: \`$SKILL_DIR/references/topic.md\` (without such a file this line goes).

## Check

- What must be true at the end, and how to see it.
`;

export const skillCreator: BundledSkill = {
  name: "skill-creator",
  description: "Write a new skill or change one, and check it. Use when a way of working should be kept for later.",
  body,
  files: { "template.md": template },
};
