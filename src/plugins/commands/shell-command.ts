// A person's own shell command: it runs at once, and the model reads it and its output before the next message.
import type { StreamEvent } from "../../base/events.ts";
import { newRunId } from "../../base/ids.ts";
import { isLongerThan, previewOf } from "../../base/text-preview.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { EntryDraft } from "../../tape/entry.ts";
import type { ToolOutcome } from "../../tools/outcome.ts";
import { createToolset, type Toolset } from "../../tools/toolset.ts";
import { eventsOf, runRecorded, shellCall } from "./command.ts";

/** What a token is taken for (characters), as for tool results. */
const charactersPerToken = 4;

/** A command that fails is no failure of the turn: what it printed, and how it ended, is the answer. */
export async function* runShellCommand(line: string, turn: Turn): AsyncGenerator<StreamEvent, void> {
  const runId = newRunId();
  const event = eventsOf(turn, runId);
  const toolset = createToolset(turn.runtime.tools);
  const outcome = await runRecorded({ line, call: shellCall(line), toolset, runId }, turn, async (ended) => [
    await messageOf(line, ended, { turn, toolset }),
  ]);
  if (outcome.status === "cancelled") {
    yield event({ type: "final", ok: false, text: "", status: "cancelled" });
    return;
  }
  const text = outcome.error?.message ?? outcome.text;
  yield event({ type: "text-delta", delta: text });
  yield event({ type: "final", ok: true, text, status: "ok" });
}

async function messageOf(
  line: string,
  outcome: ToolOutcome,
  place: { turn: Turn; toolset: Toolset },
): Promise<EntryDraft> {
  const output = await shortened(outcome, place);
  const body = withoutTags(`$ ${line}\n${output}`);
  const content = `<shell-command by="user">\n${body}\n</shell-command>`;
  return { kind: "message", payload: { role: "user", content } };
}

/** A long output moves away, as the model's own calls' would. */
async function shortened(outcome: ToolOutcome, { turn, toolset }: { turn: Turn; toolset: Toolset }): Promise<string> {
  const text = outcome.error?.message ?? outcome.text;
  const most = turn.runtime.settings.spillThreshold * charactersPerToken;
  if (most === 0 || !isLongerThan(most, text)) return text;
  const spilled = await hookInterception(turn).spill?.({ ...outcome, content: text, text }, toolset);
  // Where nobody could read what is moved away, only its ends are kept.
  return spilled === undefined || spilled.text === text ? previewOf(text) : spilled.text;
}

/** Whatever looks like the end of the message is only text. */
function withoutTags(text: string): string {
  return text.replace(/<(?=\s*(?:\/\s*)?shell-command)/gi, "&lt;");
}
