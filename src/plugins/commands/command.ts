// One text command: its tool, its run, its record on the tape.

import type { StreamEvent, StreamEventBody } from "../../base/events.ts";
import { newCallId, newRunId, type RunId } from "../../base/ids.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { type EntryDraft, eventDraft } from "../../tape/entry.ts";
import type { ParsedCall } from "../../tools/call.ts";
import { parseCommand, splitCommand } from "../../tools/command-line.ts";
import { executeCall } from "../../tools/execute.ts";
import type { ToolOutcome } from "../../tools/outcome.ts";
import { createToolset, type Toolset } from "../../tools/toolset.ts";

/** @param line the message without the prefix */
export async function* runCommand(line: string, turn: Turn): AsyncGenerator<StreamEvent, void> {
  const runId = newRunId();
  const event = eventsOf(turn, runId);
  // A person's command is not limited by what a run may use.
  const toolset = createToolset(turn.runtime.tools);
  const outcome = await runRecorded({ line, call: await readCall(line, toolset), toolset, runId }, turn);
  const status = outcome.status === "cancelled" ? "cancelled" : outcome.isError ? "error" : "ok";
  if (status === "error") yield event({ type: "error", kind: outcome.error?.kind ?? "tool", message: outcome.text });
  else if (outcome.text !== "") yield event({ type: "text-delta", delta: outcome.text });
  yield event({ type: "final", ok: status === "ok", text: status === "ok" ? outcome.text : "", status });
}

export interface TypedCommand {
  /** As it was typed. */
  readonly line: string;
  readonly call: ParsedCall;
  readonly toolset: Toolset;
  readonly runId: RunId;
}

/** Runs a command and writes it down. @param more what else the tape gets with it */
export async function runRecorded(
  { line, call, toolset, runId }: TypedCommand,
  turn: Turn,
  more: (outcome: ToolOutcome) => Promise<readonly EntryDraft[]> = async () => [],
): Promise<ToolOutcome> {
  const { tape, environment, signal, clock, log } = turn;
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
  const meta = { run_id: runId, turn_id: turn.turnId };
  const drafts = [eventDraft("command", record), ...(await more(outcome))];
  await tape.append(drafts.map((draft) => ({ ...draft, meta: { ...draft.meta, ...meta } })));
  return outcome;
}

/** Makes events of a command's run, which has no steps. */
export function eventsOf(turn: Turn, runId: RunId): (body: StreamEventBody) => StreamEvent {
  return (body) => {
    const place = { turn_id: turn.turnId, run_id: runId, session_id: turn.sessionId, step: 0 };
    return { ...body, ...place, date: turn.clock.now().toISOString() };
  };
}

/** A first word that is no tool: the whole line is for the shell, as it is. */
async function readCall(line: string, toolset: Toolset): Promise<ParsedCall> {
  const { name, rest } = splitCommand(line);
  const owned = toolset.find(name, "command");
  if (owned === undefined) return shellCall(line);
  return { id: newCallId(), name, ...(await parseCommand(owned.tool, rest)) };
}

/** The call that a line for the shell stands for. */
export function shellCall(line: string): ParsedCall {
  return { id: newCallId(), name: "bash", arguments: { command: line } };
}
