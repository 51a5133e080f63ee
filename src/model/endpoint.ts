// Where a provider is and which key opens it, out of settings and environment.
import { BubError } from "../base/errors.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { nearestName } from "../base/near.ts";
import { shownAddress } from "../base/shown-address.ts";
import type { Lookup, ModelSettings } from "./model-settings.ts";

/** How a provider is spoken to: the folder of this name speaks it. */
export type WireName = "chat" | "responses" | "anthropic" | "google";

/** A provider that is built in. */
interface KnownProvider {
  readonly apiBase: string;
  /** Where it is not Chat Completions. */
  readonly wire?: "anthropic" | "google";
  /** Its own variables, asked for last. */
  readonly keyVariables: readonly string[];
  readonly baseVariables: readonly string[];
}

const knownProviders: ReadonlyMap<string, KnownProvider> = new Map([
  [
    "openai",
    {
      apiBase: "https://api.openai.com/v1",
      keyVariables: ["OPENAI_API_KEY"],
      baseVariables: ["OPENAI_API_BASE", "OPENAI_BASE_URL"],
    },
  ],
  [
    "openrouter",
    {
      apiBase: "https://openrouter.ai/api/v1",
      keyVariables: ["OPENROUTER_API_KEY"],
      baseVariables: ["OPENROUTER_API_BASE"],
    },
  ],
  [
    "anthropic",
    {
      apiBase: "https://api.anthropic.com/v1",
      wire: "anthropic",
      keyVariables: ["ANTHROPIC_API_KEY"],
      baseVariables: ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"],
    },
  ],
  ["google", googleWith(["GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"])],
  ["gemini", googleWith(["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"])],
  [
    "ollama",
    { apiBase: "http://127.0.0.1:11434/v1", keyVariables: ["OLLAMA_API_KEY"], baseVariables: ["OLLAMA_API_BASE"] },
  ],
]);

function googleWith(keyVariables: readonly string[]): KnownProvider {
  return {
    apiBase: "https://generativelanguage.googleapis.com/v1beta",
    wire: "google",
    keyVariables,
    baseVariables: ["GOOGLE_API_BASE", "GEMINI_API_BASE", "GOOGLE_GEMINI_BASE_URL"],
  };
}

/** Names that may stand before the colon of a model, with those of `BUB_PROVIDERS`. */
export function providerNames({ providers = {} }: ModelSettings): readonly string[] {
  return [...new Set([...knownProviders.keys(), ...Object.keys(providers).map((name) => name.toLowerCase())])];
}

/** A provider that is built in, for people who choose one; undefined for any other name. */
export function builtinProvider(name: string): Pick<KnownProvider, "apiBase" | "keyVariables"> | undefined {
  return knownProviders.get(name);
}

/** What reaching a provider takes. */
export interface ProviderAccess {
  readonly apiBase: string;
  readonly wire: WireName;
  readonly key: string | undefined;
  /** Where the key came from: a variable, or the place of `providers`. */
  readonly keySource: string | undefined;
  /** True for the key that is for every provider, `BUB_API_KEY`. */
  readonly isGeneralKey?: boolean;
}

/**
 * The access to a provider: an entry of `BUB_PROVIDERS`, a built-in one, or any name that an address is set for. Keys come
 * from the entry, `BUB_API_KEY`, `BUB_<PROVIDER>_API_KEY` and the provider's own variable, in this order; addresses alike.
 * An entry without a key takes the one of its own name first.
 * @throws BubError `config` in one sentence: unknown provider, bad address, or no key
 */
export function findAccess(provider: string, settings: ModelSettings, lookup: Lookup): ProviderAccess {
  const entry = readEntry(provider, settings.providers);
  const known = knownProviders.get(entry?.type ?? provider);
  const sources = { entry, known, settings, lookup };
  const found = findKey(provider, sources);
  const apiBase = findBase(provider, found, sources);
  if (apiBase === undefined) {
    if (found !== undefined && textOr(lookup(baseVariable(provider))) !== undefined) throw foreignKey(provider, found);
    throw entry === undefined ? unknownProvider(provider, settings) : noAddress(provider, entry);
  }
  const address = parseAddress(apiBase, provider);
  const { value: key, source: keySource, isGeneral: isGeneralKey } = found ?? {};
  if (key === undefined && entry === undefined && !isLoopback(address)) throw noKey(provider, known);
  return { apiBase, wire: known?.wire ?? openAiWire(address, settings), key, keySource, isGeneralKey };
}

