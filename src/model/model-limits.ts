// What a provider's list says of a model, asked when it matters and remembered.
import type { Model, ModelLimits } from "./model.ts";

/** How long a list is waited for (milliseconds): it is never worth more. */
const patienceMs = 5_000;

const asked = new WeakMap<Model, Promise<ModelLimits>>();

/** Asked once a model; a list that fails, or takes more than five seconds, says nothing. Never rejects. */
export function limitsOf(model: Model): Promise<ModelLimits> {
  if (model.limits === undefined) return Promise.resolve({});
  const known = asked.get(model);
  if (known !== undefined) return known;
  const stop = AbortSignal.timeout(patienceMs);
  const late = new Promise<ModelLimits>((resolve) => {
    stop.addEventListener("abort", () => resolve({}), { once: true });
  });
  const answer = Promise.race([Promise.resolve(model.limits(stop)).catch((): ModelLimits => ({})), late]);
  asked.set(model, answer);
  return answer;
}
