// Files and folders that a typed path may become.
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { expandUserHome } from "../../base/user-home.ts";
import type { Suggestion } from "../../kernel/hooks.ts";

/** Folders that nobody names by hand. */
const skipped = new Set([".git", "node_modules"]);

/**
 * Entries of the folder that the path names so far. Names with blanks come in double quotes, those with quotes not at all.
 * @param sign what stands before the path
 */
export async function pathSuggestions(
  typed: string,
  workspace: string | undefined,
  sign: string,
): Promise<Suggestion[]> {
  if (workspace === undefined) return [];
  const path = typed.replace(/^"/, "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(folder.length).toLowerCase();
  const place = resolve(workspace, expandUserHome(folder));
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(start) && !skipped.has(name))
    .filter(({ name }) => !/["'\\\n]/.test(name) && (start !== "" || !name.startsWith(".")))
    .sort((one, other) => Number(other.isDirectory()) - Number(one.isDirectory()) || (one.name < other.name ? -1 : 1))
    .map((entry) => ({ value: sign + quoted(`${folder}${entry.name}`, entry.isDirectory(), typed.startsWith('"')) }));
}

/** A folder's quote stays open: something of it will follow. */
function quoted(path: string, isFolder: boolean, isQuoted: boolean): string {
  const open = isQuoted || /\s/.test(path) ? `"${path}` : path;
  if (isFolder) return `${open}/`;
  return open.startsWith('"') ? `${open}"` : open;
}
