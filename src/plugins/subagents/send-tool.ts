// `subagent.send`: a message for a task; one that ended in a session that stays goes on with it.
import * as v from "valibot";
import { untilAborted } from "../../base/abort.ts";
import { BubError } from "../../base/errors.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { turnOf } from "./parent-turn.ts";
import type { TaskValue } from "./task.ts";
import type { TaskBoard } from "./task-board.ts";
import { type FoundTask, type TaskLookup, valueNow } from "./task-lookup.ts";
import { parsePrompt, type TaskOrder } from "./task-order.ts";
import type { TaskStarter } from "./task-starter.ts";
import { taskSchema } from "./value-schema.ts";

export interface SendParts {
  readonly board: TaskBoard;
  readonly lookup: TaskLookup;
  readonly starter: TaskStarter;
}

export function sendTool({ board, lookup, starter }: SendParts): Tool {
  return defineTool({
    name: "subagent.send",
    description:
      "Send a message to a subagent. One that has ended in a kept session continues it, as a new task; others cannot be continued.",
    input: v.strictObject({ task_id: v.string(), message: v.string() }),
    output: taskSchema,
    async run({ task_id: id, message }, context): Promise<TaskValue> {
      const turn = turnOf(context);
      parsePrompt(message);
      const found = await lookup.find(id.trim(), turn);
      if (found.kind === "elsewhere") throw elsewhere(found.value);
      if (found.kind === "own" && !found.task.isOver) {
        if (await board.send(found.task.id, message)) return found.task.value;
        // It has given its last answer and is about to end.
        await untilAborted(found.task.ended, context.signal);
      }
      const { session_id: session } = valueNow(found);
      if (session.startsWith("temp/")) throw discarded(valueNow(found));
      const { description: _old, ...order } = orderOf(found);
      const task = await starter.start({ ...order, session }, message, context, { continues: true });
      return task.value;
    },
  });
}

function orderOf(found: FoundTask): TaskOrder {
  if (found.kind === "own") return found.task.identity.order;
  return (found.kind === "past" ? found.recalled?.order : undefined) ?? {};
}

export function elsewhere({ task_id: id }: TaskValue): BubError {
  return new BubError("temporary", `task '${id}' runs in another process`, {
    hint: "Wait for its end with subagent.wait.",
  });
}

function discarded({ task_id: id }: TaskValue): BubError {
  return new BubError("invalid_input", `task '${id}' has ended and its session was discarded; it cannot be continued`, {
    details: { task_id: id },
  });
}
