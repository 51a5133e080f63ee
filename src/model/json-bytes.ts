// JSON as the bytes of a request.
import type { JsonValue } from "../base/json.ts";

/** JSON text as bytes, after `before`; halves of surrogate pairs, which servers reject, become U+FFFD. */
export function toBytes(value: JsonValue, before = ""): Uint8Array {
  return Buffer.from(before + toText(value), "utf8");
}

/** As `toBytes`, for texts that are joined before they become bytes. */
export function toText(value: JsonValue): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes lone surrogates, and only them, as \ud800 to \udfff.
  if (!text.includes("\\ud")) return text;
  return JSON.stringify(value, (_key, item) =>
    typeof item === "string" ? item.replace(/\p{Surrogate}/gu, "\uFFFD") : item,
  );
}