/** What a provider of a package takes; what is absent the package knows itself. */
export interface PackageAccess {
  /** The package's name in the plugin project. */
  readonly package: string;
  readonly apiBase: string | undefined;
  readonly key: string | undefined;
  readonly keySource: string | undefined;
  /** Further settings of its provider, such as `{"region": "eu"}`. */
  readonly options: JsonObject;
}

/**
 * The access to a provider whose entry of `BUB_PROVIDERS` names a package; undefined for any other. Keys are looked for as for
 * other entries, last in the provider's own variable, such as `MISTRAL_API_KEY` for `mistral`.
 * @throws BubError `config` in one sentence
 */
export function findPackageAccess(
  provider: string,
  settings: ModelSettings,
  lookup: Lookup,
): PackageAccess | undefined {
  const entry = readEntry(provider, settings.providers);
  if (entry?.package === undefined) return undefined;
  const known = { apiBase: "", keyVariables: [`${variablePart(provider)}_API_KEY`], baseVariables: [] };
  const sources = { entry, known, settings, lookup };
  const found = findKey(provider, sources);
  const apiBase = textOr(findBase(provider, found, sources));
  if (apiBase !== undefined) parseAddress(apiBase, provider);
  const { value: key, source: keySource } = found ?? {};
  return { package: entry.package, apiBase, key, keySource, options: entry.options };
}

/** OpenAI's own address is asked by Responses, compatible servers by Chat Completions, unless `api_format` says which. */
function openAiWire(address: URL, { clientArgs }: ModelSettings): WireName {
  const format = clientArgs?.api_format;
  if (format === "chat" || format === "responses") return format;
  return isOpenAi(address) ? "responses" : "chat";
}

interface Entry {
  readonly type: string;
  readonly apiBase: string | undefined;
  readonly apiKey: string | undefined;
  /** An AI SDK provider package of the plugin project, which speaks to it in the place of a format of ours. */
  readonly package: string | undefined;
  readonly options: JsonObject;
}

function readEntry(provider: string, providers: JsonObject = {}): Entry | undefined {
  const name = Object.keys(providers).find((key) => key.toLowerCase() === provider);
  if (name === undefined) return undefined;
  const entry = providers[name];
  const place = `BUB_PROVIDERS.${name}`;
  if (!isJsonObject(entry)) throw new BubError("config", `${place} must be an object with type, api_base and api_key.`);
  for (const key of ["type", "api_base", "api_key", "package"]) {
    if (entry[key] !== undefined && typeof entry[key] !== "string")
      throw new BubError("config", `${place}.${key} must be text.`);
  }
  const { options = {} } = entry;
  if (!isJsonObject(options)) throw new BubError("config", `${place}.options must be an object.`);
  return {
    type: String(entry.type ?? "openai").toLowerCase(),
    apiBase: textOr(entry.api_base),
    apiKey: textOr(entry.api_key),
    package: textOr(entry.package),
    options,
  };
}

interface Sources {
  readonly entry: Entry | undefined;
  readonly known: KnownProvider | undefined;
  readonly settings: ModelSettings;
  readonly lookup: Lookup;
}

/** An address of the workspace's own is passed over for a key that the workspace did not bring: it may be anybody's. */
function findBase(
  provider: string,
  key: FoundKey | undefined,
  { entry, known, settings, lookup }: Sources,
): string | undefined {
  const variables = [baseVariable(provider), ...(entry === undefined ? (known?.baseVariables ?? []) : [])];
  const general = { value: settings.apiBase, variable: "BUB_API_BASE" };
  const candidates = [
    entry === undefined ? general : { value: entry.apiBase, variable: undefined },
    ...variables.map((variable) => ({ value: lookup(variable), variable })),
  ];
  const usable = candidates.filter(
    ({ value, variable }) => key?.isOfWorkspace === true || !isOfWorkspace(variable, value, lookup),
  );
  return [...usable.map(({ value }) => value), known?.apiBase].map(textOr).find((base) => base !== undefined);
}

