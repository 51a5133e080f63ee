// Pieces of request bodies that formats put together alike.
import type { JsonObject, JsonValue } from "../base/json.ts";
import { toBytes } from "./json-bytes.ts";
import type { ModelTool } from "./model.ts";

export const comma = Buffer.from(",");

/** Bytes with commas between them. */
export function separated(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece]));
}

/** `{…` without its closing brace: what is managed, then what a setting adds and does not name `reserved` keys. */
export function headBytes(managed: JsonObject, extra: JsonObject, reserved: ReadonlySet<string>): Uint8Array {
  const kept = Object.entries(extra).filter(([name]) => !Object.hasOwn(managed, name) && !reserved.has(name));
  return toBytes({ ...managed, ...Object.fromEntries(kept) }).subarray(0, -1);
}

/** The elements of a list of tools, made once for each list. */
export class ToolElements {
  readonly #known = new WeakMap<readonly ModelTool[], readonly Uint8Array[]>();
  readonly #element: (tool: ModelTool) => JsonValue;

  constructor(element: (tool: ModelTool) => JsonValue) {
    this.#element = element;
  }

  of(tools: readonly ModelTool[]): readonly Uint8Array[] {
    const known = this.#known.get(tools);
    if (known !== undefined) return known;
    const made = tools.map((tool) => toBytes(this.#element(tool)));
    this.#known.set(tools, made);
    return made;
  }
}
