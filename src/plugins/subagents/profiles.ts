// Finds profiles: the workspace's, the user's, those of config.yml, the plugins'. The first of a name wins.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { BubError, codeOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log.ts";
import { nearestName } from "../../base/near.ts";
import { readRegularFile } from "../../base/regular-file.ts";
import { reasonOf } from "../../base/system-reason.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { type ParsedProfile, type Profile, parseProfile, parseProfileFile } from "./profile-file.ts";

export interface ProfilePlaces {
  /** Folders of `<name>.md`, the first one first. */
  readonly folders: readonly string[];
  /** The section `subagents` of config.yml. */
  readonly config: unknown;
  readonly log: Logger;
}

interface Found {
  readonly place: string;
  readonly parsed: ParsedProfile;
}

export class Profiles {
  readonly #places: ProfilePlaces;
  readonly #reported = new Set<string>();

  constructor(places: ProfilePlaces) {
    this.#places = places;
  }

  /** All that can be used, in the order of their places. What is wrong with others is logged once. */
  async list(runtime: Runtime): Promise<readonly Profile[]> {
    const profiles = new Map<string, Profile>();
    for (const found of await this.#look(runtime)) {
      if ("problem" in found.parsed) this.#report(sentenceOf(found.place, found.parsed.problem));
      else if (!profiles.has(fold(found.parsed.profile.name)))
        profiles.set(fold(found.parsed.profile.name), found.parsed.profile);
    }
    return [...profiles.values()];
  }

  /** By its name in any case. @throws BubError `invalid_input` when there is none of that name */
  async find(name: string, runtime: Runtime): Promise<Profile> {
    const profiles = await this.list(runtime);
    const profile = profiles.find((candidate) => fold(candidate.name) === fold(name));
    if (profile !== undefined) return profile;
    const names = profiles.map((candidate) => candidate.name);
    const near = nearestName(name, names);
    throw new BubError("invalid_input", `unknown subagent profile: ${name}`, {
      details: { profiles: names },
      hint: near === undefined ? undefined : `Did you mean ${near}?`,
    });
  }

  /** A sentence for each that cannot be used. */
  async problems(runtime: Runtime): Promise<readonly string[]> {
    const found = await this.#look(runtime);
    return found.flatMap(({ place, parsed }) => ("problem" in parsed ? [sentenceOf(place, parsed.problem)] : []));
  }

  async #look(runtime: Runtime): Promise<Found[]> {
    const inFolders = await Promise.all(this.#places.folders.map(profilesIn));
    const answers = await runtime.hooks.collect("provideProfiles", runtime);
    // Later plugins win over earlier ones.
    const brought = answers.reverse().flatMap(({ answer }) => answer);
    const ofPlugins = await Promise.all(brought.map(({ name, file }) => readProfile(file, name)));
    return [...inFolders.flat(), ...profilesOf(this.#places.config), ...ofPlugins];
  }

  #report(problem: string): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#places.log.error(problem);
  }
}

async function profilesIn(folder: string): Promise<Found[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    // No such folder, or none that may be looked into: then there are no profiles.
    return [];
  }
  const files = names.filter((name) => name.endsWith(".md") && !name.startsWith(".")).sort();
  return Promise.all(files.map((name) => readProfile(join(folder, name), name.slice(0, -".md".length))));
}

async function readProfile(file: string, name: string): Promise<Found> {
  try {
    return { place: file, parsed: await parseProfileFile((await readRegularFile(file)).toString("utf8"), name) };
  } catch (error) {
    const reason = codeOf(error) === "ENOENT" ? "is missing" : `cannot be read: ${reasonOf(error)}`;
    return { place: file, parsed: { problem: reason } };
  }
}

function profilesOf(section: unknown): Found[] {
  if (section === undefined || section === null) return [];
  const place = "subagents in config.yml";
  const profiles = isJsonObject(section) ? (section.profiles ?? {}) : undefined;
  if (!isJsonObject(profiles)) return [{ place, parsed: { problem: "has profiles that are no names and settings" } }];
  return Object.entries(profiles).map(([name, fields]) => ({
    place: `the profile ${name} in config.yml`,
    parsed: isJsonObject(fields) ? parseProfile(fields as JsonObject, name) : { problem: "has no settings" },
  }));
}

function sentenceOf(place: string, problem: string): string {
  return `A subagent profile is not used: ${place} ${problem}.`;
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}
