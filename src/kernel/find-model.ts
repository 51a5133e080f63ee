// The model of a name, from the plugins that make models.
import { BubError } from "../base/errors.ts";
import { nearestName } from "../base/near.ts";
import type { Model } from "../model/model.ts";
import type { Runtime } from "./runtime.ts";

/**
 * The model of a name `provider:model`, from the newest plugin that knows its provider.
 * @throws BubError `config` for a name without provider, an unknown provider, or a missing key
 */
export async function findModel(id: string, runtime: Runtime): Promise<Model> {
  const colon = id.indexOf(":");
  if (colon < 1 || colon === id.length - 1) {
    throw new BubError("config", `The model "${id}" is not written as provider:model, such as openai:gpt-5.`);
  }
  const provider = id.slice(0, colon);
  const offered = (await runtime.hooks.collect("provideModels", runtime)).flatMap(({ answer }) => answer).reverse();
  const named = offered.filter((candidate) => candidate.provider === provider);
  for (const candidate of [...named, ...offered.filter((other) => other.provider === "*")]) {
    const model = await candidate.create(id.slice(colon + 1), runtime, provider);
    if (model !== undefined) return model;
  }
  const names = [...new Set(offered.map((candidate) => candidate.provider))].sort();
  const near = nearestName(provider, names);
  const hint = near === undefined ? `Known providers: ${names.join(", ")}.` : `Did you mean ${near}?`;
  throw new BubError("config", `Unknown provider "${provider}" in the model "${id}".`, { hint });
}
