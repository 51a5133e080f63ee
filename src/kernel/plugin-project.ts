// The plugins of the packages that the user has installed with `bub install`.
import { lstatSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sentencesOf } from "../base/errors.ts";
import {
  fileInside,
  type InstalledPackage,
  listInstalled,
  ownPackage,
  projectFolder,
} from "../base/installed-packages.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { checkApiVersion, type PluginPackage } from "./plugin-loader.ts";

/** What a package.json says of the plugin in it. */
export interface BubField {
  /** Path of its module in the package. */
  readonly plugin: string;
}

/**
 * Every package of the plugin project, in the order of its package.json; those without a plugin are for others to import.
 * Without a project it costs one look.
 */
export async function readPluginPackages(home: string): Promise<readonly PluginPackage[]> {
  try {
    const packages = (await listInstalled(home)).map((found) => ("folder" in found ? pluginOf(found) : missing(found)));
    if (packages.some(({ file }) => file !== undefined)) linkOwnPackage(home);
    return packages;
  } catch (error) {
    return [{ package: "project", problem: sentencesOf(error) }];
  }
}

function missing({ name, problem }: { readonly name: string; readonly problem: string }): PluginPackage {
  return { package: name, problem };
}

function pluginOf(found: InstalledPackage): PluginPackage {
  const { name, version, manifest } = found;
  try {
    const field = readBubField(manifest);
    return { package: name, version, ...(field !== undefined && { file: pluginFile(found, field) }) };
  } catch (error) {
    return { package: name, version, problem: sentencesOf(error) };
  }
}

/**
 * The `bub` field: a path, or an object with it in `plugin` and, if it likes, with `apiVersion`. Undefined without one.
 * @throws Error with the end of a sentence
 */
export function readBubField({ bub: field }: JsonObject): BubField | undefined {
  if (field === undefined) return undefined;
  const { plugin, apiVersion } = isJsonObject(field) ? field : { plugin: field, apiVersion: undefined };
  checkApiVersion(apiVersion);
  if (typeof plugin === "string" && plugin !== "") return { plugin };
  throw new Error('the bub field of its package.json must name the plugin\'s file: "bub": "./plugin.js".');
}

/** @throws Error with the end of a sentence, when there is no such file in the package */
export function pluginFile({ folder }: InstalledPackage, { plugin }: BubField): string {
  const file = fileInside(folder, plugin);
  if (file !== undefined) return file;
  throw new Error(`the bub field of its package.json names ${plugin}, and there is no such file in the package.`);
}

/**
 * Plugins import `bub`: this very program answers, wherever it was moved to since they were installed. Where the link cannot
 * be put right, the plugins that need it say so.
 */
export function linkOwnPackage(home: string): void {
  const link = join(projectFolder(home), "node_modules", ownPackage);
  const root = ownFolder();
  try {
    if (root === undefined || leadsTo(link, root)) return;
    const aside = `${link}.${process.pid}.tmp`;
    rmSync(aside, { force: true });
    symlinkSync(root, aside, "junction");
    renameSync(aside, link);
  } catch {
    // A home that cannot be written, or a folder of that name that somebody put there.
  }
}

function leadsTo(link: string, root: string): boolean {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined) return false;
  try {
    return !found.isSymbolicLink() || realpathSync(link) === realpathSync(root);
  } catch {
    return false;
  }
}

/** The folder of the package that this code belongs to, absolute; undefined when it was put elsewhere. */
export function ownFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    if (isOwn(join(folder, "package.json"))) return folder;
  }
  return undefined;
}

function isOwn(file: string): boolean {
  try {
    const manifest = parseJson(readFileSync(file, "utf8"));
    return isJsonObject(manifest) && manifest.name === ownPackage;
  } catch {
    return false;
  }
}
