// The packages of the plugin project below the home: found by name, and imported when they are needed.
import { realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { BubError, codeOf, messageOf } from "./errors.ts";
import { importFrom } from "./import-module.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "./json.ts";
import { readRegularFile } from "./regular-file.ts";
import { reasonOf } from "./system-reason.ts";

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly folder: string;
  /** Its package.json. */
  readonly manifest: JsonObject;
}

/** A package that package.json of the project names, and that is not there as it should be. */
export interface BrokenPackage {
  readonly name: string;
  /** The end of a sentence. */
  readonly problem: string;
}

/** Where `bub install` puts packages: a private npm project. */
export function projectFolder(home: string): string {
  return join(resolve(home), "bub-project");
}

/** The package under whose name the project holds this program itself, so that plugins can import it. */
export const ownPackage = "bub";

/**
 * The packages that package.json of the project names, in its order, without `bub` itself. Without a project it costs one
 * look.
 * @throws BubError `config` when package.json is there and cannot be read
 */
export async function listInstalled(home: string): Promise<readonly (InstalledPackage | BrokenPackage)[]> {
  if (!mayHaveProject(home)) return [];
  const names = Object.keys(await readDependencies(home)).filter((name) => name !== ownPackage);
  return Promise.all(names.map((name) => readPackage(home, name)));
}

/** One look; true also where it must not be looked at, which reading it then tells. */
function mayHaveProject(home: string): boolean {
  try {
    return statSync(join(projectFolder(home), "package.json"), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return codeOf(error) !== "ENOTDIR";
  }
}

/**
 * What package.json of the project asks for: names, each with a version or an address. Empty without a project.
 * @throws BubError `config` when it is there and cannot be read
 */
export async function readDependencies(home: string): Promise<Readonly<Record<string, string>>> {
  const file = join(projectFolder(home), "package.json");
  const found = await readManifest(file, ["ENOENT"]);
  if (typeof found !== "string") {
    const entries = Object.entries(isJsonObject(found?.dependencies) ? found.dependencies : {});
    return Object.fromEntries(entries.flatMap(([name, spec]) => (typeof spec === "string" ? [[name, spec]] : [])));
  }
  throw new BubError("config", `${file} cannot be used: ${found}.`, {
    hint: `Put it right, or remove ${projectFolder(home)} and install your plugins anew.`,
  });
}

/** Names that npm gives packages: none of them leads out of a folder. */
export function isPackageName(name: string): boolean {
  return /^(@[a-z\d~-][\w.~-]*\/)?[A-Za-z\d~_-][\w.~-]*$/.test(name) && name.length <= 214;
}

/** The package of that name as it lies in the project. */
export async function readPackage(home: string, name: string): Promise<InstalledPackage | BrokenPackage> {
  if (!isPackageName(name)) return { name, problem: "its name is no package's name." };
  const folder = join(projectFolder(home), "node_modules", name);
  const manifest = await readManifest(join(folder, "package.json"));
  if (manifest === undefined) return { name, problem: `it is not in ${folder}; bub update ${name} brings it back.` };
  if (typeof manifest === "string") return { name, problem: `its package.json cannot be used: ${manifest}.` };
  const { version } = manifest;
  return { name, version: typeof version === "string" ? version : "unknown", folder, manifest };
}

/**
 * Imports a package of the project.
 * @throws BubError `config` when it is not installed, or what loading it throws as a sentence
 */
export async function importInstalled(home: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const found = await findInstalled(home, name);
  if (found === undefined) {
    throw new BubError("config", `The package ${name} is not installed.`, { hint: `bub install ${name} does that.` });
  }
  const file = entryFile(found);
  try {
    return (await importFrom(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new BubError("config", `Loading the package ${name} ${found.version} failed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * The package of that name if the project asks for it.
 * @throws BubError `config` when it asks for it and it is broken
 */
export async function findInstalled(home: string, name: string): Promise<InstalledPackage | undefined> {
  if (!isPackageName(name) || !Object.hasOwn(await readDependencies(home), name)) return undefined;
  const found = await readPackage(home, name);
  if ("folder" in found) return found;
  throw new BubError("config", `The package ${name} cannot be used: ${found.problem}`);
}

/**
 * The file that `import` of a package means.
 * @throws BubError `config` when there is none
 */
export function entryFile({ name, folder, manifest }: InstalledPackage): string {
  const { exports: exported, main } = manifest;
  const target =
    exported === undefined
      ? typeof main === "string" && main !== ""
        ? main
        : "index.js"
      : (pickExport(exported, importConditions) ?? pickExport(exported, requireConditions));
  const file = target === undefined ? undefined : fileInside(folder, target);
  if (file !== undefined) return file;
  throw new BubError("config", `The package ${name} has nothing to import: ${target ?? "its exports name no file"}.`);
}

/** A file of a package by its path there, also without its ending; undefined when there is none, or when it lies outside. */
export function fileInside(folder: string, path: string): string | undefined {
  const base = resolve(folder, path);
  if (!isInside(folder, base)) return undefined;
  for (const candidate of [base, `${base}.js`, join(base, "index.js")]) {
    if (isFileInside(folder, candidate)) return candidate;
  }
  return undefined;
}

/** Links may lead anywhere. */
function isFileInside(folder: string, file: string): boolean {
  try {
    return isInside(realpathSync(folder), realpathSync(file)) && statSync(file).isFile();
  } catch {
    return false;
  }
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(resolve(folder) + sep);
}

const importConditions = new Set(["import", "node", "node-addons", "module-sync", "default"]);
const requireConditions = new Set(["require", "node", "node-addons", "default"]);

function pickExport(value: JsonValue | undefined, conditions: ReadonlySet<string>): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return firstOf(value, conditions);
  if (!isJsonObject(value)) return undefined;
  if (Object.keys(value).some((key) => key.startsWith("."))) return pickExport(value["."], conditions);
  return firstOf(
    Object.entries(value).flatMap(([key, inner]) => (conditions.has(key) ? [inner] : [])),
    conditions,
  );
}

function firstOf(values: readonly (JsonValue | undefined)[], conditions: ReadonlySet<string>): string | undefined {
  for (const value of values) {
    const found = pickExport(value, conditions);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Bytes; no package.json is longer. */
const largestManifest = 4 * 1024 * 1024;

/** Undefined when there is none; a text says why it cannot be used, as a part of a sentence. */
async function readManifest(file: string, none = ["ENOENT", "ENOTDIR"]): Promise<JsonObject | string | undefined> {
  try {
    const value = parseJson((await readRegularFile(file, { mostBytes: largestManifest })).toString("utf8"));
    return isJsonObject(value) ? value : "it is not a JSON object";
  } catch (error) {
    return none.includes(codeOf(error) ?? "") ? undefined : reasonOf(error);
  }
}
