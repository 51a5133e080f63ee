// Puts the pieces of an answer's calls together, whichever way a server deals them out.
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn } from "../../base/json.ts";
import type { RawCall } from "../calls.ts";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
  /** What its maker wants back with it: Gemini's signature behind a compatible address. */
  extra: JsonObject | null;
}

interface Piece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  /** An object stands for the whole. */
  readonly arguments: string | JsonObject;
  readonly extra: JsonObject | undefined;
}

/**
 * The format gives each call an index, and its id and name in its first piece. Servers also send all calls with index 0 or
 * with none, leave ids out, repeat them, repeat the name in every piece, and send the arguments as an object.
 */
export class CallAssembler {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  /** In the order in which they began. */
  get calls(): readonly RawCall[] {
    return this.#calls;
  }

  /** The `extra_content` of each call, in their order; undefined when none has any. */
  get extras(): readonly (JsonObject | null)[] | undefined {
    const extras = this.#calls.map(({ extra }) => extra);
    return extras.some((extra) => extra !== null) ? extras : undefined;
  }

  /** Takes the `tool_calls` of one delta. */
  push(pieces: JsonValue | undefined): void {
    if (!Array.isArray(pieces)) return;
    for (const raw of pieces) {
      const piece = readPiece(raw);
      if (piece !== undefined) this.#take(piece);
    }
  }

  #take(piece: Piece): void {
    const known = piece.index === undefined ? this.#find(piece.id) : this.#byIndex.get(piece.index);
    const call = known === undefined || isAnother(known, piece) ? this.#open() : known;
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    if (call.id === "") call.id = piece.id;
    if (call.name === "") call.name = piece.name;
    if (typeof piece.arguments === "string") call.arguments += piece.arguments;
    else call.arguments = JSON.stringify(piece.arguments);
    if (piece.extra !== undefined) call.extra = piece.extra;
  }

  /** Without an index, the call of that id, else the newest. */
  #find(id: string): OpenCall | undefined {
    return (id === "" ? undefined : this.#calls.findLast((call) => call.id === id)) ?? this.#calls.at(-1);
  }

  #open(): OpenCall {
    const call = { id: "", name: "", arguments: "", extra: null };
    this.#calls.push(call);
    return call;
  }
}

/** Whether a piece that points at a call begins another one. */
function isAnother(call: OpenCall, piece: Piece): boolean {
  if (piece.id !== "" && call.id !== "" && piece.id !== call.id) return true;
  if (piece.name === "" || piece.arguments === "")
    return piece.name !== "" && piece.name !== call.name && call.name !== "";
  // A name again, and arguments after whole ones: nothing can be added to those.
  return isWhole(call.arguments);
}

function isWhole(text: string): boolean {
  return text.endsWith("}") && isJsonObject(parseJson(text));
}

function readPiece(raw: JsonValue): Piece | undefined {
  if (!isJsonObject(raw)) return undefined;
  const from = isJsonObject(raw.function) ? raw.function : {};
  const given = from.arguments;
  return {
    index: typeof raw.index === "number" ? raw.index : undefined,
    id: typeof raw.id === "string" || typeof raw.id === "number" ? String(raw.id) : "",
    name: textIn(from.name),
    arguments: isJsonObject(given) ? given : textIn(given),
    extra: isJsonObject(raw.extra_content) ? raw.extra_content : undefined,
  };
}
