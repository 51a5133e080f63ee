// A plugin: a named object of hooks. Users' plugins and the builtin ones are made the same way.
import type { JsonSchema, OutputOf, StandardSchema } from "../base/schema.ts";
import type { Hooks } from "./hooks.ts";
import type { PluginHost } from "./plugin-host.ts";

/** Counts up when a hook changes so that older plugins would break. */
export const pluginApiVersion = 1;

const brand = Symbol.for("bub.plugin");

export interface PluginDefinition extends Partial<Hooks> {
  /** Lower case words joined by `-`; shown in errors and by `bub hooks`. */
  name: string;
  /** The version of this contract that it was written for; today's when absent. */
  apiVersion?: number;
  // With these it is a ConfigurablePlugin.
  settings?: never;
  create?: never;
}

export type Plugin = Readonly<PluginDefinition>;

/** A plugin with settings of its own: `create` gets them checked, in `host.own`. */
export interface ConfigurablePlugin<Schema extends StandardSchema | JsonSchema> {
  name: string;
  apiVersion?: number;
  /**
   * Of `plugin_settings.<name>` in config.yml: any Standard Schema that yields JSON Schema, or plain JSON Schema.
   * What has `writeOnly: true` or the format `password` is shown to nobody.
   */
  settings: Schema;
  /** The hook `onboard`, which is asked also while settings are missing or wrong: it is what sets them. */
  onboard?: Hooks["onboard"];
  /** Called once for each runtime, after the settings were found right. */
  create(host: PluginHost<OutputOf<Schema>>): Partial<Hooks>;
}

/** A plugin with settings, of whichever types. */
export interface AnyConfigurablePlugin extends Omit<ConfigurablePlugin<StandardSchema | JsonSchema>, "create"> {
  create(host: PluginHost<never>): Partial<Hooks>;
}

/** What plugins are given as: an object, a function that makes one for each runtime, where it keeps state, or one with settings. */
export type PluginSource = Plugin | ((host: PluginHost) => Plugin) | AnyConfigurablePlugin;

/** Marks a plugin, or what makes one, and checks its types. */
export function definePlugin<Source extends Plugin | ((host: PluginHost) => Plugin)>(source: Source): Source;
export function definePlugin<const Schema extends StandardSchema | JsonSchema>(
  source: ConfigurablePlugin<Schema>,
): ConfigurablePlugin<Schema>;
export function definePlugin<Source extends PluginSource>(source: Source): Source {
  return Object.defineProperty(source, brand, { value: true }) as Source;
}

/** True for what `definePlugin` of any copy of this package made. */
export function isPluginSource(value: unknown): value is PluginSource {
  return (typeof value === "object" || typeof value === "function") && value !== null && brand in value;
}

/** True for a plugin that wants its settings checked before it is made. */
export function isConfigurable(source: PluginSource): source is AnyConfigurablePlugin {
  return typeof source === "object" && "create" in source;
}
