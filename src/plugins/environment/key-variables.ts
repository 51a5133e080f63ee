// Knows which variables this runtime's models have their keys from.
import type { PluginHost } from "../../kernel/plugin-host.ts";
import { findAccess } from "../../model/endpoint.ts";
import { parseModelName } from "../../model/model-settings.ts";

export class KeyVariables {
  readonly #host: Pick<PluginHost, "settings" | "lookup">;
  readonly #providers = new Set<string>();
  /** What was found before: every shell asks, and settings do not change. */
  readonly #sources = new Map<string, string | undefined>();

  /** Begins with the models that the settings name. */
  constructor(host: Pick<PluginHost, "settings" | "lookup">) {
    this.#host = host;
    for (const model of [host.settings.model, ...host.settings.fallbackModels]) this.add(model);
  }

  /** @param model `provider:model`, as a run uses it */
  add(model: string): void {
    const provider = parseModelName(model)?.provider;
    if (provider !== undefined) this.#providers.add(provider);
  }

  names(): string[] {
    for (const provider of this.#providers) {
      if (!this.#sources.has(provider)) this.#sources.set(provider, this.#sourceOf(provider));
    }
    return [...this.#sources.values()].filter((source) => source !== undefined);
  }

  /** Providers that only a plugin knows have their key, by custom, in a variable of their name. */
  #sourceOf(provider: string): string | undefined {
    try {
      return findAccess(provider, this.#host.settings, this.#host.lookup).keySource;
    } catch {
      return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
    }
  }
}
