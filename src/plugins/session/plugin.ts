// Sessions by channel and chat, and what happens to a message that arrives during a run.
import { sessionIdOf } from "../../kernel/envelope.ts";
import { definePlugin } from "../../kernel/plugin.ts";

/** Channels where people watch the answer appear: what they type during a run is meant for it. */
const steeringChannels = new Set(["cli"]);

export const sessionPlugin = definePlugin({
  name: "session",
  resolveSession: (inbound) => sessionIdOf(inbound),
  admitMessage: ({ channel }) => (steeringChannels.has(channel) ? "steer" : "follow_up"),
});
