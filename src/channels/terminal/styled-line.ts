// Lines with colours: cutting, trimming, and the styles that are used, which are none without colours.

import type { MarkdownTheme } from "@earendil-works/pi-tui";
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";

/** The line without blanks at its end. */
export function trimLine(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences may follow the blanks
  return line.replace(/ +((?:\x1b\[[0-9;]*m)*)$/, "$1");
}

export function fitLine(line: string, columns: number): string {
  return visibleWidth(line) > columns ? truncateToWidth(line, columns, "…") : line;
}

export type Paint = (text: string) => string;

export interface Palette {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly struck: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly cyan: Paint;
}

/** Every paint leaves its text alone when there are no colours. */
export function createPalette(hasColours: boolean): Palette {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      hasColours && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    struck: paint(9, 29),
    red: paint(31, 39),
    green: paint(32, 39),
    cyan: paint(36, 39),
  };
}

export function markdownTheme(palette: Palette): MarkdownTheme {
  const { bold, dim, italic, underline, struck, cyan } = palette;
  return {
    heading: bold,
    link: underline,
    linkUrl: dim,
    code: cyan,
    codeBlock: (text) => text,
    codeBlockBorder: dim,
    quote: italic,
    quoteBorder: dim,
    hr: dim,
    listBullet: (text) => text,
    bold,
    italic,
    strikethrough: struck,
    underline,
  };
}
