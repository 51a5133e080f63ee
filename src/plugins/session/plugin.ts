// Sessions by channel and chat, the message that answers a turn, and what happens to one that arrives during a run.
import { sessionIdOf } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";
import { listSessions } from "../../kernel/session-shelf.ts";

/** Channels where people watch the answer appear: what they type during a run is meant for it. */
const steeringChannels = new Set(["cli"]);

/** Arguments of text commands that name a session. */
const sessionParameters = new Set(["session", "session_id"]);

export const sessionPlugin = definePlugin({
  name: "session",
  resolveSession: (inbound) => sessionIdOf(inbound),
  renderOutbound({ text, error }, { inbound: { channel, chatId }, sessionId }) {
    const to = { channel, chatId, sessionId };
    if (error !== undefined) return [{ ...to, kind: "error", text: error }];
    return text === "" ? [] : [{ ...to, kind: "answer", text }];
  },
  async suggestWords(typed, runtime) {
    if (typed.kind !== "argument" || !sessionParameters.has(typed.parameter)) return undefined;
    if (runtime.storage.shelf === undefined) return undefined;
    const sessions = await listSessions(runtime);
    return sessions.flatMap(({ session }) => (session === undefined ? [] : [{ value: session }]));
  },
  admitMessage: ({ channel }) => (steeringChannels.has(channel) ? "steer" : "follow_up"),
});
