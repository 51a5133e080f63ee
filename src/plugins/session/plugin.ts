// Sessions by channel and chat, the message that answers a turn, and what happens to one that arrives during a run.
import { sessionIdOf } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";

/** Channels where people watch the answer appear: what they type during a run is meant for it. */
const steeringChannels = new Set(["cli"]);

export const sessionPlugin = definePlugin({
  name: "session",
  resolveSession: (inbound) => sessionIdOf(inbound),
  renderOutbound({ text, error }, { inbound: { channel, chatId }, sessionId }) {
    const to = { channel, chatId, sessionId };
    if (error !== undefined) return [{ ...to, kind: "error", text: error }];
    return text === "" ? [] : [{ ...to, kind: "answer", text }];
  },
  admitMessage: ({ channel }) => (steeringChannels.has(channel) ? "steer" : "follow_up"),
});
