// Tasks on record: who has them, and the one way in which the end of each is told.
import type { TapeId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { TapeStorage, TaskRecord } from "../../tape/store.ts";
import { notificationOf, tasksIn } from "./notification.ts";
import { buryOwner, isOwnerAlive, TaskOwner } from "./owner.ts";
import type { Task, TaskValue } from "./task.ts";

export class TaskRecords implements AsyncDisposable {
  readonly #owner = new TaskOwner();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Records a task before it starts. @throws what the storage throws: then it must not start */
  async open({ identity: { id, sessionId, parent } }: Task, runtime: Runtime): Promise<void> {
    await this.#owner.claim(runtime);
    const data: JsonObject = { owner: this.#owner.id, session_id: sessionId };
    await runtime.storage.tasks.put(parent.tapeId, id, data);
  }

  /** Tells of a task's end by the inbox; false when that could not be written down. Nobody is told twice. */
  async tell(value: TaskValue, tapeId: TapeId, { tasks }: TapeStorage): Promise<boolean> {
    try {
      await tasks.finish(tapeId, value.task_id, notificationOf(value));
      return true;
    } catch (error) {
      this.#log.error("the end of a task could not be written down", { task: value.task_id, error });
      return false;
    }
  }

  /** Tells of what other processes left: ends that were only written down, and tasks that died with their owner. */
  async recover({ tape, runtime: { storage } }: Turn): Promise<void> {
    for (const record of await storage.tasks.list(tape.id)) {
      const { owner } = record.data;
      if (owner === this.#owner.id || (await isOwnerAlive(owner, storage.leases))) continue;
      await storage.tasks.finish(tape.id, record.id, record.ended ?? notificationOf(interrupted(record)));
      await buryOwner(owner, storage.leases).catch((error) => this.#log.debug("a dead owner's lease stays", { error }));
    }
  }

  /** Tasks of other processes that go on. */
  async elsewhere(tapeId: TapeId, { tasks }: TapeStorage): Promise<readonly TaskValue[]> {
    const records = await tasks.list(tapeId);
    return records
      .filter(({ data }) => data.owner !== this.#owner.id)
      .map((record) => recordedValue(record, "running"));
  }

  /** Forgets everything that a session's tasks have to tell. */
  async clear(tapeId: TapeId, { tasks, inboxes }: TapeStorage): Promise<void> {
    for (const { id } of await tasks.list(tapeId)) await tasks.remove(tapeId, id);
    for (const item of await inboxes.list(tapeId)) {
      if (tasksIn(item.meta).length > 0) await inboxes.remove(tapeId, item.id);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owner[Symbol.asyncDispose]();
  }
}

function interrupted(record: TaskRecord): TaskValue {
  return { ...recordedValue(record, "failed"), errors: ["interrupted by a restart"] };
}

function recordedValue({ id, data }: TaskRecord, status: TaskValue["status"]): TaskValue {
  const { session_id: sessionId } = data;
  // Half a record still is a task that somebody waits for.
  const session = typeof sessionId === "string" ? sessionId : `temp/${id}`;
  return { task_id: id, session_id: session, status, output: "", errors: [] };
}
