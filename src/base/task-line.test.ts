import { expect, test } from "vitest";
import type { SubagentTask } from "./events.ts";
import { renderTaskLine } from "./task-line.ts";

const task = (more: Partial<SubagentTask> = {}): SubagentTask => ({
  task_id: "sub-1a2b3c4d" as never,
  session_id: "temp/sub-1a2b3c4d",
  parent_session_id: "cli:local",
  parent_call_id: "call_1",
  description: "count the files",
  model: "a:b",
  profile: null,
  status: "completed",
  output: "3",
  errors: [],
  usage: {},
  steps: 1,
  tool_calls: 0,
  created_at: "2026-01-01T00:00:00.000Z",
  started_at: "2026-01-01T00:00:01.000Z",
  finished_at: "2026-01-01T00:00:04.200Z",
  ...more,
});

test("a task's line has its label, its end and its time from the start on", () => {
  expect(renderTaskLine(task(), 80)).toBe("subagent count the files (completed, 3.2 s)");
  expect(renderTaskLine(task({ status: "cancelled", started_at: null }), 80)).toBe(
    "subagent count the files (cancelled)",
  );
  const failed = task({ status: "failed", errors: ["timed out after 3 seconds", "more"] });
  expect(renderTaskLine(failed, 80)).toBe("subagent count the files (failed, 3.2 s: timed out after 3 seconds)");
});

test("the reason is cut before the label is", () => {
  const failed = task({ status: "failed", errors: ["a reason that is too long for the line"] });
  expect(renderTaskLine(failed, 60)).toBe("subagent count the files (failed, 3.2 s: a reason that is…)");
});

test("it fits, and is one line without escape sequences", () => {
  for (const columns of [20, 30, 40, 60]) {
    const line = renderTaskLine(
      task({ description: `磁带 \x1b[31m${"long ".repeat(20)}\nmore`, status: "failed", errors: ["x".repeat(90)] }),
      columns,
    );
    expect(line).not.toContain("\x1b");
    expect(line).not.toContain("\n");
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(line).toMatch(/^subagent/);
  }
});