/** True for a value that only the workspace's `.env` gives. */
function isOfWorkspace(variable: string | undefined, value: string | undefined, { workspace = {} }: Lookup): boolean {
  const own = variable === undefined ? undefined : textOr(workspace[variable]);
  return own !== undefined && own === textOr(value);
}

interface FoundKey {
  readonly value: string;
  readonly source: string;
  readonly isGeneral?: boolean;
  readonly isOfWorkspace: boolean;
}

interface KeyCandidate extends Pick<FoundKey, "source" | "isGeneral"> {
  /** Its variable; undefined for the key of an entry. */
  readonly name: string | undefined;
  readonly value: string | undefined;
}

function findKey(provider: string, { entry, known, settings, lookup }: Sources): FoundKey | undefined {
  const { apiKey: generalPlace = "BUB_API_KEY", providers: entryPlace = "BUB_PROVIDERS" } = settings.places ?? {};
  const variable = (name: string) => ({ name, value: lookup(name), source: name });
  const general = { name: "BUB_API_KEY", value: settings.apiKey, source: generalPlace, isGeneral: true };
  const own = variable(`BUB_${variablePart(provider)}_API_KEY`);
  const ofEntry = { name: undefined, value: entry?.apiKey, source: entryPlace };
  const candidates: KeyCandidate[] = entry === undefined ? [general, own] : [ofEntry, own, general];
  // The key of a provider's own variable is for its own address, not for an entry's.
  if (entry?.apiBase === undefined) candidates.push(...(known?.keyVariables ?? []).map(variable));
  for (const { name, source, isGeneral, value: raw } of candidates) {
    const value = textOr(raw);
    if (value === undefined) continue;
    return { value: checkedKey(value, source), source, isGeneral, isOfWorkspace: isOfWorkspace(name, value, lookup) };
  }
  return undefined;
}

/** False for text that cannot be sent as a key. */
export function isKeyText(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

function checkedKey(key: string, source: string): string {
  if (isKeyText(key)) return key;
  throw new BubError(
    "config",
    `The key in ${source} holds characters that no API key has; was more copied than the key?`,
  );
}

/** The address of an API; undefined for what is no http or https address. */
export function toAddress(apiBase: string): URL | undefined {
  const address = URL.canParse(apiBase) ? new URL(apiBase) : undefined;
  return address !== undefined && /^https?:$/.test(address.protocol) ? address : undefined;
}

function parseAddress(apiBase: string, provider: string): URL {
  const address = toAddress(apiBase);
  if (address !== undefined) return address;
  throw new BubError("config", `The API base of ${provider}, "${shownAddress(apiBase)}", is no http or https address.`);
}

function unknownProvider(provider: string, settings: ModelSettings): BubError {
  const near = nearestName(provider, [...providerNames(settings), "scripted"]);
  const guess = near === undefined ? "" : ` did you mean ${near}?`;
  return new BubError(
    "config",
    `There is no provider ${provider}:${guess || ` known are ${providerNames(settings).join(", ")}.`} ${baseVariable(provider)} makes one of an address.`,
  );
}

/** There is an address, but only in the workspace's `.env`, and the key is the user's. */
function foreignKey(provider: string, { source }: FoundKey): BubError {
  const variable = baseVariable(provider);
  return new BubError(
    "config",
    `The address of ${provider} is ${variable} of the workspace's .env, which never gets the key of ${source}.`,
    { hint: `Set ${variable} in your own environment if you trust it, or do without the key of ${source} here.` },
  );
}

function noAddress(provider: string, { type }: Entry): BubError {
  return new BubError("config", `BUB_PROVIDERS.${provider} needs an api_base: ${type} has no address of its own.`);
}

function noKey(provider: string, known: KnownProvider | undefined): BubError {
  const variable = known?.keyVariables[0] ?? `BUB_${variablePart(provider)}_API_KEY`;
  return new BubError(
    "config",
    `There is no API key for ${provider}: set ${variable} or BUB_API_KEY, or run bub onboard.`,
  );
}

function isOpenAi({ hostname }: URL): boolean {
  return hostname === "api.openai.com";
}

/** True for an address of this machine, where no key is needed. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127\./.test(hostname);
}

function baseVariable(provider: string): string {
  return `BUB_${variablePart(provider)}_API_BASE`;
}

/** `my-server` is MY_SERVER in the names of variables. */
function variablePart(provider: string): string {
  return provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}

function textOr(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
