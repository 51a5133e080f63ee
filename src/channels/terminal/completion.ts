// What can follow what is typed: text commands after the prefix, files of the workspace after `@`.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { neutralise, toOneLine } from "../../base/terminal-text.ts";
import type { Runtime } from "../../kernel/runtime.ts";

const mostItems = 50;

/** Folders that nobody names by hand. */
const skipped = new Set([".git", "node_modules"]);

type Cursor = Parameters<AutocompleteProvider["getSuggestions"]>;

export function createCompletion(runtime: Runtime): AutocompleteProvider {
  const prefix = runtime.settings.commandPrefix;
  const commands = commandsOf(runtime);
  return {
    triggerCharacters: [prefix, "@"],
    async getSuggestions(...[lines, line, column]: Cursor): Promise<AutocompleteSuggestions | null> {
      const before = (lines[line] ?? "").slice(0, column);
      if (line === 0 && before.startsWith(prefix) && !/\s/.test(before)) {
        return suggestions(
          commands.filter(({ value }) => value.startsWith(before.toLowerCase())),
          before,
        );
      }
      const [, path] = /(?:^|[\s("'`])@([^\s"']*)$/.exec(before) ?? [];
      if (path === undefined || runtime.workspace === undefined) return null;
      return suggestions(await filesOf(runtime.workspace, path), `@${path}`);
    },
    applyCompletion(lines, cursorLine, cursorCol, { value }, typed) {
      const line = lines[cursorLine] ?? "";
      const end = value.endsWith("/") || /^\s/.test(line.slice(cursorCol)) ? "" : " ";
      const before = line.slice(0, cursorCol - typed.length) + value + end;
      const changed = lines.with(cursorLine, before + line.slice(cursorCol));
      return { lines: changed, cursorLine, cursorCol: before.length };
    },
  };
}

/** A word that is complete already is not in the way of Enter. */
function suggestions(items: AutocompleteItem[], typed: string): AutocompleteSuggestions | null {
  return items.length === 0 || items.some(({ value }) => value === typed) ? null : { items, prefix: typed };
}

function commandsOf({ tools, settings }: Runtime): AutocompleteItem[] {
  const names = new Map<string, AutocompleteItem>();
  for (const { tool } of tools) {
    const value = settings.commandPrefix + tool.name;
    names.set(value, { value, label: value, description: toOneLine(tool.description) });
  }
  return [...names.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Entries of the folder that the path names so far; those with blanks in their names could not be told from words. */
async function filesOf(workspace: string, path: string): Promise<AutocompleteItem[]> {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(folder.length);
  const entries = await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(start.toLowerCase()) && !skipped.has(name))
    .filter(({ name }) => !/[\s"']/.test(name) && neutralise(name) === name && (start !== "" || !name.startsWith(".")))
    .sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1))
    .slice(0, mostItems)
    .map((entry) => {
      const value = `@${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`;
      return { value, label: value };
    });
}
