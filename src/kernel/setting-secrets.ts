// Which texts of variables and settings are secrets that no log and no error may show.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Settings, SettingsRequest } from "./settings.ts";

/** Of the process's variables by their names, of the settings by what they are for. */
export function secretsOf(
  env: SettingsRequest["env"],
  { apiKey, apiBase, clientArgs, providers }: Pick<Settings, "apiKey" | "apiBase" | "clientArgs" | "providers">,
): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) && value ? [value] : []));
  return [
    ...named,
    ...(apiKey === undefined ? [] : [apiKey]),
    ...passwordOf(apiBase),
    ...clientSecrets(clientArgs),
    ...Object.values(providers).flatMap(entrySecrets),
  ];
}

/** Variables of settings that are no keys themselves but hold some: no child of a run has to see them. */
export function variablesWithSecrets({ providers, clientArgs }: Pick<Settings, "providers" | "clientArgs">): string[] {
  const hasKeys = Object.values(providers).flatMap(entrySecrets).length > 0;
  const hasHeaders = clientSecrets(clientArgs).length > 0;
  return [...(hasKeys ? ["BUB_PROVIDERS"] : []), ...(hasHeaders ? ["BUB_CLIENT_ARGS"] : [])];
}

function clientSecrets({ headers, default_headers: defaultHeaders }: JsonObject): string[] {
  return [headers, defaultHeaders].flatMap(namedSecrets);
}

/** Of an entry of `providers`: its key, its address's password, and what the options of its package hold. */
function entrySecrets(entry: JsonValue | undefined): string[] {
  if (!isJsonObject(entry)) return [];
  const { options } = entry;
  const headers = isJsonObject(options) ? options.headers : undefined;
  const address = typeof entry.api_base === "string" ? entry.api_base : undefined;
  return [...[entry, options, headers].flatMap(namedSecrets), ...passwordOf(address)];
}

/** What names tell to be secret; with and without the scheme before it: `Bearer …`. */
function namedSecrets(fields: JsonValue | undefined): string[] {
  if (!isJsonObject(fields)) return [];
  return Object.entries(fields).flatMap(([name, value]) => {
    const isSecret = typeof value === "string" && /authorization|cookie|key|token|secret|password/i.test(name);
    return isSecret ? [value, value.replace(/^\S+\s+/, "")] : [];
  });
}

function passwordOf(address = ""): string[] {
  const password = URL.canParse(address) ? new URL(address).password : "";
  return password === "" ? [] : [password];
}

function isSecretName(name: string): boolean {
  return /(_|^)(KEY|TOKEN|SECRET|PASSWORD)(_|$)/.test(name);
}
