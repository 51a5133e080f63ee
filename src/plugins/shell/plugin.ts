// Shell commands: `bash`, `bash.output`, `bash.kill`.
import { definePlugin } from "../../kernel/plugin.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import { bashTool } from "./bash.ts";
import { bashKillTool } from "./bash-kill.ts";
import { bashOutputTool } from "./bash-output.ts";
import { ShellRegistry } from "./shell-registry.ts";

const quitGraceMs = 500;

export const shellPlugin = definePlugin(({ settings, events, log }: PluginHost) => {
  const parents = new Map<string, string>();
  const shells = new ShellRegistry({
    home: settings.home,
    maxBytes: settings.shellMaxBytes,
    parentOf: (sessionId) => parents.get(sessionId),
    onFinished: ({ sessionId, id }, { exitCode }) =>
      events.emit("shell-finished", { sessionId, shellId: id, exitCode }),
    log,
  });
  events.on("subagent-started", ({ task: { session_id: child, parent_session_id: parent } }) => {
    // Named children are conversations of their own.
    if (child.startsWith("temp/")) parents.set(child, parent);
  });
  return {
    name: "shell",
    provideTools: () => [bashTool(shells), bashOutputTool(shells), bashKillTool(shells)],
    async endSession(sessionId) {
      await shells.stopAll(sessionId, quitGraceMs);
      parents.delete(sessionId);
    },
    lifespan: () => shells,
  };
});
