// A session's tasks by id, wherever they are known: in this runtime, in another process, in the inbox, on the tape.
import { BubError } from "../../base/errors.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { type RecalledTask, recallTask, type UnreadEnd, unreadEnds } from "./recall.ts";
import { isEnded, type Task, type TaskValue } from "./task.ts";
import type { TaskBoard } from "./task-board.ts";
import type { TaskRecords } from "./task-records.ts";

/** A task that was found: one of this runtime, or what is known of another one. */
export type FoundTask =
  | { readonly kind: "own"; readonly task: Task }
  | { readonly kind: "elsewhere"; readonly value: TaskValue }
  | { readonly kind: "past"; readonly value: TaskValue; readonly recalled: RecalledTask | undefined };

export class TaskLookup {
  readonly #board: TaskBoard;
  readonly #records: TaskRecords;

  constructor(board: TaskBoard, records: TaskRecords) {
    this.#board = board;
    this.#records = records;
  }

  /** @throws BubError `not_found` `unknown task id: <id>`, also for another session's */
  async find(taskId: string, turn: Turn): Promise<FoundTask> {
    const task = this.#board.find(turn.sessionId, taskId);
    if (task !== undefined) return { kind: "own", task };
    const elsewhere = await this.#elsewhere(turn);
    const running = elsewhere.find(({ task_id: id }) => id === taskId);
    if (running !== undefined) return { kind: "elsewhere", value: running };
    const unread = (await unreadEnds(turn)).find(({ value }) => value.task_id === taskId);
    const recalled = await recallTask(taskId, turn);
    const value = unread?.value ?? recalled?.value;
    if (value !== undefined) return { kind: "past", value, recalled };
    if (recalled === undefined) throw new BubError("not_found", `unknown task id: ${taskId}`);
    // Its session was quit: nobody was told of its end.
    const { id, sessionId } = recalled;
    return {
      kind: "past",
      value: { task_id: id, session_id: sessionId, status: "cancelled", output: "", errors: [] },
      recalled,
    };
  }

  /** Tasks whose results were not read: those that have ended, in the order of their ends, then those that have not. */
  async unread(turn: Turn): Promise<readonly FoundTask[]> {
    const ends = await unreadEnds(turn);
    const own = this.#board.unfinished(turn.sessionId).map((task): FoundTask => ({ kind: "own", task }));
    const elsewhere = (await this.#elsewhere(turn)).map((value): FoundTask => ({ kind: "elsewhere", value }));
    return [...ends.map((end) => this.#ended(end, turn)), ...own, ...elsewhere];
  }

  #ended({ value }: UnreadEnd, turn: Turn): FoundTask {
    const task = this.#board.find(turn.sessionId, value.task_id);
    return task === undefined ? { kind: "past", value, recalled: undefined } : { kind: "own", task };
  }

  #elsewhere({ tape, runtime }: Turn): Promise<readonly TaskValue[]> {
    return this.#records.elsewhere(tape.id, runtime.storage);
  }
}

/** As it is now. */
export function valueNow(found: FoundTask): TaskValue {
  return found.kind === "own" ? found.task.value : found.value;
}

export function idOf(found: FoundTask): string {
  return found.kind === "own" ? found.task.id : found.value.task_id;
}

export function hasEnded(found: FoundTask): boolean {
  return isEnded(valueNow(found).status);
}
