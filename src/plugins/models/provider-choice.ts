// Which providers a person can choose from at the first set-up, and how a server of one's own gets its name.
import { isJsonObject } from "../../base/json.ts";
import { neutralise } from "../../base/terminal-text.ts";
import type { Choice } from "../../kernel/onboarding.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { builtinProvider, findPackageAccess, isLoopback, toAddress } from "../../model/endpoint.ts";
import type { ModelSettings } from "../../model/model-settings.ts";

/** Stands for a server that has no name yet. */
export const newServer = "server";

const offered: readonly (Choice & { keyPage?: string })[] = [
  { value: "openrouter", label: "OpenRouter", hint: "many models, some free", keyPage: "https://openrouter.ai/keys" },
  { value: "anthropic", label: "Anthropic", keyPage: "https://console.anthropic.com/settings/keys" },
  { value: "openai", label: "OpenAI", keyPage: "https://platform.openai.com/api-keys" },
  { value: "google", label: "Google Gemini", keyPage: "https://aistudio.google.com/apikey" },
  { value: "ollama", label: "Ollama", hint: "on this machine, no key" },
];

/** Where a person gets a key of a provider; undefined where nobody knows. */
export function keyPageOf(provider: string): string | undefined {
  return offered.find(({ value }) => value === provider)?.keyPage;
}

/** The built-in ones, those of settings and of plugins, and a server that is new. */
export async function providerChoices(runtime: Runtime): Promise<readonly Choice[]> {
  const own = Object.keys(runtime.settings.providers ?? {}).map((name) => name.toLowerCase());
  const ofPlugins = await pluginProviders(runtime);
  const further = [...new Set([...own, ...ofPlugins])].filter((name) => !offered.some(({ value }) => value === name));
  return [
    ...offered.map(({ value, label, hint }) => ({ value, label, hint })),
    ...further.map((value) => ({
      value,
      label: neutralise(value),
      hint: own.includes(value) ? "of your config.yml" : "of a plugin",
    })),
    { value: newServer, label: "another server", hint: "llama.cpp, vLLM, LM Studio, …: OpenAI's format" },
  ];
}

/** True for a provider that somebody else speaks to, who has its own ways to its address and key: a plugin, or a package. */
export async function isForeign(provider: string, runtime: Runtime): Promise<boolean> {
  const { settings, loadedSettings } = runtime;
  if ((await pluginProviders(runtime)).includes(provider)) return true;
  return findPackageAccess(provider, settings, loadedSettings.lookup) !== undefined;
}

/** Providers that a plugin brings by name. */
async function pluginProviders(runtime: Runtime): Promise<readonly string[]> {
  const answers = await runtime.hooks.collect("provideModels", runtime);
  return answers.flatMap(({ answer }) => answer.map(({ provider }) => provider)).filter((name) => name !== "*");
}

/** A short name for the server at an address, which no other one has: `local`, or the host's own. */
export function serverNameOf(apiBase: string, { settings }: Runtime): string {
  const base = hostNameOf(apiBase);
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    const { apiBase: taken } = entryOf(name, settings);
    if (taken === undefined || taken === apiBase) return name;
  }
}

function hostNameOf(apiBase: string): string {
  const address = toAddress(apiBase);
  if (address === undefined || isLoopback(address)) return "local";
  if (/^[\d.]+$|^\[/.test(address.hostname)) return "lab";
  const labels = address.hostname.split(".").filter((label) => !/^(www|api)$/.test(label));
  const name = (labels.at(labels.length > 1 ? -2 : -1) ?? "lab").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return nameProblem(name) === undefined ? name : "lab";
}

/** What is wrong with the name of a server; undefined when it can be one. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z0-9]+([-_][a-z0-9]+)*$/.test(name))
    return "A name is lower-case letters, digits and hyphens, such as lab.";
  if (name === newServer || name === "scripted" || builtinProvider(name) !== undefined)
    return `${name} is the name of something else; take another one, such as lab.`;
  return undefined;
}

/** The type and address that config.yml or the environment gives a named server. */
export function entryOf(
  provider: string,
  settings: Pick<ModelSettings, "providers">,
): { name: string; type?: string; apiBase?: string } {
  const providers = settings.providers ?? {};
  const name = Object.keys(providers).find((key) => key.toLowerCase() === provider) ?? provider;
  const entry = providers[name];
  if (!isJsonObject(entry)) return { name };
  const { type, api_base: apiBase } = entry;
  return {
    name,
    ...(typeof type === "string" && { type }),
    ...(typeof apiBase === "string" && { apiBase }),
  };
}
