// Makes text from models, tools and files safe to show on a terminal, and fits it into its columns.

/** Patterns with \p take V8 milliseconds to make: they stand where they are used, behind a look for what is most common. */
const plain = /^[\t\n -~]*$/;

/**
 * The text with everything that a terminal would obey made visible: escape sequences, bells, bare carriage returns,
 * C1 controls and direction overrides. Works on any piece of a stream by itself; `\r\n` becomes `\n`.
 */
export function neutralise(text: string): string {
  if (plain.test(text)) return text;
  // Control characters but tab and newline, and the marks that reorder the text around them.
  return text.replace(/\r\n|(?![\t\n])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, visible);
}

/** One line of any text: white space and line ends become single blanks, the rest is neutralised. */
export function toOneLine(text: string): string {
  if (plainWord.test(text)) return text;
  return neutralise(text.replace(/\s+/g, " ").trim());
}

const plainWord = /^[!-~]*$/;

/** Compact JSON on one line that is also safe on a terminal: C1 controls and DEL are escaped, too. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped);
}

/** Columns that text takes: wide characters two, combining marks none. */
export function widthOf(text: string): number {
  if (!beyondNarrow.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a line that fits into so many columns, with `…` where something was left out. */
export function cutToWidth(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let kept = "";
  let width = 1;
  for (const character of line) {
    width += columnsOf(character);
    if (width > columns) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Below, every character takes one column. */
const beyondNarrow = /[^\0-\u02ff]/;
function columnsOf(character: string): number {
  if (character < "\u0300") return 1;
  if (/^(?:\p{M}|\p{Cf})$/u.test(character)) return 0;
  return isWide(character) ? 2 : 1;
}

function isWide(character: string): boolean {
  return /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]$/u.test(
    character,
  );
}

function visible(found: string): string {
  if (found === "\r\n") return "\n";
  const code = found.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
