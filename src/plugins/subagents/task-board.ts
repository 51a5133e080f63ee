// The tasks of one runtime: how they start, where they are, and how each ends exactly once.
import { CancelledError } from "../../base/abort.ts";
import { addUsage, type StreamEvent } from "../../base/events.ts";
import type { PluginHost } from "../../kernel/plugin-host.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { SessionSeat } from "../../kernel/session-seat.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { isChildSession } from "./child-session.ts";
import { enterQueue } from "./start-queue.ts";
import type { Task, TaskEnd, TaskValue } from "./task.ts";
import type { TaskRecords } from "./task-records.ts";
import type { TaskRun } from "./task-run.ts";

/** A task that has not ended, and what it holds. */
export interface LiveTask {
  readonly task: Task;
  readonly run: TaskRun;
  /** The child's session. */
  readonly seat: SessionSeat;
  /** The turn that started it. */
  readonly turn: Turn;
}

interface Entry extends LiveTask {
  leaveQueue: () => void;
  /** Nobody shall be told of the end. */
  isQuiet: boolean;
  isEnding: boolean;
}

/** Ended tasks of a runtime that are kept in memory; the tape knows the others. */
const mostEnded = 256;

const cancelled: TaskEnd = { status: "cancelled", output: "", errors: [] };

export class TaskBoard {
  readonly #host: PluginHost;
  readonly #records: TaskRecords;
  readonly #live = new Map<string, Entry>();
  /** Those that run, by the child's session; a session has one at most. */
  readonly #running = new Map<string, Task>();
  /** How many a turn has started that have not ended. */
  readonly #outstanding = new Map<string, number>();
  readonly #ended = new Map<string, Task>();
  /** Ends that could not be written down: told from here, by the next run that asks. */
  readonly #untold = new Map<string, { value: TaskValue; task: Task }>();

