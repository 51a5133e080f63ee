// Makes plugins of what a runtime is given: objects, functions, and paths to modules.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { delay } from "../base/abort.ts";
import { messageOf } from "../base/errors.ts";
import { importFrom } from "../base/import-module.ts";
import { nearestName } from "../base/near.ts";
import { hookKinds } from "./hooks.ts";
import {
  type AnyConfigurablePlugin,
  isConfigurable,
  isPluginSource,
  type Plugin,
  type PluginSource,
  pluginApiVersion,
} from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import { pluginLog } from "./plugin-log.ts";
import {
  misspelledSections,
  type PluginSetting,
  readPluginSettings,
  section as settingsSection,
} from "./plugin-settings.ts";

/** A package that the user has installed. */
export interface PluginPackage {
  readonly package: string;
  /** Undefined when it is not there. */
  readonly version?: string;
  /** The module of its plugin; undefined for one that brings none. */
  readonly file?: string;
  /** Why it cannot be used, as a sentence. */
  readonly problem?: string;
}

/** What became of it. */
export interface LoadedPackage extends PluginPackage {
  /** The name of the plugin that it brought. */
  readonly plugin?: string;
}

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  /** In the order in which they were given. */
  readonly packages: readonly LoadedPackage[];
  /** One sentence for each that was skipped, or whose place another package's has taken. */
  readonly problems: readonly string[];
  /** One sentence for each hook, and each section of settings, that seems to be misspelled. */
  readonly warnings: readonly string[];
  /** Of all plugins that declare some. */
  readonly settings: readonly PluginSetting[];
}

type Given = PluginSource | string | PluginPackage;

/** A module that waits for what never comes must not hold up the others (milliseconds). */
const longestLoadMs = 20_000;

/**
 * @param sources plugins and what makes them; strings are paths, relative to the workspace or the current folder
 * @param limitMs how long a module may take to load
 */
export async function loadPlugins(
  sources: readonly Given[],
  host: PluginHost,
  limitMs = longestLoadMs,
): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const packages: LoadedPackage[] = [];
  const problems: string[] = [];
  const settings: PluginSetting[] = [];
  const names: string[] = [];
  const warnings: string[] = [];
  /** Of plugins that were loaded from files, by their names: where each came from. */
  const origins = new Map<string, Origin>();
  for (const given of sources) {
    const isPackage = isPluginPackage(given);
    if (isPackage && given.file === undefined && given.problem === undefined) {
      packages.push(given);
      continue;
    }
    let name = nameOf(given);
    let source: PluginSource | undefined;
    try {
      source = await sourceOf(given, limitMs);
      if (isConfigurable(source) && !isPackage) name = source.name;
      const made = await makePlugin(source, host);
      if (typeof given === "string" || isPackage) {
        const origin = { given, plugin: made.plugin };
        const earlier = origins.get(made.plugin.name);
        origins.set(made.plugin.name, origin);
        if (earlier !== undefined) {
          takePlace(earlier, { plugins, packages, settings });
          const told = givesWay(earlier, origin);
          if (told !== undefined) (isPackage ? problems : warnings).push(told);
        }
      }
      plugins.push(made.plugin);
      settings.push(...made.settings);
      names.push(made.plugin.name);
      if (isPackage) packages.push({ ...given, plugin: made.plugin.name });
    } catch (error) {
      problems.push(`The plugin ${name} is skipped: ${messageOf(error)}`);
      // Whoever sets it up is asked what is missing.
      if (source !== undefined && isConfigurable(source) && source.onboard !== undefined)
        plugins.push({ name: source.name, onboard: source.onboard.bind(source) });
      names.push(name);
      if (isPackage) packages.push({ ...given, problem: messageOf(error) });
    }
  }
  warnings.push(...plugins.flatMap(misspelledHooks), ...misspelledSections(host.config, names));
  return { plugins, packages, problems, settings, warnings };
}

interface Origin {
  readonly given: string | PluginPackage;
  readonly plugin: Plugin;
}

/** Two plugins of one name would share their settings, and nobody could tell which is meant: the later one alone is left. */
function takePlace(
  { given, plugin }: Origin,
  { plugins, packages, settings }: { plugins: Plugin[]; packages: LoadedPackage[]; settings: PluginSetting[] },
): void {
  plugins.splice(plugins.indexOf(plugin), 1);
  const others = settings.filter(({ name }) => !name.startsWith(`${settingsSection}.${plugin.name}.`));
  settings.splice(0, settings.length, ...others);
  if (typeof given === "string") return;
  const at = packages.findIndex((one) => one.package === given.package);
  packages[at] = { ...given, problem: "a later plugin of the same name has taken its place." };
}

/** Undefined where one and the same is named twice. */
function givesWay(earlier: Origin, later: Origin): string | undefined {
  const { given, plugin } = earlier;
  if (typeof given === "string" && typeof later.given === "string" && resolve(given) === resolve(later.given))
    return undefined;
  const [from, to] = [earlier, later].map((one) => nameOf(one.given));
  const what = `The plugin ${plugin.name} of ${from} gives way to that of ${to}, which has the same name.`;
  if (typeof given === "string" || typeof later.given === "string") return what;
  return `${what} Remove one of them: bub uninstall ${given.package}, or bub uninstall ${later.given.package}.`;
}

