// Tells from raw lines that they cannot hold a text, so that most of a tape is passed over unread.
import { BytePattern } from "./byte-pattern.ts";
import { classOf, codesOf, unspaced } from "./characters.ts";

/**
 * The longest stretch of a search text that stands in raw JSON as it stands in the text itself, up to case: no quotes,
 * escapes or punctuation of JSON.
 */
export class Needle {
  readonly #pattern: BytePattern;
  /** Other spellings of characters, of another length: where one stands, the text may stand, too. */
  readonly #strays: readonly Buffer[];
  readonly #isNumber: boolean;

  /** Undefined where nothing of the text is sure to stand in raw lines. */
  static of(text: string): Needle | undefined {
    const stretches = stretchesOf(text.toLowerCase());
    const longest = stretches.reduce((best, next) => (next.bytes.length > best.bytes.length ? next : best), noStretch);
    return longest.bytes.length === 0 ? undefined : new Needle(longest);
  }

  private constructor({ text, bytes, strays }: Stretch) {
    this.#pattern = new BytePattern(bytes);
    this.#strays = strays;
    this.#isNumber = /^[-+.\detz]*$/.test(text);
  }

  /** False when no entry in `bytes[from, to)`, whole lines, can hold the text. */
  mayStandIn(bytes: Buffer, from: number, to: number): boolean {
    return this.#pattern.occursIn(bytes, from, to) || this.#mayBeHidden(bytes.subarray(from, to));
  }

  /** In spellings that we do not write ourselves, or that only a few characters have. */
  #mayBeHidden(bytes: Buffer): boolean {
    if (hasLetterEscape(bytes) || this.#strays.some((stray) => bytes.includes(stray))) return true;
    return this.#isNumber && (hasDerivedDate(bytes) || oddNumber.test(bytes.toString("latin1")));
  }
}
/** The date of such an entry stands nowhere in its line: it is made of a number. */
export function hasDerivedDate(bytes: Buffer): boolean {
  return bytes.includes(timestampKey);
}

const timestampKey = Buffer.from('"timestamp"');
const unicodeEscape = Buffer.from("\\u");
const backslash = 0x5c;
const zero = 0x30;
const one = 0x31;

/** A number with an exponent, with more digits than a double keeps, or so small that it is written with an exponent. */
const oddNumber = /[:,[\s]-?(?:\d+(?:\.\d+)?[eE]|[\d.]{16}|0\.0{6})/;

/** A `\u` escape that is no control character. */
function hasLetterEscape(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(unicodeEscape); at >= 0; at = bytes.indexOf(unicodeEscape, at + 2)) {
    let before = at;
    while (bytes[before - 1] === backslash) before--;
    // An even number of backslashes before it: each two are one, and this one begins the escape.
    const isEscape = (at - before) % 2 === 0;
    const third = bytes[at + 4];
    const isControl = bytes[at + 2] === zero && bytes[at + 3] === zero && (third === zero || third === one);
    if (isEscape && !isControl) return true;
  }
  return false;
}

interface Stretch {
  readonly text: string;
  /** For each byte, its spellings. */
  readonly bytes: readonly (readonly number[])[];
  readonly strays: readonly Buffer[];
}

const noStretch: Stretch = { text: "", bytes: [], strays: [] };
const longestStretch = 48;

function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let current: { text: string; bytes: number[][]; strays: Buffer[] } | undefined;
  // What may stand between others in compact JSON, what is escaped, and what lower case leaves behind of a letter.
  const breaks = /[\p{Cc}\p{Cs}"\\/,:{}[\]\ufffd]|\u0307/u;
  for (const character of text) {
    if (breaks.test(character) || (current?.bytes.length ?? 0) >= longestStretch) current = undefined;
    if (breaks.test(character)) continue;
    if (current === undefined) {
      current = { text: "", bytes: [], strays: [] };
      stretches.push(current);
    }
    const own = Buffer.from(character);
    const spellings = spellingsOf(character).map((spelling) => Buffer.from(spelling));
    const alike = [own, ...spellings.filter(({ length }) => length === own.length)];
    for (const index of own.keys()) current.bytes.push(alike.map((spelling) => spelling[index] as number));
    current.strays.push(...spellings.filter(({ length }) => length !== own.length));
    current.text += character;
  }
  return stretches;
}

/** Other characters whose lower case is, or holds, this one. */
function spellingsOf(character: string): readonly string[] {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return asciiSpellings(character);
  if (classOf(code) === unspaced) return [];
  spellings ??= readSpellings();
  return spellings.get(code) ?? [];
}

function asciiSpellings(character: string): readonly string[] {
  const upper = character.toUpperCase();
  if (upper === character) return [];
  // The Kelvin sign, and the capital I with a dot.
  if (character === "k") return [upper, "\u212a"];
  return character === "i" ? [upper, "\u0130"] : [upper];
}

let spellings: Map<number, string[]> | undefined;

/** Cased letters end before this. */
const lastCased = 0x1ffff;

function readSpellings(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (let code = 0x80; code <= lastCased; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const lower = character.toLowerCase();
    if (lower === character) continue;
    for (const one of codesOf(lower)) found.set(one, [...(found.get(one) ?? []), character]);
  }
  // At the end of a word this letter has a lower case of its own.
  found.set(0x3c2, [...(found.get(0x3c2) ?? []), "Σ"]);
  return found;
}
