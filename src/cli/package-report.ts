// What `bub install` has installed, for people: each package with its version and what became of its plugin.
import type { Runtime } from "../kernel/runtime.ts";

export interface PackageReport {
  name: string;
  version: string | null;
  /** The name of the plugin that it brought; null for one that brings none, such as a provider of models. */
  plugin: string | null;
  /** Why it cannot be used. */
  problem?: string;
}

export function reportPackages({ packages }: Runtime): PackageReport[] {
  return packages.map(({ package: name, version = null, plugin = null, problem }) => ({
    name,
    version,
    plugin,
    ...(problem !== undefined && { problem }),
  }));
}

/** Name, version and plugin of each. */
export function packageRows(packages: readonly PackageReport[]): string[][] {
  return packages.map(({ name, version, plugin, problem }) => [
    name,
    version ?? "-",
    problem === undefined ? (plugin ?? "no plugin") : "not usable",
  ]);
}
