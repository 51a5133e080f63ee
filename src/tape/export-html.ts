// A tape's blocks as one HTML page that needs nothing else and runs nothing, whatever the conversation says.
import { describeMedia, type MediaPart } from "../base/content.ts";
import type { ExportBlock, ExportPart } from "./export-blocks.ts";
import { visibleText } from "./export-text.ts";

/** Gives a stored medium's bytes in base64; undefined leaves its description. */
export type LoadBase64 = (part: MediaPart) => Promise<string | undefined>;

/** The page as far as its first block. */
export function htmlHead(title: string): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    // Even if something got through: no script, no request, only pictures that stand in the page.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>${escaped(title)}</h1>`,
    "",
  ].join("\n");
}

export const htmlEnd = "</body>\n</html>\n";

export async function htmlOf({ id, date, tone, title, parts }: ExportBlock, load: LoadBase64): Promise<string> {
  const when = date === "" ? "" : ` <time>${escaped(date)}</time>`;
  const body = await Promise.all(parts.map((part) => renderPart(part, load)));
  const isFolded = tone === "system" || tone === "event" || (tone === "result" && sizeOf(parts) > foldedCharacters);
  const head = `<span class="title">${escaped(title)}</span> <a href="#e${id}">#${id}</a>${when}`;
  const content = isFolded
    ? `<details><summary>${head}</summary>\n${body.join("\n")}\n</details>`
    : `<h2>${head}</h2>\n${body.join("\n")}`;
  return `<section id="e${id}" class="${tone}">\n${content}\n</section>\n`;
}

/** Results above this are opened by hand. */
const foldedCharacters = 2_000;

async function renderPart(part: ExportPart, load: LoadBase64): Promise<string> {
  switch (part.type) {
    case "prose":
      return `<p>${escaped(part.text)}</p>`;
    case "thought":
      return `<blockquote>${escaped(part.text)}</blockquote>`;
    case "code":
      return `<pre>${escaped(part.text)}</pre>`;
    case "media":
      return renderMedia(part.part, load);
  }
}

/** Types that a browser only shows; a picture that could be a document, such as SVG, is not among them. */
const shownTypes = /^(image\/(png|jpeg|gif|webp)|audio\/(mpeg|mp3|wav|ogg|webm)|video\/(mp4|webm|ogg))$/;

async function renderMedia(part: MediaPart, load: LoadBase64): Promise<string> {
  const words = escaped(describeMedia(part));
  const data = part.data ?? (part.sha256 === undefined ? undefined : await load(part));
  const isShown = shownTypes.test(part.media_type) && data !== undefined && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
  if (!isShown) return `<p>${words}${part.url === undefined ? "" : ` ${escaped(part.url)}`}</p>`;
  const source = `src="data:${part.media_type};base64,${data}"`;
  if (part.type === "image") return `<p><img ${source} alt="${words}"></p>`;
  return `<p><${part.type} controls ${source}>${words}</${part.type}></p>`;
}

function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function sizeOf(parts: readonly ExportPart[]): number {
  return parts.reduce((size, part) => size + (part.type === "media" ? 0 : part.text.length), 0);
}

const style = [
  ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}",
  "body{max-width:56rem;margin:2rem auto;padding:0 1rem}",
  "section{margin:1rem 0;padding:.25rem 1rem;border-left:.25rem solid #8888}",
  "h2,summary{font-size:.9rem;font-weight:600;margin:.25rem 0}",
  "h2 a,h2 time,summary a,summary time{font-weight:400;opacity:.6;color:inherit;text-decoration:none}",
  "p,blockquote,pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}",
  "blockquote{opacity:.7;font-style:italic}",
  "pre{font:13px/1.45 ui-monospace,monospace;background:#8881;padding:.5rem;max-height:40rem;overflow:auto}",
  "img,video{max-width:100%}",
  ".user{border-color:#3b82f6}.assistant{border-color:#22c55e}.error{border-color:#ef4444}.anchor{border-color:#a855f7}",
].join("");
