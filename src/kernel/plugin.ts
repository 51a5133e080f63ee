// A plugin: a named object of hooks. Users' plugins and the builtin ones are made the same way.
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
}

export type Plugin = Readonly<PluginDefinition>;

/** What plugins are given as: an object, or a function that makes one for each runtime, where it keeps state. */
export type PluginSource = Plugin | ((host: PluginHost) => Plugin);

/** Marks a plugin, or a function that makes one, and checks its types. */
export function definePlugin<Source extends PluginSource>(source: Source): Source {
  return Object.defineProperty(source, brand, { value: true }) as Source;
}

/** True for what `definePlugin` of any copy of this package made. */
export function isPluginSource(value: unknown): value is PluginSource {
  return (typeof value === "object" || typeof value === "function") && value !== null && brand in value;
}
