// `@path` in a message: the file goes with it.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Content, ContentPart } from "../base/content.ts";
import { readAttachment } from "./attachment.ts";

const mention = /(?<![\w@/])@([^\s"'`]+)/g;

/**
 * The message with the files that it names after its own words, each once. What names no file stays a word.
 * @throws BubError for a file that cannot be attached
 */
export async function withMentionedFiles(text: string, workspace: string): Promise<Content> {
  const parts: ContentPart[] = [];
  const seen = new Set<string>();
  for (const [, word = ""] of text.matchAll(mention)) {
    const path = await fileOf(word, workspace);
    if (path === undefined || seen.has(path)) continue;
    seen.add(path);
    parts.push(await readAttachment(path));
  }
  return parts.length === 0 ? text : [{ type: "text", text }, ...parts];
}

/** The end of a sentence is no part of a name, unless there is such a file. */
async function fileOf(word: string, workspace: string): Promise<string | undefined> {
  for (const name of new Set([word, word.replace(/[.,;:!?)\]}>]+$/, "")])) {
    const path = resolve(workspace, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return path;
  }
  return undefined;
}
