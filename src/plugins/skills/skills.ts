// The skills of a runtime as one turn may use them.
import { join } from "node:path";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Skill, SkillCatalog, SkillProblem, SkillRoots } from "./skill-catalog.ts";
import { skillCreator } from "./skill-creator.ts";

export interface SkillPlaces {
  readonly workspace: string | undefined;
  readonly userHome: string;
  /** Bub's own folder. */
  readonly home: string;
}

export class Skills {
  readonly #catalog: SkillCatalog;
  readonly #places: SkillPlaces;
  #roots: Promise<SkillRoots> | undefined;

  constructor(catalog: SkillCatalog, places: SkillPlaces) {
    this.#catalog = catalog;
    this.#places = places;
  }

  /** Those that the turn's allow-list leaves, by name. */
  async allowed(turn: Turn): Promise<readonly Skill[]> {
    const names = allowedNames(turn);
    if (names?.size === 0) return [];
    const skills = await this.all(turn.runtime);
    return names === undefined ? skills : skills.filter(({ name }) => names.has(name));
  }

  /** By name, whatever a turn may use. */
  async all(runtime: Runtime): Promise<readonly Skill[]> {
    return (await this.#catalog.look(await this.#rootsOf(runtime))).skills;
  }

  /** An allowed skill by its name in any case, its files in their place. */
  async load(name: string, turn: Turn): Promise<Skill | undefined> {
    const wanted = fold(name);
    const skill = (await this.allowed(turn)).find((candidate) => candidate.name === wanted);
    if (skill !== undefined) await this.#catalog.use(skill);
    return skill;
  }

  /** Why a folder of that name gives no skill. */
  async problemsOf(name: string, turn: Turn): Promise<string[]> {
    const wanted = fold(name);
    const names = allowedNames(turn);
    if (names !== undefined && !names.has(wanted)) return [];
    const problems = await this.problems(turn.runtime);
    return problems.filter(({ folder, isFatal }) => isFatal && fold(folder) === wanted).map(({ message }) => message);
  }

  /** Everything that is wrong in any root. */
  async problems(runtime: Runtime): Promise<readonly SkillProblem[]> {
    return (await this.#catalog.look(await this.#rootsOf(runtime))).problems;
  }

  #rootsOf(runtime: Runtime): Promise<SkillRoots> {
    this.#roots ??= this.#askPlugins(runtime);
    return this.#roots;
  }

  async #askPlugins(runtime: Runtime): Promise<SkillRoots> {
    const { workspace, userHome, home } = this.#places;
    const answers = await runtime.hooks.collect("provideSkills", runtime);
    const own = workspace === undefined ? [] : [join(workspace, ".agents", "skills")];
    return {
      folders: [...own, join(userHome, ".agents", "skills")],
      // The first of a name wins among skills, and later plugins win over earlier ones.
      brought: answers.reverse().flatMap(({ answer }) => answer.map(({ directory }) => directory)),
      bundled: [skillCreator],
      bundledFolder: join(home, "skills"),
    };
  }
}

function allowedNames({ toolScope }: Turn): ReadonlySet<string> | undefined {
  return toolScope.allowedSkills === undefined ? undefined : new Set(toolScope.allowedSkills.map(fold));
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}
