// Which model a run asks: the chosen one, and those that stand in when it fails before its first word.
import { findModel } from "../../kernel/find-model.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Model } from "../../model/model.ts";
import { parseModelName } from "../../model/model-settings.ts";

export interface ModelChoice {
  /** `provider:model` of the one in use. */
  readonly id: string;
  readonly current: Model;
  /** Goes over to the next one, for the rest of the run; undefined when there is none. */
  next(): Promise<Model | undefined>;
}

/** @throws BubError `config` when the chosen model cannot be used and none stands in; a fallback that cannot is only passed over */
export async function chooseModels(id: string, turn: Turn): Promise<ModelChoice> {
  const { runtime } = turn;
  const waiting = runtime.settings.fallbackModels.filter((fallback) => fallback !== id);
  let currentId = id;
  let current = await findModel(id, runtime).catch((error) => {
    if (waiting.length === 0) throw error;
    return unusableModel(id, error);
  });
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

/** Fails whenever it is asked, so that another one stands in and everybody is told why. @throws the error for what names no model */
function unusableModel(id: string, error: unknown): Model {
  const name = parseModelName(id);
  if (name === undefined) throw error;
  const stream = () => {
    throw error;
  };
  return { ...name, stream };
}
