// Makes plugins of what a runtime is given: objects, functions, and paths to modules.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, messageOf } from "../base/errors.ts";
import { importFrom } from "../base/import-module.ts";
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
import { misspelledSections, type PluginSetting, readPluginSettings } from "./plugin-settings.ts";

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  /** One sentence for each that was skipped. */
  readonly problems: readonly string[];
  /** One sentence for each section of settings that seems to be misspelled. */
  readonly warnings: readonly string[];
  /** Of all plugins that declare some. */
  readonly settings: readonly PluginSetting[];
}

/** @param sources plugins and what makes them; strings are paths, relative to the workspace or the current folder */
export async function loadPlugins(
  sources: readonly (PluginSource | string)[],
  host: PluginHost,
): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const problems: string[] = [];
  const settings: PluginSetting[] = [];
  const names: string[] = [];
  for (const given of sources) {
    let name = typeof given === "string" ? given : (given.name ?? "without a name");
    let source: PluginSource | undefined;
    try {
      source = typeof given === "string" ? await importPlugin(given) : given;
      if (isConfigurable(source)) name = source.name;
      const made = await makePlugin(source, host);
      plugins.push(made.plugin);
      settings.push(...made.settings);
      names.push(made.plugin.name);
    } catch (error) {
      problems.push(`The plugin ${name} is skipped: ${messageOf(error)}`);
      // Whoever sets it up is asked what is missing.
      if (source !== undefined && isConfigurable(source) && source.onboard !== undefined)
        plugins.push({ name: source.name, onboard: source.onboard.bind(source) });
      names.push(name);
    }
  }
  return { plugins, problems, settings, warnings: misspelledSections(host.config, names) };
}

async function importPlugin(path: string): Promise<PluginSource> {
  const file = resolve(path);
  if (/\.[cm]?ts$/.test(file) && !("typescript" in process.features && process.features.typescript)) {
    throw new Error(`a TypeScript plugin needs Node 22.18 or newer, this is ${process.version}.`);
  }
  let module: { default?: unknown };
  try {
    module = (await importFrom(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const missing = codeOf(error) === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes(file);
    throw new Error(missing ? `there is no file ${file}.` : `loading ${file} failed: ${messageOf(error)}`);
  }
  if (isPluginSource(module.default)) return module.default;
  throw new Error(`${file} has no default export made by definePlugin().`);
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
  if (typeof plugin.name !== "string" || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(plugin.name)) {
    throw new Error("its name must be lower case words joined by '-'.");
  }
  const version = plugin.apiVersion ?? pluginApiVersion;
  if (version !== pluginApiVersion) {
    throw new Error(`it is made for version ${version} of the plugin contract, this is version ${pluginApiVersion}.`);
  }
  return plugin;
}
