// A streaming answer as Markdown: parts that cannot change any more, and the part that still grows.
import { Markdown, type MarkdownTheme, Marked } from "@earendil-works/pi-tui";
import { trimLine } from "./styled-line.ts";

/** Lines of an open code block that stay live; the last one may be the beginning of its end. */
const liveCodeLines = 4;

/** Characters of the growing part that are rendered in each frame; more would not fit on the screen anyway. */
const mostLive = 6_000;
const mostLiveRows = 40;

const fence = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/;

interface Part {
  readonly text: string;
  /** Of a code block that begins in an earlier part, or goes on in a later one. */
  readonly cut?: { readonly start: boolean; readonly end: boolean };
  /** Whether a blank line follows. */
  readonly gap: boolean;
}

export class AnswerStream {
  readonly #theme: MarkdownTheme;
  readonly #parser = new Marked();
  /** What still may change. */
  #open = "";
  /** Where the last complete line ended when it was looked for finished parts. */
  #splitEnd = 0;
  #isOpenCut = false;
  #hasGap = false;
  #isChecked = true;
  #tail: Markdown;

  constructor(theme: MarkdownTheme) {
    this.#theme = theme;
    this.#tail = this.#markdown("");
  }

  get isEmpty(): boolean {
    return this.#open.trim() === "";
  }

  /** @param text safe for a terminal */
  push(text: string): void {
    this.#open += text;
    this.#isChecked = false;
  }

  /** Lines that are finished since the last call. */
  takeFinished(columns: number): string[] {
    if (this.#isChecked) return [];
    this.#isChecked = true;
    const end = this.#open.lastIndexOf("\n") + 1;
    const lines = (this.#mayBeFinished(end) ? this.#split(end) : []).flatMap((part) => this.#renderPart(part, columns));
    this.#splitEnd = this.#open.lastIndexOf("\n") + 1;
    this.#tail.setText(endOf(this.#open));
    return lines;
  }

  /** The part that still grows, as it looks now; of a long one only its end. */
  renderOpen(columns: number): readonly string[] {
    return this.#renderOpen(this.#tail, columns);
  }

  #renderOpen(markdown: Markdown, columns: number): readonly string[] {
    if (this.isEmpty) return [];
    const lines = trimmed(markdown.render(columns)).slice(this.#isOpenCut ? 1 : 0);
    return this.#hasGap && lines.length > 0 ? ["", ...lines] : lines;
  }

  /** Nothing more comes: all that is left. */
  end(columns: number): string[] {
    this.#isChecked = false;
    const lines = this.takeFinished(columns);
    lines.push(...this.#renderOpen(this.#markdown(this.#open), columns));
    this.#open = "";
    this.#splitEnd = 0;
    this.#isOpenCut = false;
    this.#hasGap = false;
    this.#tail = this.#markdown("");
    return lines;
  }

  /** Only a complete line can finish anything; of a long part, for which looking takes its time, only a blank one. */
  #mayBeFinished(end: number): boolean {
    if (end === this.#splitEnd) return false;
    const isLong = this.#open.length > mostLive && !fence.test(this.#open);
    return !isLong || this.#open.slice(Math.max(0, this.#splitEnd - 1)).includes("\n\n");
  }

  /** Takes the finished parts off the open text. */
  #split(end: number): Part[] {
    // A line that has only begun may become anything.
    const tokens = this.#parser.lexer(this.#open.slice(0, end));
    const last = tokens.findLastIndex(({ type }) => type !== "space");
    if (last < 0) return [];
    const parts: Part[] = [];
    tokens.slice(0, last).forEach((token, index) => {
      if (token.type === "space" || token.type === "def") return;
      const next = tokens[index + 1];
      const isTight = next?.type === "list" && token.type === "paragraph" && !/\n\n$/.test(token.raw);
      parts.push({ text: token.raw, gap: !isTight, cut: this.#takeCut(false) });
    });
    const open = tokens[last];
    if (open === undefined) return parts;
    this.#open = this.#open.slice(tokens.slice(0, last).reduce((length, { raw }) => length + raw.length, 0));
    if (open.type === "list") this.#splitList(open.items as { raw: string }[], parts);
    else if (open.type === "code" && fence.test(open.raw)) this.#splitCode(parts);
    return parts;
  }

  #splitList(items: readonly { raw: string }[], parts: Part[]): void {
    for (const { raw } of items.slice(0, -1)) {
      parts.push({ text: raw, gap: /\n\s*\n$/.test(raw) });
      this.#open = this.#open.slice(raw.length);
    }
  }

  #splitCode(parts: Part[]): void {
    const [opener = "", mark = ""] = fence.exec(this.#open) ?? [];
    const lines = this.#open.slice(opener.length).split("\n");
    const finished = lines.splice(0, Math.max(0, lines.length - liveCodeLines));
    if (finished.length === 0) return;
    const text = `${opener}${finished.join("\n")}\n${mark}`;
    parts.push({ text, gap: false, cut: this.#takeCut(true) });
    this.#open = opener + lines.join("\n");
    this.#isOpenCut = true;
  }

  #takeCut(end: boolean): Part["cut"] {
    const start = this.#isOpenCut;
    this.#isOpenCut = false;
    return start || end ? { start, end } : undefined;
  }

  #renderPart({ text, gap, cut }: Part, columns: number): string[] {
    const all = trimmed(this.#markdown(text).render(columns));
    const lines = all.slice(cut?.start ? 1 : 0, cut?.end ? -1 : undefined);
    const hadGap = this.#hasGap;
    this.#hasGap = gap;
    return hadGap ? ["", ...lines] : lines;
  }

  #markdown(text: string): Markdown {
    return new Markdown(text, 0, 0, this.#theme, undefined, { renderLatex: false, preserveOrderedListMarkers: true });
  }
}

/** The end of a long text, from a word's beginning; of a table with its head. */
function endOf(text: string): string {
  const [head] = /^[^\n]*\n(?=[^\n]*-)[ |:-]+\n/.exec(text) ?? [];
  const rows = head === undefined ? [] : text.slice(head.length).split("\n");
  if (rows.length > mostLiveRows) return head + rows.slice(-mostLiveRows).join("\n");
  if (text.length <= mostLive) return text;
  const end = text.slice(-mostLive);
  return end.slice(end.search(/\s/) + 1);
}

/** Without blank lines before and after, and without blanks at the ends. */
function trimmed(rendered: readonly string[]): string[] {
  const lines = rendered.map(trimLine);
  const isBlank = (line: string | undefined) => line !== undefined && line.trim() === "";
  let start = 0;
  let end = lines.length;
  while (start < end && isBlank(lines[start])) start += 1;
  while (end > start && isBlank(lines[end - 1])) end -= 1;
  return lines.slice(start, end);
}
