// What choosing and reaching a model needs to know of the settings.
import type { JsonObject } from "../base/json.ts";

export interface ModelSettings {
  /** `BUB_API_KEY`. */
  readonly apiKey?: string;
  /** `BUB_API_BASE`. */
  readonly apiBase?: string;
  /** `BUB_PROVIDERS`: further endpoints by name, each `{type, api_base, api_key}` or `{package, api_base, api_key, options}`. */
  readonly providers?: JsonObject;
  /** `BUB_CLIENT_ARGS`: `headers`, `timeout` in seconds, `api_format`. */
  readonly clientArgs?: JsonObject;
  /** `BUB_COMPLETION_ARGS`: added to each request's body. */
  readonly completionArgs?: JsonObject;
  /** What sentences call the places of these; their variables by default. */
  readonly places?: { readonly apiKey?: string; readonly providers?: string; readonly clientArgs?: string };
}

/** A variable of the environment: the providers' own names, `BUB_<PROVIDER>_API_KEY` and `BUB_<PROVIDER>_API_BASE`. */
export interface Lookup {
  (name: string): string | undefined;
  /** What only the workspace's `.env` sets: its addresses get its keys, never anybody else's. */
  readonly workspace?: Readonly<Record<string, string>>;
}

export const defaultModel = "openrouter:openrouter/free";

export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}

/** Splits `provider:model` at the first colon; undefined when a side is missing. */
export function parseModelName(text: string): ModelName | undefined {
  const colon = text.indexOf(":");
  const provider = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  const modelId = text.slice(colon + 1).trim();
  return provider === "" || modelId === "" ? undefined : { provider, modelId };
}
