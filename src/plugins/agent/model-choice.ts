// Which model a run asks: the chosen one, and those that stand in when it fails before its first word.
import { BubError } from "../../base/errors.ts";
import { nearestName } from "../../base/near.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Model } from "../../model/model.ts";

export interface ModelChoice {
  /** `provider:model` of the one in use. */
  readonly id: string;
  readonly current: Model;
  /** Goes over to the next one, for the rest of the run; undefined when there is none. */
  next(): Promise<Model | undefined>;
}

/** @throws BubError `config` when the chosen model cannot be used; a fallback that cannot is only passed over */
export async function chooseModels(id: string, turn: Turn): Promise<ModelChoice> {
  const { runtime } = turn;
  const waiting = runtime.settings.fallbackModels.filter((fallback) => fallback !== id);
  let currentId = id;
  let current = await findModel(id, runtime);
  return {
    get id() {
      return currentId;
    },
    get current() {
      return current;
    },
    async next() {
      for (let fallback = waiting.shift(); fallback !== undefined; fallback = waiting.shift()) {
        try {
          current = await findModel(fallback, runtime);
          currentId = fallback;
          return current;
        } catch (error) {
          turn.log.warn("a fallback model cannot be used", { model: fallback, error });
        }
      }
      return undefined;
    },
  };
}

/**
 * The model of a name, from the newest plugin that knows its provider.
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
