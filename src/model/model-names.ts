// The models that can be asked: the lists of those providers that a key or an address was set for.
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { findAccess, type ProviderAccess, providerNames } from "./endpoint.ts";
import { fetchModelList } from "./model-list.ts";
import { defaultModel, type Lookup, type ModelSettings, parseModelName } from "./model-settings.ts";
import { readClientArgs } from "./resolve.ts";
import type { Transport } from "./transport.ts";
import { addressOf, versionedAddressOf } from "./wire.ts";

export interface ModelNamesOptions {
  /** `model`: its provider may be asked with `BUB_API_KEY`, at `BUB_API_BASE`. */
  readonly settings: ModelSettings & { readonly model?: string };
  readonly lookup: Lookup;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  /** Told each secret, so that no log shows it. */
  readonly onSecret?: (secret: string) => void;
}

/**
 * Names as `provider:model`, in the order of the providers' lists. One that gives no list adds nothing. No key goes where
 * a run would not send it: the general one only to the provider of the configured model.
 * @throws the signal's reason
 */
export async function listModelNames(options: ModelNamesOptions): Promise<readonly string[]> {
  const providers = providerNames(options.settings).flatMap((provider) => {
    const access = accessTo(provider, options);
    return access === undefined ? [] : [{ provider, access }];
  });
  const lists = await Promise.all(providers.map(({ provider, access }) => namesOf(provider, access, options)));
  options.signal.throwIfAborted();
  return lists.flat();
}

/** Undefined for a provider that nobody has set up, or that only general settings would reach. */
function accessTo(provider: string, { settings, lookup, onSecret }: ModelNamesOptions): ProviderAccess | undefined {
  const isConfigured = parseModelName(settings.model ?? defaultModel)?.provider === provider;
  try {
    const access = findAccess(provider, settings, lookup);
    // Another name for google, with the same models.
    if (provider === "gemini" && !isConfigured) return undefined;
    const isGeneral = access.isGeneralKey || access.apiBase === settings.apiBase;
    if (isGeneral && !isConfigured) return undefined;
    if (access.key !== undefined) onSecret?.(access.key);
    return access;
  } catch {
    return undefined;
  }
}

async function namesOf(
  provider: string,
  access: ProviderAccess,
  options: ModelNamesOptions,
): Promise<readonly string[]> {
  try {
    const { settings, transport, signal } = options;
    const list = await fetchModelList({ ...listRequestOf(access, settings), transport, signal });
    return idsIn(list).map((id) => `${provider}:${id}`);
  } catch {
    return [];
  }
}

/** What asking a provider for its list takes. */
export function listRequestOf(
  access: ProviderAccess,
  settings: ModelSettings,
): { url: URL; headers: Readonly<Record<string, string>> } {
  const { headers } = readClientArgs(settings);
  return { url: listAddress(access), headers: { ...headers, ...keyHeaders(access) } };
}

function listAddress({ wire, apiBase }: ProviderAccess): URL {
  if (wire === "anthropic") return withQuery(versionedAddressOf(apiBase, "v1", "/models"), "limit");
  if (wire === "google") return withQuery(versionedAddressOf(apiBase, "v1beta", "/models"), "pageSize");
  return addressOf(apiBase, "/models");
}

/** A page as long as there is. */
function withQuery(url: URL, name: string): URL {
  url.searchParams.set(name, "1000");
  return url;
}

function keyHeaders({ wire, key }: ProviderAccess): Readonly<Record<string, string>> {
  if (wire === "anthropic")
    return { "anthropic-version": "2023-06-01", ...(key !== undefined && { "x-api-key": key }) };
  if (key === undefined) return {};
  return wire === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

/** Google lists models that answer nobody, such as those for embeddings, and says so. */
export function idsIn(list: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(list)) return [];
  const models = [list.data, list.models].find(Array.isArray) ?? [];
  return models.filter(isJsonObject).flatMap(({ id, name, supportedGenerationMethods: methods }) => {
    if (Array.isArray(methods) && !methods.includes("generateContent")) return [];
    const found = typeof id === "string" ? id : name;
    return typeof found === "string" && found !== "" ? [found.replace(/^models\//, "")] : [];
  });
}
