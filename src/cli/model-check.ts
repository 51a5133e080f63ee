// Whether the chosen models can be asked, and where their keys come from. Nothing is sent anywhere.
import { isBubError, messageOf } from "../base/errors.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { findAccess, findPackageAccess } from "../model/endpoint.ts";
import { parseModelName } from "../model/model-settings.ts";

export interface ModelReport {
  /** `provider:model`. */
  model: string;
  /** A sentence: the variable of its key, or that it needs none. */
  key: string;
  problems: string[];
}

/** The model and the ones that stand in for it. */
export async function checkModels(runtime: Runtime): Promise<ModelReport[]> {
  const { model, fallbackModels } = runtime.settings;
  const reports: ModelReport[] = [];
  for (const name of [model, ...fallbackModels]) {
    const problems = await problemsOf(name, runtime);
    reports.push({ model: name, key: problems.length > 0 ? "unknown" : keySourceOf(name, runtime), problems });
  }
  return reports;
}

async function problemsOf(name: string, runtime: Runtime): Promise<string[]> {
  const parsed = parseModelName(name);
  if (parsed === undefined) return [`The model "${name}" is not written as provider:model, such as openai:gpt-5.`];
  const { provider, modelId } = parsed;
  const offered = (await runtime.hooks.collect("provideModels", runtime)).flatMap(({ answer }) => answer).reverse();
  const named = offered.filter((candidate) => candidate.provider === provider);
  try {
    for (const candidate of [...named, ...offered.filter((other) => other.provider === "*")]) {
      if ((await candidate.create(modelId, runtime, provider)) !== undefined) return [];
    }
  } catch (error) {
    const hint = isBubError(error) && error.hint !== undefined ? ` ${error.hint}` : "";
    return [messageOf(error) + hint];
  }
  return [`No plugin knows the provider of the model "${name}".`];
}

function keySourceOf(name: string, { settings, loadedSettings }: Runtime): string {
  const { provider } = parseModelName(name) ?? { provider: "" };
  if (provider === "scripted") return "needs no key";
  try {
    const { lookup } = loadedSettings;
    const packaged = findPackageAccess(provider, settings, lookup);
    const { keySource } = packaged ?? findAccess(provider, settings, lookup);
    if (packaged !== undefined && keySource === undefined) return `key as ${packaged.package} finds it`;
    return keySource === undefined ? "used without a key" : `key from ${keySource}`;
  } catch {
    return "brought by a plugin";
  }
}