function isPluginPackage(given: Given): given is PluginPackage {
  return typeof given === "object" && "package" in given;
}

function nameOf(given: Given): string {
  if (typeof given === "string") return given;
  if (isPluginPackage(given)) return given.version === undefined ? given.package : `${given.package} ${given.version}`;
  return given.name ?? "without a name";
}

async function sourceOf(given: Given, limitMs: number): Promise<PluginSource> {
  if (typeof given === "string") return importPlugin(given, limitMs);
  if (!isPluginPackage(given)) return given;
  const { file, problem } = given;
  if (file !== undefined && problem === undefined) return importPlugin(file, limitMs);
  throw new Error(problem);
}

/** What a plugin has beside its hooks is its own, unless it looks like one. */
function misspelledHooks(plugin: Plugin): string[] {
  const hooks = Object.keys(hookKinds);
  return Object.keys(plugin).flatMap((key) => {
    if (key in hookKinds || key === "name" || key === "apiVersion") return [];
    const near = nearestName(key, hooks);
    return near === undefined ? [] : [`The plugin ${plugin.name} has ${key}, which is no hook; did you mean ${near}?`];
  });
}

async function importPlugin(path: string, limitMs: number): Promise<PluginSource> {
  const file = resolve(path);
  if (/\.[cm]?ts$/.test(file) && !("typescript" in process.features && process.features.typescript)) {
    throw new Error(`a TypeScript plugin needs Node 22.18 or newer, this is ${process.version}.`);
  }
  if (!existsSync(file)) throw new Error(`there is no file ${file}.`);
  const { default: source } = await importWithin(limitMs, file);
  if (isPluginSource(source)) return source;
  throw new Error(`${file} has no default export made by definePlugin().`);
}

async function importWithin(limitMs: number, file: string): Promise<{ default?: unknown }> {
  const loaded = new AbortController();
  const late = delay(limitMs, loaded.signal).then(
    () => Promise.reject(new Error(`it did not end within ${limitMs / 1000} seconds`)),
    () => ({}),
  );
  try {
    return (await Promise.race([importFrom(pathToFileURL(file).href), late])) as { default?: unknown };
  } catch (error) {
    const hint = messageOf(error).includes("Cannot find package 'bub'") ? " Install bub where the plugin lies." : "";
    throw new Error(`loading ${file} failed: ${messageOf(error)}${hint && `.${hint}`}`);
  } finally {
    loaded.abort();
  }
}

interface MadePlugin {
  readonly plugin: Plugin;
  readonly settings: readonly PluginSetting[];
}

async function makePlugin(source: PluginSource, host: PluginHost): Promise<MadePlugin> {
  if (isConfigurable(source)) return configure(source, host);
  if (typeof source !== "function") return { plugin: checked(source), settings: [] };
  let name = source.name || "new";
  const plugin = checked(objectOf(source({ ...host, log: pluginLog(host.log, () => name) })));
  name = plugin.name;
  return { plugin, settings: [] };
}

/** Nothing of the plugin runs before its settings are right. */
async function configure(source: AnyConfigurablePlugin, host: PluginHost): Promise<MadePlugin> {
  const { name, apiVersion } = checked({ name: source.name, apiVersion: source.apiVersion });
  const { own, shown, secrets } = await readPluginSettings(name, source.settings, host.config);
  for (const secret of secrets) host.mask.add(secret);
  const hooks = source.create({ ...host, own: own as never, log: pluginLog(host.log, () => name) });
  const onboard = source.onboard === undefined ? undefined : { onboard: source.onboard.bind(source) };
  return { plugin: Object.assign(objectOf(hooks), { ...onboard, name, apiVersion }), settings: shown };
}

/** Users' functions may answer anything, such as a promise of a plugin. */
function objectOf<Made extends object>(made: Made): Made {
  if (typeof made === "object" && made !== null && !(made instanceof Promise)) return made;
  throw new Error("what makes it must answer an object of hooks at once, no promise.");
}

function checked(plugin: Plugin): Plugin {
  checkIdentity(plugin);
  return plugin;
}

/** @throws Error with the end of a sentence, when a plugin of that name and version of the contract cannot work here */
export function checkIdentity({ name, apiVersion }: { readonly name?: unknown; readonly apiVersion?: unknown }): void {
  if (typeof name !== "string" || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)) {
    throw new Error("its name must be lower case words joined by '-'.");
  }
  checkApiVersion(apiVersion);
}

/** @throws Error with the end of a sentence, for another version of the contract than this one */
export function checkApiVersion(version: unknown = pluginApiVersion): void {
  if (version === pluginApiVersion) return;
  const shown = typeof version === "number" ? String(version) : JSON.stringify(version);
  throw new Error(`it is made for version ${shown} of the plugin contract, this is version ${pluginApiVersion}.`);
}
