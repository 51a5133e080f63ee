// The turn that a tool of subagents was called in.
import type { Turn } from "../../kernel/turn-state.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** Tools are run by the kernel, whose turns have more than tools in general may know. */
export function turnOf({ turn }: Pick<ToolContext, "turn">): Turn {
  return turn as Turn;
}
