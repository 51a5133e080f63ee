// `bash.kill`: ends a shell, or tells how it ended.
import * as v from "valibot";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ShellRegistry } from "./shell-registry.ts";
import { type ShellStatus, statusOf } from "./shell-status.ts";

const killGraceMs = 3_000;

export function bashKillTool(shells: ShellRegistry): Tool {
  return defineTool({
    name: "bash.kill",
    description: "End a background shell, or read how it ended.",
    exposure: "direct",
    input: v.strictObject({ shell_id: v.string() }),
    async run({ shell_id: shellId }, { turn }): Promise<ShellStatus> {
      const shell = shells.find(turn.sessionId, shellId);
      await shell.process.stop("killed", killGraceMs);
      if (shell.process.ending) await shell.ended;
      return statusOf(shell);
    },
    render: ({ shell_id: id, status, exit_code: exitCode }) => `id: ${id}\nstatus: ${status}\nexit_code: ${exitCode}`,
  });
}
