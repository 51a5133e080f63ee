// Makes plugins of what a runtime is given: objects, functions, and paths to modules.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf, messageOf } from "../base/errors.ts";
import { isPluginSource, type Plugin, type PluginSource, pluginApiVersion } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  /** One sentence for each that was skipped. */
  readonly problems: readonly string[];
}

/** @param sources objects and functions as they are; strings are paths, relative to the workspace or the current folder */
export async function loadPlugins(
  sources: readonly (PluginSource | string)[],
  host: PluginHost,
): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const problems: string[] = [];
  for (const source of sources) {
    try {
      const plugin = makePlugin(typeof source === "string" ? await importPlugin(source) : source, host);
      plugins.push(plugin);
    } catch (error) {
      const name = typeof source === "string" ? source : (source.name ?? "without a name");
      problems.push(`The plugin ${name} is skipped: ${messageOf(error)}`);
    }
  }
  return { plugins, problems };
}

async function importPlugin(path: string): Promise<PluginSource> {
  const file = resolve(path);
  if (/\.[cm]?ts$/.test(file) && !("typescript" in process.features && process.features.typescript)) {
    throw new Error(`a TypeScript plugin needs Node 22.18 or newer, this is ${process.version}.`);
  }
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const missing = codeOf(error) === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes(file);
    throw new Error(missing ? `there is no file ${file}.` : `loading ${file} failed: ${messageOf(error)}`);
  }
  if (isPluginSource(module.default)) return module.default;
  throw new Error(`${file} has no default export made by definePlugin().`);
}

function makePlugin(source: PluginSource, host: PluginHost): Plugin {
  const plugin = typeof source === "function" ? source(host) : source;
  if (typeof plugin.name !== "string" || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(plugin.name)) {
    throw new Error("its name must be lower case words joined by '-'.");
  }
  const version = plugin.apiVersion ?? pluginApiVersion;
  if (version !== pluginApiVersion) {
    throw new Error(`it is made for version ${version} of the plugin contract, this is version ${pluginApiVersion}.`);
  }
  return plugin;
}
