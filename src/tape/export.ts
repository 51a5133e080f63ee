// A tape as a file for others: its own lines, Markdown, or one page for a browser.
import { unreachable } from "../base/errors.ts";
import { jsonLine } from "../base/terminal-text.ts";
import { blocksOf } from "./export-blocks.ts";
import { htmlEnd, htmlHead, htmlOf, type LoadBase64 } from "./export-html.ts";
import { markdownHead, markdownOf } from "./export-markdown.ts";
import type { MediaStore, TapeReader } from "./store.ts";

export const exportFormats = ["jsonl", "markdown", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  format: ExportFormat;
  /** Heads the Markdown and the page. */
  title: string;
  /** Also systems and all events in Markdown and HTML; JSONL always has every entry. */
  everything?: boolean;
  /** Where stored media are; a page holds pictures, sound and films up to 10 MiB each. */
  media?: Pick<MediaStore, "get">;
  signal?: AbortSignal;
  /** Told of each entry that was written. */
  onEntry?: (id: number) => void;
}

/** The file in pieces, entry by entry: nothing of it is kept. */
export async function* exportTape(tape: TapeReader, options: ExportOptions): AsyncGenerator<string, void, undefined> {
  const { format, title, everything, signal, onEntry } = options;
  const load = loadFrom(options.media);
  if (format === "markdown") yield markdownHead(title);
  if (format === "html") yield htmlHead(title);
  for await (const entry of tape.forward({ signal })) {
    if (format === "jsonl") yield `${jsonLine(entry)}\n`;
    else {
      for (const block of blocksOf(entry, { everything })) {
        if (format === "markdown") yield markdownOf(block);
        else if (format === "html") yield await htmlOf(block, load);
        else unreachable(format);
      }
    }
    onEntry?.(entry.id);
  }
  if (format === "html") yield htmlEnd;
}

const largestMedium = 10 * 1024 * 1024;

function loadFrom(media: Pick<MediaStore, "get"> | undefined): LoadBase64 {
  return async ({ sha256, bytes = 0 }) => {
    if (media === undefined || sha256 === undefined || bytes > largestMedium) return undefined;
    // A medium that is gone is told in words.
    const found = await media.get(sha256).catch(() => undefined);
    return found === undefined ? undefined : Buffer.from(found).toString("base64");
  };
}
