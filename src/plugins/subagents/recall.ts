// Finds tasks that this runtime does not remember: in the inbox, on record, on the tape.
import type { TaskId } from "../../base/ids.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { eventData, type TapeEntry } from "../../tape/entry.ts";
import type { InboxItem } from "../../tape/store.ts";
import { tasksIn } from "./notification.ts";
import { isTaskStatus, parseTaskValue, type TaskValue } from "./task.ts";
import { orderFromJson, type TaskOrder } from "./task-order.ts";

/** An end that nobody has read: its task, and the inbox item that holds it. */
export interface UnreadEnd {
  readonly value: TaskValue;
  readonly item: InboxItem;
}

/** In the order in which they came. */
export async function unreadEnds({ tape, runtime }: Turn): Promise<readonly UnreadEnd[]> {
  const items = await runtime.storage.inboxes.list(tape.id);
  // What stands on the tape was read, though it may not be deleted yet.
  const waiting = items.filter(({ id, meta }) => tasksIn(meta).length > 0 && !tape.facts.inbox.includes(id));
  return waiting.flatMap((item) => {
    const value = parseTaskValue(item.data);
    return value === undefined ? [] : [{ value, item }];
  });
}

/** What a session's tape knows of a task: the session it ran in, what it was asked for, and its end if it was read. */
export interface RecalledTask {
  readonly id: TaskId;
  readonly sessionId: string;
  readonly order: TaskOrder;
  readonly value: TaskValue | undefined;
}

export async function recallTask(taskId: string, { tape, signal }: Turn): Promise<RecalledTask | undefined> {
  if (!/^sub-[0-9a-f]{8}$/.test(taskId)) return undefined;
  for await (const entry of tape.query({ text: taskId, kinds: ["event"], newestFirst: true }, { signal })) {
    const data = eventData(entry, "subagent.task");
    if (data?.task_id !== taskId || typeof data.session_id !== "string") continue;
    const id = taskId as TaskId;
    const value = await readEnd(id, data.session_id, { tape, signal });
    return { id, sessionId: data.session_id, order: orderFromJson(data.order), value };
  }
  return undefined;
}

async function readEnd(
  taskId: TaskId,
  sessionId: string,
  { tape, signal }: Pick<Turn, "tape" | "signal">,
): Promise<TaskValue | undefined> {
  const query = { text: taskId, kinds: ["message", "tool_result"], newestFirst: true } as const;
  for await (const entry of tape.query({ ...query, kinds: [...query.kinds] }, { signal })) {
    if (!tasksIn(entry.meta).includes(taskId)) continue;
    const end = endInMessage(entry) ?? endInResult(entry, taskId);
    return { task_id: taskId, session_id: sessionId, status: "completed", output: "", errors: [], ...end };
  }
  return undefined;
}

function endInMessage({ payload: { content } }: TapeEntry): Partial<TaskValue> | undefined {
  if (typeof content !== "string") return undefined;
  const match = /^<subagent-notification task_id="[^"]*" status="(\w+)">\n([\s\S]*)\n<\/subagent-notification>$/.exec(
    content,
  );
  const [, status, output] = match ?? [];
  return isTaskStatus(status) ? { status, output } : undefined;
}

function endInResult({ payload: { results } }: TapeEntry, taskId: string): TaskValue | undefined {
  const [text] = Array.isArray(results) ? results : [];
  const value = typeof text === "string" ? parseJson(text) : undefined;
  const tasks = isJsonObject(value) && Array.isArray(value.tasks) ? value.tasks : [];
  return tasks
    .filter(isJsonObject)
    .map(parseTaskValue)
    .find((task) => task?.task_id === taskId);
}
