// `,quit`: ends what a session has running.
import type { TurnId } from "../../base/ids.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";

export function quitTool(runtime: Runtime): Tool {
  return defineTool({
    name: "quit",
    description: "Clear waiting messages, cancel running tasks and stop background shells of this session.",
    exposure: "command",
    async run(_args, { turn }) {
      await runtime.quit(turn.sessionId, turn.turnId as TurnId);
      return "Quit: waiting messages cleared, running tasks cancelled, background shells stopped.";
    },
  });
}
