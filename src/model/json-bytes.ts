// JSON as the bytes of a request.
import type { JsonValue } from "../base/json.ts";

/** JSON text as bytes, after `before`; halves of surrogate pairs, which servers reject, become U+FFFD. */
export function toBytes(value: JsonValue, before = ""): Uint8Array {
  const text = JSON.stringify(value);
  // JSON.stringify escapes lone surrogates, and only them, as \ud800 to \udfff.
  if (!text.includes("\\ud")) return Buffer.from(before + text, "utf8");
  const mended = JSON.stringify(value, (_key, item) =>
    typeof item === "string" ? item.replace(/\p{Surrogate}/gu, "\uFFFD") : item,
  );
  return Buffer.from(before + mended, "utf8");
}
