// Skills that come with Bub: their words travel in the program, their files are written when somebody uses them.
import { promises as files } from "node:fs";
import { dirname, join } from "node:path";
import { randomHex } from "../../base/ids.ts";

export interface BundledSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** Content by name, beside its SKILL.md. */
  readonly files: Readonly<Record<string, string>>;
}

/** Writes what is missing or different; an older version's files are replaced. */
export async function writeBundledSkill(skill: BundledSkill, folder: string): Promise<void> {
  const { name, description, body } = skill;
  const front = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n`;
  const all = { "SKILL.md": `${front}\n${body}\n`, ...skill.files };
  for (const [file, text] of Object.entries(all)) await writeIfOther(join(folder, file), text);
}

async function writeIfOther(path: string, text: string): Promise<void> {
  const present = await files.readFile(path, "utf8").catch(() => undefined);
  if (present === text) return;
  await files.mkdir(dirname(path), { recursive: true });
  // Several processes may do this at once, and nobody shall read half a file.
  const temporary = `${path}.${randomHex(8)}`;
  await files.writeFile(temporary, text);
  await files.rename(temporary, path);
}
