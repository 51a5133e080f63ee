// `subagent.cancel`: ends a task; its message follows.
import * as v from "valibot";
import { untilAborted } from "../../base/abort.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { turnOf } from "./parent-turn.ts";
import { elsewhere } from "./send-tool.ts";
import type { TaskValue } from "./task.ts";
import type { TaskBoard } from "./task-board.ts";
import { type TaskLookup, valueNow } from "./task-lookup.ts";
import { taskSchema } from "./value-schema.ts";

export function cancelTool({ board, lookup }: { board: TaskBoard; lookup: TaskLookup }): Tool {
  return defineTool({
    name: "subagent.cancel",
    description: "Stop a subagent; what it has said so far is kept.",
    input: v.strictObject({ task_id: v.string() }),
    output: taskSchema,
    async run({ task_id: id }, context): Promise<TaskValue> {
      const found = await lookup.find(id.trim(), turnOf(context));
      if (found.kind === "elsewhere") throw elsewhere(found.value);
      if (found.kind === "own") await untilAborted(board.cancel(found.task.id), context.signal);
      return valueNow(found);
    },
  });
}
