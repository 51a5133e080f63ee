// Finds skills in their roots: the workspace's, the user's, the plugins', the bundled ones. The first of a name wins.
import { type BigIntStats, promises as files } from "node:fs";
import { basename, join, resolve } from "node:path";
import { codeOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { reasonOf } from "../../base/system-reason.ts";
import { type BundledSkill, writeBundledSkill } from "./bundled-skill.ts";
import { type ParsedSkill, parseSkill } from "./skill-file.ts";

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Its SKILL.md, absolute. */
  readonly location: string;
  /** `$SKILL_DIR` stands for its directory. */
  readonly content: string;
  readonly bundled?: BundledSkill;
}

export interface SkillProblem {
  /** Name of the skill's folder. */
  readonly folder: string;
  /** A sentence that names the file. */
  readonly message: string;
  /** False when the skill can be used all the same. */
  readonly isFatal: boolean;
}

export interface SkillRoots {
  /** Folders whose subfolders are skills. */
  readonly folders: readonly string[];
  /** Folders that are skills themselves, after those. */
  readonly brought: readonly string[];
  readonly bundled: readonly BundledSkill[];
  /** Where the bundled ones are put when somebody uses them. */
  readonly bundledFolder: string;
}

/** Bytes. What is larger is no text for a model. */
const largestFile = 1024 * 1024;

export class SkillCatalog {
  readonly #log: Logger;
  readonly #known = new Map<string, { stamp: string; parsed: ParsedSkill }>();
  readonly #reported = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Looks at the roots anew; a file is read again only when it changed. Skills come by name. */
  async look(roots: SkillRoots): Promise<{ skills: readonly Skill[]; problems: readonly SkillProblem[] }> {
    const found = new Map<string, Skill>();
    const problems: SkillProblem[] = [];
    for (const folder of await skillFolders(roots)) {
      const file = join(folder, "SKILL.md");
      const parsed = await this.#read(file, basename(folder));
      const { skill } = parsed;
      problems.push(...parsed.problems.map((problem) => problemOf(file, problem, skill === undefined)));
      if (skill === undefined || found.has(skill.name)) continue;
      found.set(skill.name, skillOf(skill, file));
    }
    for (const bundled of roots.bundled) {
      const file = join(roots.bundledFolder, bundled.name, "SKILL.md");
      if (!found.has(bundled.name)) found.set(bundled.name, { ...skillOf(bundled, file), bundled });
    }
    this.#report(problems);
    return { skills: [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), problems };
  }

  /** Makes sure that a skill's files are there. A bundled one without a place to stand keeps its words. */
  async use(skill: Skill): Promise<void> {
    if (skill.bundled === undefined) return;
    try {
      await writeBundledSkill(skill.bundled, resolve(skill.location, ".."));
    } catch (error) {
      this.#log.warn("the files of a bundled skill could not be written", { skill: skill.name, error });
    }
  }

  async #read(file: string, folder: string): Promise<ParsedSkill> {
    try {
      const stat = await files.stat(file, { bigint: true });
      const stamp = stampOf(stat);
      const known = this.#known.get(file);
      if (known?.stamp === stamp) return known.parsed;
      const parsed = await parseFile(file, folder, stat);
      this.#known.set(file, { stamp, parsed });
      return parsed;
    } catch (error) {
      const isMissing = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
      const problem = isMissing
        ? "is missing: a skill is a folder with a SKILL.md"
        : `cannot be read: ${reasonOf(error)}`;
      return { skill: undefined, problems: [problem] };
    }
  }

  /** Once in the life of a runtime. */
  #report(problems: readonly SkillProblem[]): void {
    for (const { message, isFatal } of problems) {
      if (this.#reported.has(message)) continue;
      this.#reported.add(message);
      if (isFatal) this.#log.error(message);
      else this.#log.warn(message);
    }
  }
}

async function parseFile(file: string, folder: string, stat: BigIntStats): Promise<ParsedSkill> {
  if (!stat.isFile()) return { skill: undefined, problems: ["is no file"] };
  if (stat.size > largestFile) {
    return { skill: undefined, problems: [`has ${stat.size} bytes; ${largestFile} are allowed`] };
  }
  return parseSkill(await files.readFile(file, "utf8"), folder);
}

/** Every folder that should be a skill, in the order of the roots and, in one, by name. */
async function skillFolders({ folders, brought }: SkillRoots): Promise<string[]> {
  const inside = await Promise.all(folders.map(subfolders));
  return [...new Set([...inside.flat(), ...brought.map((folder) => resolve(folder))])];
}

async function subfolders(root: string): Promise<string[]> {
  try {
    const entries = await files.readdir(root, { withFileTypes: true });
    // A link may lead to a folder that lies elsewhere; files beside the skills are no skills.
    const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
    return names
      .filter((name) => !name.startsWith("."))
      .sort()
      .map((name) => join(root, name));
  } catch {
    // No such folder, or none that may be looked into: then there are no skills.
    return [];
  }
}

function skillOf(
  { name, description, body }: { name: string; description: string; body: string },
  location: string,
): Skill {
  const directory = resolve(location, "..");
  const content = body.replace(/\$(?:SKILL_DIR\b|\{SKILL_DIR\})/g, () => directory);
  return { name, description, location, content };
}

function problemOf(file: string, problem: string, isFatal: boolean): SkillProblem {
  const message = `${isFatal ? "A skill is not used" : "A skill is odd"}: ${file} ${problem}.`;
  return { folder: basename(resolve(file, "..")), message, isFatal };
}

function stampOf({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs} ${size} ${ino}`;
}
