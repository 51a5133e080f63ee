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
  const lines = old.split(loneNewline);
  const withCrlf = replacement.replace(loneNewline, "\r\n");
  const isCrlfFile = lines.length === 1 && !old.includes("\r") && hasOnlyCrlf(text);
  const parts: string[] = [];
  let kept = 0;
  let count = 0;
  for (let match = findMatch(text, lines, from); match !== undefined; match = findMatch(text, lines, match.end)) {
    const gotCrlf = isCrlfFile || (lines.length > 1 && text.slice(match.start, match.end).includes("\r\n"));
    parts.push(text.slice(kept, match.start), gotCrlf ? withCrlf : replacement);
    kept = match.end;
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

interface Match {
  readonly start: number;
  readonly end: number;
}

/** The first occurrence at or after `from`. No pattern: those of long texts do not compile. */
function findMatch(text: string, lines: readonly string[], from: number): Match | undefined {
  const [first = ""] = lines;
  for (let start = placeOf(first, text, from); start >= 0; start = placeOf(first, text, start + 1)) {
    const end = endOf(lines, text, start);
    if (end !== undefined && !splitsCharacter(text, start) && !splitsCharacter(text, end)) return { start, end };
  }
  return undefined;
}

/** Where an occurrence may begin whose first line this is; one without any begins with the end of a line. */
function placeOf(first: string, text: string, from: number): number {
  if (first !== "") return text.indexOf(first, from);
  const newline = text.indexOf("\n", from);
  return newline > from && text[newline - 1] === "\r" ? newline - 1 : newline;
}

/** Where the occurrence that begins there ends; undefined when there is none. */
function endOf(lines: readonly string[], text: string, start: number): number | undefined {
  let end = start;
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      end += text[end] === "\r" ? 1 : 0;
      if (text[end] !== "\n") return undefined;
      end += 1;
    }
    if (!text.startsWith(line, end)) return undefined;
    end += line.length;
  }
  return end;
}

/** Half of a surrogate pair never matches inside a whole one. */
function splitsCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
}
