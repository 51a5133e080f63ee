// `subagent.wait`: the results of tasks, as soon as all of them are there or the time is over.
import * as v from "valibot";
import { untilAborted } from "../../base/abort.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Deliveries } from "./deliveries.ts";
import { turnOf } from "./parent-turn.ts";
import { unreadEnds } from "./recall.ts";
import type { TaskValue } from "./task.ts";
import type { TaskBoard } from "./task-board.ts";
import { type FoundTask, hasEnded, idOf, type TaskLookup, valueNow } from "./task-lookup.ts";
import { timeLimit } from "./time-limit.ts";
import { taskSchema } from "./value-schema.ts";

export interface WaitParts {
  readonly board: TaskBoard;
  readonly lookup: TaskLookup;
  readonly deliveries: Deliveries;
}

interface TaskValues {
  readonly tasks: readonly TaskValue[];
}

export function waitTool(parts: WaitParts): Tool {
  return defineTool({
    name: "subagent.wait",
    description: "Wait for subagents and return their results, instead of their messages.",
    input: v.strictObject({
      task_ids: v.optional(v.pipe(v.array(v.string()), v.description("default: all unread"))),
      timeout_seconds: v.optional(v.pipe(v.number(), v.minValue(0), v.description("0 only looks")), 60),
    }),
    output: { type: "object", properties: { tasks: { type: "array", items: taskSchema } }, required: ["tasks"] },
    async run({ task_ids: ids, timeout_seconds: seconds }, context): Promise<TaskValues> {
      const turn = turnOf(context);
      await parts.board.retell(turn);
      const found =
        ids === undefined
          ? await parts.lookup.unread(turn)
          : await Promise.all([...new Set(ids.map((id) => id.trim()))].map((id) => parts.lookup.find(id, turn)));
      if (seconds > 0) await waitForEnds(found, turn, { seconds, signal: context.signal });
      return collect(found, context, parts, { isChosen: ids !== undefined });
    },
  });
}

async function waitForEnds(
  found: readonly FoundTask[],
  turn: Turn,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  const waiting = found.filter((task) => !hasEnded(task));
  if (waiting.length === 0) return;
  const elsewhere = waiting.filter(({ kind }) => kind === "elsewhere").map(idOf);
  const over = deferred();
  using _limit = timeLimit(seconds, over.resolve);
  using told = whenTold(elsewhere, turn);
  const own = waiting.map((task) => (task.kind === "own" ? task.task.ended : undefined));
  await untilAborted(Promise.race([over.promise, Promise.all([...own, told.all])]), signal);
}

interface Told extends Disposable {
  /** Settles when the ends of all have come into the inbox. */
  readonly all: Promise<void>;
}

/** Ends of tasks in other processes. */
function whenTold(taskIds: readonly string[], turn: Turn): Told {
  if (taskIds.length === 0) return { all: Promise.resolve(), [Symbol.dispose]: () => undefined };
  const all = deferred();
  const look = async () => {
    const ended = new Set<string>((await unreadEnds(turn)).map(({ value }) => value.task_id));
    if (taskIds.every((id) => ended.has(id))) all.resolve();
  };
  const stop = turn.runtime.storage.inboxes.watch(turn.tape.id, () => void look().catch(all.reject));
  void look().catch(all.reject);
  return { all: all.promise, [Symbol.dispose]: stop };
}

/** The values as they are now, and which of them the caller has read by this. */
async function collect(
  found: readonly FoundTask[],
  context: ToolContext,
  { deliveries }: WaitParts,
  { isChosen }: { isChosen: boolean },
): Promise<TaskValues> {
  const turn = turnOf(context);
  const unread = new Map((await unreadEnds(turn)).map((end) => [end.value.task_id as string, end]));
  const current = found.map((task) => unread.get(idOf(task))?.value ?? valueNow(task));
  const isNew = ({ task_id: id }: TaskValue) => unread.has(id) && !deliveries.isShown(id, turn);
  // Meanwhile another call of this step may have given one to the model.
  const tasks = current.filter((value) => isChosen || !isOver(value) || isNew(value));
  const ends = tasks.filter(isNew).flatMap(({ task_id: id }) => unread.get(id) ?? []);
  context.signal.throwIfAborted();
  deliveries.show(ends, context);
  return { tasks };
}

function isOver({ status }: TaskValue): boolean {
  return status !== "queued" && status !== "running";
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function deferred(): Deferred {
  let settle: Pick<Deferred, "resolve" | "reject"> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
