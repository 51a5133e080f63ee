// Puts packages into the plugin project, takes them out and brings newer ones.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BubError } from "../../base/errors.ts";
import { listInstalled, ownPackage, readDependencies, readPackage } from "../../base/installed-packages.ts";
import { nearestName } from "../../base/near.ts";
import type { CommandContext } from "../command-context.ts";
import { explainPack } from "./local-package.ts";
import { runNpm } from "./npm.ts";
import { type CheckOptions, checkPackage } from "./package-check.ts";
import { isFromFile, isFromRegistry, type PackageSpec } from "./package-spec.ts";
import type { OpenProject } from "./project-folder.ts";

export interface ChangedPackage {
  readonly name: string;
  readonly version: string;
  /** Undefined when it was not there. */
  readonly oldVersion: string | undefined;
  /** What it is, such as `the plugin weather`. */
  readonly use: string;
}

export interface ChangeOptions {
  /** What has no `bub` field shall be a provider of models. */
  readonly isProvider: boolean;
  readonly context: CommandContext;
}

/**
 * Installs one package and checks it. One that is of no use is taken out again.
 * @throws BubError that says why, or the signal's reason
 */
export async function installPackage(
  spec: PackageSpec,
  project: OpenProject,
  options: ChangeOptions,
): Promise<ChangedPackage> {
  try {
    const wanted = spec.kind === "local" ? await pack(spec.path, project, options) : askedFor(spec);
    return await install(wanted, spec.kind === "name" ? spec.name : undefined, project, options);
  } finally {
    await dropUnusedTarballs(project);
  }
}

/**
 * Brings the newest version of a package of the project; one from a file is only put back if it is missing.
 * @throws BubError that says why it stays as it is, or the signal's reason
 */
export async function updatePackage(
  name: string,
  project: OpenProject,
  options: ChangeOptions,
): Promise<ChangedPackage | undefined> {
  const asked = (await readDependencies(project.home))[name] ?? "";
  if (isFromFile(asked) && "folder" in (await readPackage(project.home, name))) return undefined;
  // What was installed stays what it was taken for.
  const taken = { ...options, isProvider: true };
  return install(isFromRegistry(asked) ? newestOf(name) : `${name}@${asked}`, name, project, taken);
}

function askedFor(spec: Exclude<PackageSpec, { kind: "local" }>): string {
  return spec.kind === "name" && spec.version === "" ? newestOf(spec.name) : spec.text;
}

/** The newest one that runs on this Node: a name alone would be the version that is there, `latest` one for any Node. */
function newestOf(name: string): string {
  return `${name}@*`;
}

/** @throws BubError when npm fails, or the signal's reason */
export async function uninstallPackage(name: string, project: OpenProject): Promise<void> {
  await project.change({ command: ["uninstall"], words: [name] }, async () => undefined);
  await dropUnusedTarballs(project);
}

/**
 * The names of installed packages, each once.
 * @throws BubError `not_found` for one that is not there
 */
export async function installedNames(
  words: readonly string[],
  { home }: Pick<OpenProject, "home">,
): Promise<readonly string[]> {
  const names = Object.keys(await readDependencies(home)).filter((name) => name !== ownPackage);
  const missing = words.find((word) => !names.includes(word));
  if (missing === undefined) return words.length === 0 ? names : [...new Set(words)];
  const near = nearestName(missing, names);
  const known = names.length === 0 ? "Nothing is." : `Installed are ${names.join(", ")}.`;
  throw new BubError("not_found", `${missing} is not installed.`, {
    hint: near === undefined ? known : `Did you mean ${near}?`,
  });
}

async function install(
  wanted: string,
  known: string | undefined,
  project: OpenProject,
  { isProvider, context }: ChangeOptions,
): Promise<ChangedPackage> {
  const { home } = project;
  const before = await readDependencies(home);
  const oldVersions = new Map<string, string>();
  for (const name of Object.keys(before)) {
    const found = await readPackage(home, name);
    if ("folder" in found) oldVersions.set(name, found.version);
  }
  return project.change({ command: ["install"], words: [wanted] }, async () => {
    const after = await readDependencies(home);
    const name = known ?? changedName(before, after, wanted);
    if (after[ownPackage] !== before[ownPackage])
      throw new BubError("invalid_input", "bub itself is there for every plugin; it is not installed.");
    if (name === undefined) throw new BubError("invalid_input", `npm installed no package for ${wanted}.`);
    const found = await readPackage(home, name);
    if (!("folder" in found)) throw new BubError("config", `${name} cannot be used: ${found.problem}`);
    const { env } = project;
    const options = { isProvider, env, signal: context.stop.signal };
    const use = await checkPackage(found, options);
    await checkNameIsFree(use, name, { home, options });
    return { name, version: found.version, oldVersion: oldVersions.get(name), use };
  });
}

/** Two plugins of one name cannot work together: whoever installs the second chooses. */
async function checkNameIsFree(
  use: string,
  name: string,
  { home, options }: { home: string; options: CheckOptions },
): Promise<void> {
  if (!use.startsWith("the plugin ")) return;
  for (const other of await listInstalled(home)) {
    // What cannot be used now is in nobody's way.
    if (other.name === name || !("folder" in other) || other.manifest.bub === undefined) continue;
    const taken = await checkPackage(other, options).catch(() => undefined);
    options.signal.throwIfAborted();
    if (taken !== use) continue;
    throw new BubError("invalid_input", `${name} brings ${use}, and so does ${other.name} ${other.version}`, {
      hint: `Two plugins of one name cannot work together: bub uninstall ${other.name} first, or leave it at that.`,
    });
  }
}

type Dependencies = Readonly<Record<string, string>>;

/** The package that an address was for: what is new in package.json, or what it names by that address. */
function changedName(before: Dependencies, after: Dependencies, wanted: string): string | undefined {
  const names = Object.keys(after).filter((name) => name !== ownPackage);
  const changed = names.find((name) => after[name] !== before[name]);
  return changed ?? names.find((name) => wanted.endsWith(after[name]?.replace(/^file:/, "") ?? "\n"));
}

/** Tarballs of local packages, as npm would publish them: what was installed does not change when its folder does. */
const tarballs = "packages";

/** The path of the tarball in the project. */
async function pack(path: string, { folder, env }: OpenProject, { context }: ChangeOptions): Promise<string> {
  const { stderr, stop } = context;
  const aside = join(folder, tarballs, ".new");
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  try {
    const options = { folder, env, stderr, explain: explainPack, signal: stop.signal };
    await runNpm(["pack", `--pack-destination=${aside}`], [path], options);
    const [file] = readdirSync(aside);
    if (file === undefined) throw new BubError("config", `npm made no package of ${path}.`);
    // npm keeps what it knows of a file by its name: other content needs another one.
    const hash = createHash("sha256")
      .update(readFileSync(join(aside, file)))
      .digest("hex")
      .slice(0, 12);
    const name = `${file.replace(/\.tgz$/, "")}-${hash}.tgz`;
    renameSync(join(aside, file), join(folder, tarballs, name));
    return `./${tarballs}/${name}`;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function dropUnusedTarballs({ home, folder }: OpenProject): Promise<void> {
  const place = join(folder, tarballs);
  if (!existsSync(place)) return;
  const used = Object.values(await readDependencies(home));
  for (const name of readdirSync(place)) {
    if (!used.some((asked) => asked.endsWith(`${tarballs}/${name}`)))
      rmSync(join(place, name), { force: true, recursive: true });
  }
}
