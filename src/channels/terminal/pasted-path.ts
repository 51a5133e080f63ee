// A picture that is pasted, or dropped on the terminal, comes as its path: quoted, escaped, or as an address.
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expandUserHome } from "../../base/user-home.ts";
import { splitWords } from "../../tools/command-line.ts";

const picture = /\.(?:png|jpe?g|gif|webp)$/i;
const mostCharacters = 4096;

/**
 * The pictures that a pasted text names, as mentions that attach them: `@/tmp/shot.png`.
 * @returns undefined when it is any other text, or a path that leads to nothing
 */
export function mentionsOfPaste(text: string, workspace: string | undefined): string | undefined {
  const pasted = text.trim();
  if (pasted.length > mostCharacters || !/\.\w+["']?$/.test(pasted)) return undefined;
  const whole = pictureAt(pasted, workspace);
  const words = whole === undefined ? (splitWords(pasted) ?? []) : [];
  const paths = whole === undefined ? words.map((word) => pictureAt(word, workspace)) : [whole];
  const mentions = paths.map((path) => (path === undefined ? undefined : mentionOf(path)));
  return mentions.length > 0 && mentions.every((mention) => mention !== undefined) ? mentions.join(" ") : undefined;
}

function pictureAt(word: string, workspace: string | undefined): string | undefined {
  const path = pathOf(word);
  if (path === undefined || !picture.test(path)) return undefined;
  const place = isAbsolute(path) ? path : resolve(workspace ?? ".", path);
  return statSync(place, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}

function pathOf(word: string): string | undefined {
  try {
    if (word.startsWith("file://")) return fileURLToPath(word);
  } catch {
    // An address of another machine.
    return undefined;
  }
  return expandUserHome(word);
}

/** Undefined for a name that no mention can hold. */
function mentionOf(path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: such names exist
  if (/["\x00-\x1f\x7f]/.test(path)) return undefined;
  return /[\s'`]|[.,;:!?)\]}>]$/.test(path) ? `@"${path}"` : `@${path}`;
}
