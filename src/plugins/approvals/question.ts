// What a person is asked before a call: the call in one line, then what it would do.
import { relative } from "node:path";
import type { Turn } from "../../kernel/turn-state.ts";
import type { CheckedCall } from "../../tools/interception.ts";
import { type FileChange, previewFile } from "./file-preview.ts";
import { diffLines, renderDiff } from "./line-diff.ts";

/** More is not read by anybody who has to answer; what is left out is counted. */
const mostLines = 2_000;
const mostCharacters = 20_000;

/** @throws what the call would fail with, as far as that can be seen before */
export async function buildQuestion(call: CheckedCall, turn: Turn): Promise<string> {
  const change = await previewFile(call, turn);
  if (change === undefined) return [`Allow ${call.name}?`, ...renderArguments(call)].join("\n");
  return [`Allow ${call.name} ${shownPath(change, turn)}?`, ...renderChange(change)].join("\n");
}

function shownPath({ path }: FileChange, { environment: { workspace } }: Turn): string {
  const inside = workspace === undefined ? path : relative(workspace, path);
  return inside.startsWith("..") ? path : inside;
}

function renderChange({ before, after, note }: FileChange): string[] {
  if (before === after) return ["(changes nothing)"];
  const lines = renderDiff(diffLines(before ?? "", after));
  const left = lines.length - mostLines;
  const kind = note ?? (before === undefined ? "(a new file)" : undefined);
  return [
    ...(kind === undefined ? [] : [kind]),
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [`(${left} more lines)`] : []),
  ];
}

function renderArguments({ args }: CheckedCall): string[] {
  return Object.entries(args).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const left = text.length - mostCharacters;
    const shown = left > 0 ? `${text.slice(0, mostCharacters)}\n(${left} more characters)` : text;
    return shown.includes("\n") ? `${name}:\n${shown}` : `${name}: ${shown}`;
  });
}
