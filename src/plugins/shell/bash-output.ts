// `bash.output`: reads what a shell printed, by character position.
import * as v from "valibot";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ShellRegistry } from "./shell-registry.ts";
import { type ShellStatus, statusOf } from "./shell-status.ts";

export interface BashOutputValue extends ShellStatus {
  readonly output: string;
  /** In characters (code points) of all the output. */
  readonly next_offset: number;
}

export function bashOutputTool(shells: ShellRegistry): Tool {
  return defineTool({
    name: "bash.output",
    description: "Read the output of a background shell.",
    exposure: "direct",
    input: v.strictObject({
      shell_id: v.string(),
      offset: v.optional(v.pipe(v.number(), v.integer(), v.description("first character; go on with next_offset")), 0),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.description("most characters"))),
    }),
    async run({ shell_id: shellId, offset, limit }, { turn }): Promise<BashOutputValue> {
      const shell = shells.find(turn.sessionId, shellId);
      const status = statusOf(shell);
      const { text, nextOffset } = await shell.output.read({ offset, limit });
      return { ...status, output: text, next_offset: nextOffset };
    },
    render: ({ shell_id: id, status, exit_code: exitCode, next_offset: nextOffset, output }) =>
      `id: ${id}\nstatus: ${status}\nexit_code: ${exitCode}\nnext_offset: ${nextOffset}\noutput:\n${output}`,
  });
}
