// The agent: answers messages by a loop of model calls and tool calls.
import { definePlugin } from "../../kernel/plugin.ts";
import { runLoop } from "./loop.ts";

export const agentPlugin = definePlugin({
  name: "agent",
  runModel: (prompt, turn) => (prompt.kind === "message" ? runLoop(prompt, turn) : undefined),
});
