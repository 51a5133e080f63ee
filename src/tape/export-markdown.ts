// A tape's blocks as Markdown in which nothing of the conversation becomes HTML or breaks out of its place.
import { describeMedia } from "../base/content.ts";
import type { ExportBlock, ExportPart } from "./export-blocks.ts";
import { visibleText } from "./export-text.ts";

export function markdownHead(title: string): string {
  return `# ${oneLine(title)}\n`;
}

export function markdownOf({ id, date, tone, title, parts }: ExportBlock): string {
  const level = tone === "anchor" ? "##" : "###";
  const when = date === "" ? "" : ` · ${oneLine(date)}`;
  return `\n${[`${level} ${oneLine(title)} (#${id}${when})`, ...parts.map(renderPart)].join("\n\n")}\n`;
}

function renderPart(part: ExportPart): string {
  switch (part.type) {
    case "prose":
      return renderProse(part.text);
    case "thought":
      return renderProse(part.text).replace(/^/gm, "> ");
    case "code":
      return fenced(part.text, part.language ?? "text");
    case "media":
      return `*${oneLine(describeMedia(part.part))}${part.part.url === undefined ? "" : ` ${oneLine(part.part.url)}`}*`;
  }
}

const fenceStart = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/** Markdown as it is, but for its HTML, and with fences of our own making: no reader sees them end elsewhere. */
function renderProse(text: string): string {
  const rendered: string[] = [];
  let fence: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined;
  const endFence = () => {
    if (fence !== undefined) rendered.push(fenced(fence.lines.join("\n"), fence.language));
    fence = undefined;
  };
  for (const line of visibleText(text).split("\n")) {
    const [, mark = "", info = ""] = fenceStart.exec(line) ?? [];
    if (fence === undefined && mark === "") rendered.push(harmless(line));
    else if (fence === undefined) fence = { mark, language: info.trim().replace(/[^\w+#.-].*$/, ""), lines: [] };
    else if (mark.startsWith(fence.mark) && info.trim() === "") endFence();
    else fence.lines.push(line);
  }
  endFence();
  return rendered.join("\n");
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${visibleText(text)}\n${fence}`;
}

/** Tags become text, and links that would run something lead nowhere. */
function harmless(line: string): string {
  return line
    .replace(/<(?=[A-Za-z/!?])/g, "&lt;")
    .replace(/(\]\(|\]:)([ \t<]*)(?:javascript|vbscript|data):/gi, "$1$2unsafe:");
}

/** For headings and other places that a line's end would leave. */
function oneLine(text: string): string {
  return harmless(visibleText(text).replace(/\s+/g, " "));
}
