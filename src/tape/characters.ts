// What a character is to a search: part of a word or not, written without spaces or not, its lower case, its bytes.

export const separator = 1;
/** Letters, marks and digits of any script, and `_`, `/` and `-`. */
export const spaced = 2;
/** The same of scripts that are written without spaces: Han, Kana, Hangul. */
export const unspaced = 3;

export type CharacterClass = typeof separator | typeof spaced | typeof unspaced;

// Made when first asked: making them takes 2 ms, and whoever loads this file may never search.
let wordPattern: RegExp | undefined;
let unspacedPattern: RegExp | undefined;

// Found once for each character that is met: a tape holds few different ones.
const classes = new Uint8Array(0x10000);
const lowerCodes = new Map<number, number>();

export function classOf(code: number): CharacterClass {
  const known = (classes[code] ?? 0) as CharacterClass | 0;
  if (known !== 0) return known;
  const found = classify(String.fromCodePoint(code));
  if (code < classes.length) classes[code] = found;
  return found;
}

/** A character in lower case, as one character: no dot is set on the Turkish i, and a final sigma is any sigma. */
export function lowerCode(code: number): number {
  if (code < 128) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  let lower = lowerCodes.get(code);
  if (lower === undefined) {
    lower = String.fromCodePoint(code).toLowerCase().codePointAt(0) as number;
    if (lower === finalSigma) lower = sigma;
    lowerCodes.set(code, lower);
  }
  return lower;
}

const sigma = 0x3c3;
const finalSigma = 0x3c2;

export function codesOf(text: string): number[] {
  const codes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) as number;
    codes.push(code);
    if (code > 0xffff) index++;
  }
  return codes;
}

/** The character that begins at a place in UTF-8. A byte that begins none counts as NUL. */
export function codeAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first;
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  if (first < 0xe0) return first < 0xc2 ? 0 : ((first & 0x1f) << 6) | second;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  if (first < 0xf0) return wide(((first & 0x0f) << 12) | (second << 6) | third, 0x800);
  return wide(((first & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 0x3f), 0x10000);
}

/** How many bytes a character takes that was read by `codeAt`. */
export function bytesOf(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

function wide(code: number, least: number): number {
  return code < least || code > 0x10ffff ? 0 : code;
}

function classify(character: string): CharacterClass {
  wordPattern ??= /[\p{L}\p{M}\p{N}_/-]/u;
  if (!wordPattern.test(character)) return separator;
  unspacedPattern ??= /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;
  return unspacedPattern.test(character) ? unspaced : spaced;
}
