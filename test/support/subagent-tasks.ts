// What tests of subagents share: calls that start and name tasks, and looks at how their ends were told.
import { expect } from "vitest";
import type { StreamEvent } from "../../src/base/events.ts";
import { callTool, type ScriptedStep } from "../../src/testing/scripted-model.ts";
import type { TestRuntime } from "../../src/testing/test-runtime.ts";
import { type Conversations, type Gate, taskIdsIn } from "./conversations.ts";

export const start = (prompt: string, more: Record<string, string | number> = {}) =>
  callTool("subagent", { prompt, ...more });

/** A call of a tool on the first task that the conversation knows. */
export const onTask =
  (name: string, more: Record<string, string | number> = {}): ScriptedStep =>
  (request) => {
    const [taskId = ""] = taskIdsIn(request);
    return callTool(name, name === "subagent.wait" ? { task_ids: [taskId], ...more } : { task_id: taskId, ...more });
  };

/** The messages on a session's tape that tell of ends. */
export async function notificationsOf(runtime: TestRuntime): Promise<string[]> {
  const entries = await runtime.entries();
  return entries.flatMap(({ kind, payload, meta }) =>
    kind === "message" && meta.tasks !== undefined ? [String(payload.content)] : [],
  );
}

/** Status and body of each of those messages, in their order. */
export async function endsTold(runtime: TestRuntime): Promise<[string, string][]> {
  const entries = await runtime.entries();
  return entries.flatMap(({ kind, payload, meta }): [string, string][] => {
    if (kind !== "message" || meta.tasks === undefined) return [];
    const match = /^<subagent-notification task_id="(.*)" status="(.*)">\n([\s\S]*)\n<\/subagent-notification>$/.exec(
      String(payload.content),
    );
    expect(meta.tasks).toEqual([match?.[1]]);
    return [[match?.[2] ?? "", match?.[3] ?? ""]];
  });
}

/** The results of one tool, by its alias. */
export const resultsOf = (events: readonly StreamEvent[], name: string) =>
  events.flatMap((event) => (event.type === "tool-result" && event.name === name ? [event] : []));

/** Opens gates when the model waits: a result that comes earlier would be told by a message. */
export function whenWaiting(gates: () => readonly Gate[]): (event: StreamEvent) => void {
  return (event) => {
    if (event.type === "tool-call" && event.name === "subagent_wait") for (const each of gates()) each.open();
  };
}

/** Waits until a conversation was asked so often. */
export async function untilRequests(model: Conversations, key: string, count: number): Promise<void> {
  while (model.of(key).length < count) await new Promise((resolve) => setImmediate(resolve));
}