  constructor(host: PluginHost, records: TaskRecords) {
    this.#host = host;
    this.#records = records;
    host.events.on("run-started", ({ sessionId, model }) => this.#running.get(sessionId)?.runsOn(model));
  }

  /** Lets a recorded task run, at once or after those before it. */
  start(live: LiveTask): void {
    const entry: Entry = { ...live, leaveQueue: () => undefined, isQuiet: false, isEnding: false };
    const { task, run, turn, seat } = live;
    this.#live.set(task.id, entry);
    this.#count(turn, 1);
    if (isChildSession(seat.sessionId)) {
      // Shells that the child left in the background end beside it, not after it.
      run.signal.addEventListener("abort", () => void this.#endShells(seat, turn.runtime), { once: true });
    }
    entry.leaveQueue = enterQueue(this.#host.settings.subagentMaxConcurrency, () => void this.#carryOut(entry));
  }

  /** A task that this runtime remembers, of that session only. */
  find(sessionId: string, taskId: string): Task | undefined {
    const task = this.#live.get(taskId)?.task ?? this.#ended.get(taskId);
    return task?.identity.parent.sessionId === sessionId ? task : undefined;
  }

  /** Those of a session that have not ended, in the order of their start. */
  unfinished(sessionId: string): readonly Task[] {
    return [...this.#live.values()]
      .map(({ task }) => task)
      .filter(({ identity }) => identity.parent.sessionId === sessionId);
  }

  /** True while a task that the turn started has not ended. */
  isOutstanding({ turnId }: Turn): boolean {
    return this.#outstanding.has(turnId);
  }

  /** False when the task has ended, or is about to. */
  async send(taskId: string, message: string): Promise<boolean> {
    return (await this.#live.get(taskId)?.run.send(message)) ?? false;
  }

  /** Resolves when the task has ended; at once when it has already. */
  async cancel(taskId: string, reason: Error = new CancelledError("the task was cancelled")): Promise<void> {
    const entry = this.#live.get(taskId);
    if (entry === undefined) return;
    entry.run.cancel(reason);
    if (entry.task.status === "queued") {
      entry.leaveQueue();
      void this.#end(entry, cancelled);
    }
    await entry.task.ended;
  }

  /** Cancels a session's tasks; of their ends, and of those before, nobody is told any more. */
  async quit(sessionId: string, runtime: Runtime): Promise<void> {
    const entries = [...this.#live.values()].filter(({ turn }) => turn.sessionId === sessionId);
    for (const entry of entries) entry.isQuiet = true;
    await Promise.all(entries.map(({ task }) => this.cancel(task.id, runtime.quitReason())));
    for (const [id, { task }] of this.#untold)
      if (task.identity.parent.sessionId === sessionId) this.#untold.delete(id);
    await this.#records.clear(runtime.tapeIdOf(sessionId), runtime.storage);
  }

  /** Writes down, as a turn of their session begins or asks, the ends that could not be written down before; answers those that still cannot. */
  async retell({ sessionId, runtime }: Turn): Promise<readonly TaskValue[]> {
    const values: TaskValue[] = [];
    for (const [id, { value, task }] of this.#untold) {
      const { parent } = task.identity;
      if (parent.sessionId !== sessionId) continue;
      if (await this.#records.tell(value, parent.tapeId, runtime.storage)) this.#untold.delete(id);
      else values.push(value);
    }
    return values;
  }

  /** Takes it that these were told in another way. */
  told(taskIds: readonly string[]): void {
    for (const id of taskIds) this.#untold.delete(id);
  }

  /** Cancels everything; resolves when all have ended. */
  async cancelAll(reason: Error): Promise<void> {
    await Promise.all([...this.#live.keys()].map((id) => this.cancel(id, reason)));
  }

  async #carryOut(entry: Entry): Promise<void> {
    const { task, run } = entry;
    task.begin(this.#host.clock.now());
    this.#running.set(task.identity.sessionId, task);
    this.#announce("subagent-started", entry);
    await this.#end(entry, await run.run());
  }

  async #end(entry: Entry, end: TaskEnd): Promise<void> {
    if (entry.isEnding) return;
    entry.isEnding = true;
    const { task, turn } = entry;
    this.#running.delete(task.identity.sessionId);
    await this.#leaveSession(entry);
    await this.#tell(entry, end);
    task.end(end, this.#host.clock.now());
    turn.state.childUsage ??= {};
    addUsage(turn.state.childUsage, task.usage);
    this.#live.delete(task.id);
    this.#count(turn, -1);
    this.#remember(task);
    this.#announce("subagent-finished", entry);
    entry.leaveQueue();
    // The end stands in the inbox already; only now it does not count as outstanding any more.
    turn.inbox.wake();
    task.announceEnd();
  }

  /** A session that stays may be continued as soon as anybody is told. */
  async #leaveSession({ seat, turn, task }: Entry): Promise<void> {
    try {
      if (isChildSession(seat.sessionId)) await this.#endShells(seat, turn.runtime);
      await seat[Symbol.asyncDispose]();
    } catch (error) {
      this.#host.log.error("a task's session could not be closed", { task: task.id, error });
    }
  }

  async #tell({ task, turn: { runtime }, isQuiet }: Entry, end: TaskEnd): Promise<void> {
    const { tapeId } = task.identity.parent;
    if (isQuiet) {
      await runtime.storage.tasks.remove(tapeId, task.id).catch(() => undefined);
      return;
    }
    const value = task.valueAt(end);
    if (await this.#records.tell(value, tapeId, runtime.storage)) return;
    this.#untold.set(task.id, { value, task });
  }

  async #endShells({ sessionId }: SessionSeat, runtime: Runtime): Promise<void> {
    await runtime.hooks.notify("endSession", sessionId, runtime);
  }

  #announce(type: "subagent-started" | "subagent-finished", { task, turn }: Entry): void {
    this.#host.events.emit(type, { task: task.snapshot, state: turn.state });
    turn.tell({ type, task: task.snapshot });
  }

  #count({ turnId }: Turn, change: number): void {
    const count = (this.#outstanding.get(turnId) ?? 0) + change;
    if (count > 0) this.#outstanding.set(turnId, count);
    else this.#outstanding.delete(turnId);
  }

  #remember(task: Task): void {
    this.#ended.set(task.id, task);
    if (this.#ended.size <= mostEnded) return;
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** Passes on what a child tells, to observers and to the turn that started it. */
export function passOn(task: Task, turn: Turn, event: StreamEvent): void {
  turn.events.emit("subagent-output", { task: task.snapshot, state: turn.state, event });
  turn.tell({ type: "subagent-output", task: task.snapshot, event });
}
