// Long notifications: what lies between their first and their last line moves away, as a tool's large result would.
import type { JsonValue } from "../../base/json.ts";
import { isLongerThan, previewOf } from "../../base/text-preview.ts";
import type { Run } from "./run.ts";

/** What a token is taken for (characters), as for tool results. */
const charactersPerToken = 4;

/** The content as the model gets it: short ones stay as they are. */
export async function shortened(content: JsonValue | undefined, run: Run): Promise<JsonValue | undefined> {
  const most = run.turn.runtime.settings.spillThreshold * charactersPerToken;
  if (typeof content !== "string" || most === 0 || !isLongerThan(most, content)) return content;
  const first = content.indexOf("\n");
  const last = content.lastIndexOf("\n");
  if (last <= first) return content;
  const body = content.slice(first + 1, last);
  return `${content.slice(0, first + 1)}${await shortBody(body, run, most)}${content.slice(last)}`;
}

async function shortBody(body: string, run: Run, most: number): Promise<string> {
  if (!isLongerThan(most, body)) return body;
  // Where nobody could read what is moved away, only its ends are kept.
  const outcome = { id: "", name: "subagent", value: null, content: body, text: body, elapsedMs: 0 };
  const spilled = await run.interception.spill?.({ ...outcome, isError: false, status: "ok" }, run.toolset());
  return spilled === undefined || spilled.text === body ? previewOf(body) : spilled.text;
}
