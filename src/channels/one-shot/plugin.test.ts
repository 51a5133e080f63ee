import { expect, test } from "vitest";
import type { StreamEvent } from "../../base/events.ts";
import { newRunId, newTurnId } from "../../base/ids.ts";
import type { TextOutput } from "../../base/text-output.ts";
import { createOneShot } from "./plugin.ts";

const date = "2026-11-30T00:00:00.000Z";
const place = { turn_id: newTurnId(), run_id: newRunId(), session_id: "s", step: 1, date };
const result = { type: "tool-result", id: "c", name: "odd", text: "shown", is_error: false, elapsed_ms: 1 } as const;

/** What `--json` writes of these events. */
function linesOf(...events: readonly StreamEvent[]): unknown[] {
  const lines: string[] = [];
  const output: TextOutput = {
    isTerminal: false,
    hasColours: false,
    hasCursor: false,
    columns: 80,
    write: (text) => void lines.push(text),
  };
  using channel = createOneShot({ answers: output, progress: output, json: true });
  for (const event of events) channel.show(event);
  return lines.map((line) => JSON.parse(line));
}

test("R2.2 a value that JSON has no word for is null on its line, in a child's event too; its text is there", () => {
  const event: StreamEvent = { ...place, ...result, value: 1n };
  const task = { task_id: "sub-1" } as unknown as Extract<StreamEvent, { type: "subagent-output" }>["task"];
  expect(linesOf(event, { ...place, type: "subagent-output", task, event }, { ...event, value: 1 })).toMatchObject([
    { ...result, value: null },
    { type: "subagent-output", event: { ...result, value: null } },
    { ...result, value: 1 },
  ]);
});
