// One text command: its tool, its run, its record on the tape.

import type { StreamEvent, StreamEventBody } from "../../base/events.ts";
import { newCallId, newRunId } from "../../base/ids.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { eventDraft } from "../../tape/entry.ts";
import type { ParsedCall } from "../../tools/call.ts";
import { parseCommand, splitCommand } from "../../tools/command-line.ts";
import { executeCall } from "../../tools/execute.ts";
import { createToolset, type Toolset } from "../../tools/toolset.ts";

/** @param line the message without the prefix */
export async function* runCommand(line: string, turn: Turn): AsyncGenerator<StreamEvent, void> {
  const { tape, environment, signal, clock, log } = turn;
  const runId = newRunId();
  const event = (body: StreamEventBody): StreamEvent => {
    const place = { turn_id: turn.turnId, run_id: runId, session_id: turn.sessionId, step: 0 };
    return { ...body, ...place, date: clock.now().toISOString() };
  };
  // A person's command is not limited by what a run may use.
  const toolset = createToolset(turn.runtime.tools);
  const call = await readCall(line, toolset);
  const context = { turn, toolset, environment, origin: "command", signal, clock, log } as const;
  const started = clock.now();
  const outcome = await executeCall(call, context, hookInterception(turn));
  const record = {
    raw: line,
    name: toolset.find(call.name, "command")?.tool.name ?? call.name,
    status: outcome.status,
    elapsed_ms: Math.round(outcome.elapsedMs),
    output: outcome.text,
    date: started.toISOString(),
  };
  await tape.append([eventDraft("command", record, { run_id: runId, turn_id: turn.turnId })]);
  const status = outcome.status === "cancelled" ? "cancelled" : outcome.isError ? "error" : "ok";
  if (status === "error") yield event({ type: "error", kind: outcome.error?.kind ?? "tool", message: outcome.text });
  else if (outcome.text !== "") yield event({ type: "text-delta", delta: outcome.text });
  yield event({ type: "final", ok: status === "ok", text: status === "ok" ? outcome.text : "", status });
}

/** A first word that is no tool: the whole line is for the shell, as it is. */
async function readCall(line: string, toolset: Toolset): Promise<ParsedCall> {
  const id = newCallId();
  const { name, rest } = splitCommand(line);
  const owned = toolset.find(name, "command");
  if (owned === undefined) return { id, name: "bash", arguments: { command: line } };
  return { id, name, ...(await parseCommand(owned.tool, rest)) };
}
