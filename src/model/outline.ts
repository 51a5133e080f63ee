// What a provider wants back of its own answer: in which order its pieces came, and the sealed ones unchanged.
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { ModelCall, ModelMessage } from "./model.ts";

/** Who made an answer, and who alone gets its sealed pieces back: signatures hold for one model of one provider. */
export interface Maker {
  readonly provider: string;
  readonly modelId: string;
  /** The wire format: a provider's formats do not know each other's pieces. */
  readonly format: string;
}

/** A piece of an answer. `extra` are further keys that its maker wants on it. */
export type AnswerPiece =
  | { readonly type: "text"; readonly text: string; readonly extra: JsonObject }
  | { readonly type: "call"; readonly call: ModelCall; readonly index: number; readonly extra: JsonObject }
  /** Goes back as it came. */
  | { readonly type: "own"; readonly value: JsonObject };

type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;

/** Notes an answer's pieces as they come. Text and calls stand in the message already: of them it keeps length and order. */
export class Outline {
  readonly #entries: JsonObject[] = [];

  text(length: number, extra: JsonObject = {}): void {
    const last = this.#entries.at(-1);
    const isMore = typeof last?.text === "number" && last.extra === undefined && isEmpty(extra);
    if (isMore) last.text = Number(last.text) + length;
    else if (length > 0 || !isEmpty(extra))
      this.#entries.push({ text: length, ...(!isEmpty(extra) && { extra: { ...extra } }) });
  }

  call(extra: JsonObject = {}): void {
    this.#entries.push({ call: true, ...(!isEmpty(extra) && { extra: { ...extra } }) });
  }

  own(value: JsonObject): void {
    this.#entries.push({ own: value });
  }

  /** The answer's `providerData`; undefined when text and calls alone say it all. */
  toJson({ provider, modelId, format }: Maker): JsonObject | undefined {
    const isPlain = this.#entries.every((entry) => entry.own === undefined && entry.extra === undefined);
    return isPlain ? undefined : { provider, model: modelId, format, outline: [...this.#entries] };
  }
}

/**
 * A message's pieces in the order in which `maker` gave them; text before calls, and nothing sealed, if another made it.
 * Reasoning that nothing follows, as when the token limit cut the answer off, is left out: APIs refuse it.
 */
export function piecesOf(message: AssistantMessage, maker: Maker): readonly AnswerPiece[] {
  const outline = isMadeBy(message.providerData, maker) ? message.providerData.outline : undefined;
  const pieces = Array.isArray(outline) ? orderedPieces(message, outline) : undefined;
  return pieces === undefined ? plainPieces(message) : withoutLooseEnd(pieces);
}

/** Whether the sealed pieces of an answer may go to `maker`. */
export function isMadeBy(data: JsonValue | undefined, { provider, modelId, format }: Maker): data is JsonObject {
  return isJsonObject(data) && data.provider === provider && data.model === modelId && data.format === format;
}

function plainPieces({ content = "", calls = [] }: AssistantMessage): AnswerPiece[] {
  const pieces: AnswerPiece[] = calls.map((call, index) => ({ type: "call", call, index, extra: {} }));
  return content === "" ? pieces : [{ type: "text", text: content, extra: {} }, ...pieces];
}

/** Undefined when the outline is not of this text and these calls. */
function orderedPieces(
  { content = "", calls = [] }: AssistantMessage,
  outline: readonly JsonValue[],
): AnswerPiece[] | undefined {
  const pieces: AnswerPiece[] = [];
  let used = 0;
  let called = 0;
  for (const entry of outline) {
    if (!isJsonObject(entry)) return undefined;
    const extra = isJsonObject(entry.extra) ? entry.extra : {};
    if (isJsonObject(entry.own)) pieces.push({ type: "own", value: entry.own });
    else if (typeof entry.text === "number") {
      pieces.push({ type: "text", text: content.slice(used, used + entry.text), extra });
      used += entry.text;
    } else {
      const call = calls[called];
      if (call === undefined) return undefined;
      pieces.push({ type: "call", call, index: called, extra });
      called++;
    }
  }
  return used === content.length && called === calls.length ? pieces : undefined;
}

function withoutLooseEnd(pieces: readonly AnswerPiece[]): readonly AnswerPiece[] {
  const last = pieces.findLastIndex(
    (piece) => piece.type === "call" || (piece.type === "text" && (piece.text.trim() !== "" || !isEmpty(piece.extra))),
  );
  return pieces.filter((piece, index) => index <= last || piece.type !== "own");
}

function isEmpty(extra: JsonObject): boolean {
  return Object.keys(extra).length === 0;
}
