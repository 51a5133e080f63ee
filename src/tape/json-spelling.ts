// Where JSON text spells a value in other characters than JSON.stringify would.
import { classOf, separator } from "./characters.ts";

const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const slash = 0x2f;
const backslash = 0x5c;
const lowerU = 0x75;
const longestNumber = 32;

/** An escape that stands for a part of a word. @param at the backslash's place */
export function hidesCharacter(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 1] === slash) return true;
  if (bytes[at + 1] !== lowerU) return false;
  const code = Number.parseInt(String.fromCharCode(...bytes.subarray(at + 2, at + 6)), 16);
  if (Number.isNaN(code)) return false;
  const isPair = code >= 0xd800 && code < 0xdc00 && bytes[at + 6] === backslash && bytes[at + 7] === lowerU;
  return isPair || classOf(code) !== separator;
}

/** A number of other digits than JavaScript gives it. @param at the place of its first digit or its sign */
export function isOddNumber(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] as number;
  if (!isDigit(first) && first !== minus) return false;
  // What follows a point or a plus was looked at with what stands before it.
  if (bytes[at - 1] === dot || bytes[at - 1] === plus) return false;
  let end = at + 1;
  while (end < bytes.length && isNumeral(bytes[end] as number)) end++;
  if (isPlainInteger(bytes, at, end)) return false;
  const text = String.fromCharCode(...bytes.subarray(at, Math.min(end, at + longestNumber)));
  return String(Number(text)) !== text;
}

/** Up to 15 digits without a zero before them: every program writes it so. */
function isPlainInteger(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > 15 || (bytes[from] === zero && to - from > 1)) return false;
  for (let at = from; at < to; at++) if (!isDigit(bytes[at] as number)) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isNumeral(byte: number): boolean {
  return isDigit(byte) || byte === dot || byte === plus || byte === minus || byte === 0x65 || byte === 0x45;
}
