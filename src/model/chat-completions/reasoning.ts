// What a server wants back of its own reasoning: kept with the answer, replayed to that server only.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** The names under which servers stream reasoning as text. */
export const reasoningFields = ["reasoning_content", "reasoning"] as const;
export type ReasoningField = (typeof reasoningFields)[number];

/** The `providerData` of an answer of this wire format. */
export interface KeptReasoning {
  readonly provider: string;
  /** Signatures hold for one model, and others of the same server may refuse the field. */
  readonly model: string;
  /** The field that the text of the reasoning came in, and goes back in. */
  readonly field?: ReasoningField;
  /** OpenRouter's blocks, with signatures; they go back as they came. */
  readonly details?: readonly JsonObject[];
  /** The `extra_content` of each call in its order, with Gemini's signatures; it goes back on its call. */
  readonly calls?: readonly (JsonObject | null)[];
}

/** Undefined when there is nothing to keep. */
export function keptReasoningToJson({ provider, model, field, details, calls }: KeptReasoning): JsonObject | undefined {
  if (field === undefined && details === undefined && calls === undefined) return undefined;
  return {
    provider,
    model,
    ...(field !== undefined && { field }),
    ...(details !== undefined && { details: [...details] }),
    ...(calls !== undefined && { calls: [...calls] }),
  };
}

/** Undefined for data of another provider, or of another of its models. */
export function keptReasoningFromJson(
  data: JsonValue | undefined,
  { provider, modelId: model }: { provider: string; modelId: string },
): KeptReasoning | undefined {
  if (!isJsonObject(data) || data.provider !== provider || data.model !== model) return undefined;
  const field = reasoningFields.find((name) => name === data.field);
  const details = Array.isArray(data.details) ? data.details.filter(isJsonObject) : undefined;
  const calls = Array.isArray(data.calls) ? data.calls.map((extra) => (isJsonObject(extra) ? extra : null)) : undefined;
  return { provider, model, field, details, calls };
}

/** Joins streamed pieces of `reasoning_details` to the blocks that they are pieces of. */
export class DetailAssembler {
  readonly #blocks: JsonObject[] = [];

  get blocks(): readonly JsonObject[] {
    return this.#blocks;
  }

  push(pieces: JsonValue | undefined): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces) if (isJsonObject(piece)) this.#take(piece);
  }

  #take(piece: JsonObject): void {
    const open = this.#blocks.findLast((block) => block.index === piece.index);
    if (open === undefined || piece.index === undefined || open.type !== piece.type) {
      this.#blocks.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      const before = open[key];
      const grows =
        (key === "text" || key === "summary" || key === "data") &&
        typeof before === "string" &&
        typeof value === "string";
      if (grows) open[key] = before + value;
      else if (value !== null && value !== undefined) open[key] = value;
    }
  }
}
