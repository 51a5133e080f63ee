// A task's end as the message that its parent gets.
import { isJsonObject } from "../../base/json.ts";
import type { InboxDraft } from "../../tape/store.ts";
import type { TaskValue } from "./task.ts";

/** The inbox item that tells of a task: the message, and the value for those who ask for it in another way. */
export function notificationOf(value: TaskValue): InboxDraft {
  return {
    kind: "notification",
    payload: { content: renderNotification(value) },
    meta: { tasks: [value.task_id] },
    data: { ...value },
  };
}

export function renderNotification({ task_id: id, status, output, errors }: TaskValue): string {
  const lines = [...(output === "" ? [] : [output]), ...errors.map((error) => `[Error: ${error}]`)];
  const body = withoutTags(lines.join("\n"));
  return `<subagent-notification task_id="${id}" status="${status}">\n${body}\n</subagent-notification>`;
}

/** Whatever looks like the tags of a notification is only text. */
export function withoutTags(text: string): string {
  return text.replace(/<(?=\s*(?:\/\s*)?subagent-notification)/gi, "&lt;");
}

/** The tasks that an entry or an item tells of, by its meta. */
export function tasksIn(meta: unknown): readonly string[] {
  const tasks = isJsonObject(meta) ? meta.tasks : undefined;
  return Array.isArray(tasks) ? tasks.filter((id) => typeof id === "string") : [];
}
