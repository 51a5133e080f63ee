// The end of a conversation, for who goes on with it.
import { contentFromJson, textOf } from "../../base/content.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { linesSaid } from "../../kernel/session-details.ts";
import { readTapeEnd } from "../../tape/tape-end.ts";

export interface EarlierWords {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** The last thing that the person said and the last answer to it, as far as they follow the last anchor. */
export async function readEndOf(sessionId: string, runtime: Runtime): Promise<EarlierWords[]> {
  await using log = await runtime.storage.tapes.open(runtime.tapeIdOf(sessionId));
  const { recent } = await readTapeEnd(log);
  const words = recent
    .filter(({ kind, meta }) => kind === "message" && meta.carried !== true)
    .map(({ payload: { role, content } }): EarlierWords => {
      if (role === "user") return { role, text: linesSaid(content).join("\n").trim() };
      return { role: "assistant", text: textOf(contentFromJson(content)).trim() };
    })
    // What came from beside the conversation stands in tags.
    .filter(
      ({ role, text }) => text !== "" && !(role === "user" && /^<(shell-command|subagent-notification)\b/.test(text)),
    );
  const asked = words.findLastIndex(({ role }) => role === "user");
  const answer = words.slice(asked + 1).findLast(({ role }) => role === "assistant");
  return [words[asked], answer].filter((found) => found !== undefined);
}
