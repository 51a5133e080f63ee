// The message of `bub run`: its words, what is piped in, and the files that go with it.
import { fstatSync } from "node:fs";
import { delay, untilAborted } from "../base/abort.ts";
import type { Content, ContentPart } from "../base/content.ts";
import { readAttachment } from "./attachment.ts";
import { type CommandContext, UsageError } from "./command-context.ts";

export interface Message {
  readonly content: Content;
  /** Its text without the files. */
  readonly text: string;
  /** True when it is more than the words of the command line: piped text after them, or files. */
  readonly isExtended: boolean;
}

/**
 * Piped text is appended after the words, or is the message when there are none. Files follow in their order.
 * @throws UsageError without any text, or for piped bytes that are no UTF-8
 */
export async function readMessage(
  words: readonly string[],
  files: readonly string[],
  context: CommandContext,
): Promise<Message> {
  const spoken = words.join(" ");
  const piped = isPiped() ? await readPiped(spoken !== "", context) : "";
  const text = [spoken, piped].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "" && files.length === 0) {
    throw new UsageError('there is no message: give it as an argument, bub run "…", or pipe it in.');
  }
  const isExtended = files.length > 0 || (spoken !== "" && piped !== "");
  if (files.length === 0) return { content: text, text, isExtended };
  const parts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  for (const file of files) parts.push(await readAttachment(file));
  return { content: parts, text, isExtended };
}

/** A terminal is no message, and neither is /dev/null. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}

async function readPiped(hasWords: boolean, { openStdin, stderr, stop }: CommandContext): Promise<string> {
  const arrived = new AbortController();
  // A pipe that somebody forgot to close looks like a program that hangs.
  if (hasWords)
    delay(1000, arrived.signal, { hold: false }).then(
      () => stderr.write(openPipeNotice),
      () => undefined,
    );
  const chunks: Uint8Array[] = [];
  const read = async () => {
    for await (const chunk of openStdin()) {
      arrived.abort();
      chunks.push(chunk as Uint8Array);
    }
  };
  try {
    await untilAborted(read(), stop.signal);
  } finally {
    arrived.abort();
  }
  return decode(Buffer.concat(chunks)).replace(/\r?\n$/, "");
}

const openPipeNotice = "bub: waiting for the rest of the message on stdin; without one, add </dev/null\n";

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("what is piped in is no UTF-8 text; pictures, sound and films go with --file.");
  }
}
