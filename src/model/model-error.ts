// The error of a failed model call: a sentence for people, facts for retry and fallback.
import { BubError, isBubError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { kindOfFailure, type ModelErrorFacts } from "./model.ts";

export class ModelError extends BubError {
  readonly facts: ModelErrorFacts;

  constructor(
    message: string,
    facts: ModelErrorFacts,
    options: { details?: JsonObject; hint?: string; cause?: unknown } = {},
  ) {
    super(kindOfFailure(facts), message, options);
    this.facts = facts;
  }
}

/** True also for errors made by another copy of this package. */
export function isModelError(error: unknown): error is ModelError {
  return isBubError(error) && typeof (error as Partial<ModelError>).facts === "object";
}
