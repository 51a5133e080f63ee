// Deferred tools: listed by name in the system prompt, defined only when the model asks for them.
import { definePlugin } from "../../kernel/plugin.ts";
import { runToolset } from "../../kernel/run-tools.ts";
import type { OwnedTool } from "../../tools/toolset.ts";
import { toolDescribe } from "./describe.ts";

export const discoveryPlugin = definePlugin({
  name: "discovery",
  provideTools: () => [toolDescribe],
  async systemPrompt(turn) {
    const { deferred } = await runToolset(turn);
    return deferred.length === 0 ? undefined : renderDeferred(deferred);
  },
});

/** Loaded tools stay listed: the prompt must not change when one is loaded. */
function renderDeferred(deferred: readonly OwnedTool[]): string {
  return [
    "<deferred_tools>",
    "These tools exist too. Before you call one for the first time, give its name to tool_describe; it can be called from the next step on.",
    ...deferred.map(({ tool }) => tool.alias),
    "</deferred_tools>",
  ].join("\n");
}
