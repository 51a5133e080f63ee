// `@path` in a message: the file goes with it.
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { renderBytes } from "../base/amounts.ts";
import type { Content, ContentPart } from "../base/content.ts";
import { expandUserHome } from "../base/user-home.ts";
import { readAttachment } from "./attachment.ts";

/** Also `@"a path with blanks"`. */
const mention = /(?<![\w@/])@(?:"([^"\n]+)"|([^\s"'`]+))/g;

export interface MessageWithFiles {
  /** The files after the message's own words, each once. */
  readonly content: Content;
  /** A line about each of them: `shot.png (image/png, 800×600, 12 KB)`. */
  readonly attached: readonly string[];
}

/**
 * The message with the files that it names. What names no file stays a word.
 * @throws BubError for a file that cannot be attached
 */
export async function withMentionedFiles(text: string, workspace: string): Promise<MessageWithFiles> {
  if (!text.includes("@")) return { content: text, attached: [] };
  const parts: ContentPart[] = [];
  const attached: string[] = [];
  const seen = new Set<string>();
  for (const [, quoted, word = ""] of text.matchAll(mention)) {
    const path = quoted === undefined ? await fileOf(word, workspace) : await fileAt(quoted, workspace);
    if (path === undefined || seen.has(path)) continue;
    seen.add(path);
    const part = await readAttachment(path);
    parts.push(part);
    attached.push(`${basename(path)} (${describe(part)})`);
  }
  return { content: parts.length === 0 ? text : [{ type: "text", text }, ...parts], attached };
}

/** The end of a sentence is no part of a name, unless there is such a file. */
async function fileOf(word: string, workspace: string): Promise<string | undefined> {
  for (const name of new Set([word, word.replace(/[.,;:!?)\]}>]+$/, "")])) {
    const path = await fileAt(name, workspace);
    if (path !== undefined) return path;
  }
  return undefined;
}

async function fileAt(name: string, workspace: string): Promise<string | undefined> {
  const path = resolve(workspace, expandUserHome(name));
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : undefined;
}

function describe(part: ContentPart): string {
  if (part.type === "text") return "text";
  const { media_type: type, width, height, bytes = 0 } = part;
  const size = width === undefined || height === undefined ? [] : [`${width}×${height}`];
  return [type, ...size, renderBytes(bytes)].join(", ");
}
