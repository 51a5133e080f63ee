// Which texts of variables and settings are secrets that no log and no error may show.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import type { Settings, SettingsRequest } from "./settings.ts";

/** Of the process's variables by their names, of the settings by what they are for. */
export function secretsOf(
  env: SettingsRequest["env"],
  { apiKey, apiBase, clientArgs }: Pick<Settings, "apiKey" | "apiBase" | "clientArgs">,
): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) && value ? [value] : []));
  const { headers, default_headers: defaultHeaders } = clientArgs;
  return [
    ...named,
    ...(apiKey === undefined ? [] : [apiKey]),
    ...passwordOf(apiBase),
    ...[headers, defaultHeaders].flatMap(headerSecrets),
  ];
}

/** Variables of settings that are no keys themselves but hold some: no child of a run has to see them. */
export function variablesWithSecrets({ providers, clientArgs }: Pick<Settings, "providers" | "clientArgs">): string[] {
  const hasKeys = Object.values(providers).some((entry) => isJsonObject(entry) && entry.api_key !== undefined);
  const { headers, default_headers: defaultHeaders } = clientArgs;
  const hasHeaders = [headers, defaultHeaders].flatMap(headerSecrets).length > 0;
  return [...(hasKeys ? ["BUB_PROVIDERS"] : []), ...(hasHeaders ? ["BUB_CLIENT_ARGS"] : [])];
}

/** With and without the scheme before it: `Bearer …`. */
function headerSecrets(headers: JsonValue | undefined): string[] {
  if (!isJsonObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const isSecret = typeof value === "string" && /authorization|cookie|key|token|secret|password/i.test(name);
    return isSecret ? [value, value.replace(/^\S+\s+/, "")] : [];
  });
}

function passwordOf(address = ""): string[] {
  return URL.canParse(address) ? [new URL(address).password] : [];
}

function isSecretName(name: string): boolean {
  return /(_|^)(KEY|TOKEN|SECRET|PASSWORD)(_|$)/.test(name);
}
