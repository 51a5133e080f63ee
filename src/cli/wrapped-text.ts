// Text in lines of at most so many columns.
import { widthOf } from "../base/terminal-text.ts";

/** Breaks at blanks; a word that is longer than a line is broken where the line ends. */
export function wrapWords(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(columns, 10)));
}

function wrapLine(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((whole) => pieces(whole, columns))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= columns) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  if (widthOf(word) <= columns) return [word];
  const found: string[] = [];
  let piece = "";
  for (const character of word) {
    if (widthOf(piece + character) > columns) {
      found.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...found, piece];
}
