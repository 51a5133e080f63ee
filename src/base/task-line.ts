// One line about one subagent's task: its label, what became of it, how long it took.
import type { SubagentTask } from "./events.ts";
import { cutToWidth, toOneLine, widthOf } from "./terminal-text.ts";
import { renderDuration } from "./tool-line.ts";

/** Fits into `columns`: `subagent count the files (completed, 3.2 s)`; a failure says why as far as there is room. */
export function renderTaskLine(task: SubagentTask, columns: number): string {
  const name = toOneLine(`subagent ${task.description}`);
  const [error = ""] = task.errors;
  const time = task.started_at === null ? "" : `, ${renderDuration(elapsedOf(task))}`;
  const reason = task.status === "failed" && error !== "" ? `: ${toOneLine(error)}` : "";
  // One column is for the bracket at the end.
  const room = columns - Math.min(widthOf(name), columns >> 1) - 1;
  const end = cutToWidth(` (${task.status}${time}${reason}`, Math.max(room, 4));
  return `${cutToWidth(name, Math.max(columns - widthOf(end) - 1, 1))}${end})`;
}

function elapsedOf({ started_at: started, finished_at: finished }: SubagentTask): number {
  return Math.max(0, Date.parse(finished ?? "") - Date.parse(started ?? "")) || 0;
}
