// Literal replacement that knows line ends: outside its matches nothing changes.

export interface Replacement {
  readonly old: string;
  readonly new: string;
}

export interface Replaced {
  readonly text: string;
  readonly count: number;
}

/**
 * Replaces every occurrence of `old` at or after `from`. A `\n` in `old` also stands for `\r\n`; where it does, `\n` in
 * `new` becomes `\r\n`, as it does in a file that has no other line ends.
 */
export function replaceText(text: string, { old, new: replacement }: Replacement, from: number): Replaced {
  const { pattern, spansLines } = patternOf(old);
  const withCrlf = replacement.replace(loneNewline, "\r\n");
  const isCrlfFile = !spansLines && !old.includes("\r") && hasOnlyCrlf(text);
  const parts: string[] = [];
  let kept = 0;
  let count = 0;
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const gotCrlf = isCrlfFile || (spansLines && match[0].includes("\r\n"));
    parts.push(text.slice(kept, match.index), gotCrlf ? withCrlf : replacement);
    kept = match.index + match[0].length;
    count += 1;
  }
  return { text: [...parts, text.slice(kept)].join(""), count };
}

/** Where a zero-based line begins; the text's end when there are fewer lines. */
export function offsetOfLine(text: string, line: number): number {
  if (line === 0) return 0;
  const lineEnds = /\r\n|\n|\r/g;
  for (let count = 0; lineEnds.exec(text) !== null; ) {
    count += 1;
    if (count === line) return lineEnds.lastIndex;
  }
  return text.length;
}

const loneNewline = /(?<!\r)\n/g;

function patternOf(old: string): { pattern: RegExp; spansLines: boolean } {
  const literal = old.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const flexible = literal.replace(loneNewline, "\\r?\\n");
  // With `u`, half of a surrogate pair never matches inside a whole one.
  return { pattern: new RegExp(flexible, "gu"), spansLines: flexible !== literal };
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
}
