// How a session's setting gets onto its tape, and how that is answered.
import { eventDraft } from "../../tape/entry.ts";
import type { SessionSettings } from "../../tape/fold.ts";
import type { ToolTurn } from "../../tools/tool.ts";

type Setting = keyof SessionSettings;

/** Records a switch; the next turn of the session goes by it, after a restart too. `null` clears the setting. */
export async function switchSetting<Name extends Setting>(
  { tape, turnId }: ToolTurn,
  setting: Name,
  value: NonNullable<SessionSettings[Name]> | null,
): Promise<void> {
  await tape.append([eventDraft(`${setting}_switch`, { [setting]: value }, { turn_id: turnId })]);
}

/** What every switch is answered with. */
export const fromNextTurn = "Applies from the next turn.";

/** Words that clear a setting: typed as a command, `null` is a text like any other. */
export function isCleared(value: string | null): value is null | "null" {
  return value === null || value.trim() === "null";
}
