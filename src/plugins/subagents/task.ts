// One task: what is known of it from the call that started it to its end.
import { addUsage, type StreamEvent, type SubagentTask, type TaskStatus, type Usage } from "../../base/events.ts";
import type { TapeId, TaskId } from "../../base/ids.ts";
import { type JsonObject, textIn } from "../../base/json.ts";
import type { TaskOrder } from "./task-order.ts";

/** A task as tools give it. */
export type TaskValue = {
  readonly task_id: TaskId;
  readonly session_id: string;
  readonly status: TaskStatus;
  readonly output: string;
  readonly errors: string[];
};

export interface TaskEnd {
  readonly status: "completed" | "failed" | "cancelled";
  readonly output: string;
  readonly errors: readonly string[];
}

/** What a task is from its beginning. */
export interface TaskIdentity {
  readonly id: TaskId;
  readonly sessionId: string;
  readonly parent: {
    readonly sessionId: string;
    readonly tapeId: TapeId;
    readonly turnId: string;
    readonly callId: string;
  };
  readonly order: TaskOrder;
  readonly description: string;
  readonly profile: string | undefined;
}

export class Task {
  readonly identity: TaskIdentity;
  readonly ended: Promise<void>;
  status: TaskStatus = "queued";
  model: string | undefined;
  #output = "";
  #errors: readonly string[] = [];
  readonly #usage: Usage = {};
  #steps = 0;
  #toolCalls = 0;
  readonly #createdAt: Date;
  #startedAt: Date | undefined;
  #finishedAt: Date | undefined;
  #resolveEnded: () => void = () => undefined;
  #snapshot: SubagentTask | undefined;

  constructor(identity: TaskIdentity, { model, createdAt }: { model: string | undefined; createdAt: Date }) {
    this.identity = identity;
    this.model = model;
    this.#createdAt = createdAt;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get id(): TaskId {
    return this.identity.id;
  }

  get isOver(): boolean {
    return this.#finishedAt !== undefined;
  }

  get usage(): Usage {
    return this.#usage;
  }

  begin(at: Date): void {
    this.status = "running";
    this.#startedAt = at;
    this.#snapshot = undefined;
  }

  /** Counts what the child does. */
  see(event: StreamEvent): void {
    if (event.type === "usage") addUsage(this.#usage, event.usage);
    else if (event.type === "tool-call") this.#toolCalls += 1;
    else if (event.type === "step-finished") this.#steps += 1;
    else return;
    this.#snapshot = undefined;
  }

  runsOn(model: string): void {
    this.model = model;
    this.#snapshot = undefined;
  }

  /** The task as it will be after its end, for those who are told of it first. */
  valueAt({ status, output, errors }: TaskEnd): TaskValue {
    return { task_id: this.id, session_id: this.identity.sessionId, status, output, errors: [...errors] };
  }

  end({ status, output, errors }: TaskEnd, at: Date): void {
    this.status = status;
    this.#output = output;
    this.#errors = errors;
    this.#finishedAt = at;
    this.#snapshot = undefined;
  }

  /** Lets those go on who wait for the end. */
  announceEnd(): void {
    this.#resolveEnded();
  }

  get value(): TaskValue {
    const { status } = this;
    return {
      task_id: this.id,
      session_id: this.identity.sessionId,
      status,
      output: this.#output,
      errors: [...this.#errors],
    };
  }

  /** For events; the same object until something changes. */
  get snapshot(): SubagentTask {
    const { id, sessionId, parent, description, profile } = this.identity;
    this.#snapshot ??= {
      task_id: id,
      session_id: sessionId,
      parent_session_id: parent.sessionId,
      parent_call_id: parent.callId,
      description,
      model: this.model ?? null,
      profile: profile ?? null,
      status: this.status,
      output: this.#output,
      errors: this.#errors,
      usage: { ...this.#usage },
      steps: this.#steps,
      tool_calls: this.#toolCalls,
      created_at: this.#createdAt.toISOString(),
      started_at: this.#startedAt?.toISOString() ?? null,
      finished_at: this.#finishedAt?.toISOString() ?? null,
    };
    return this.#snapshot;
  }
}

/** Reads a task's value back from data that was kept; undefined when it is none. */
export function parseTaskValue(data: JsonObject | undefined): TaskValue | undefined {
  if (data === undefined) return undefined;
  const { task_id: id, session_id: sessionId, status, output, errors } = data;
  if (typeof id !== "string" || typeof sessionId !== "string" || !isTaskStatus(status)) return undefined;
  return {
    task_id: id as TaskId,
    session_id: sessionId,
    status,
    output: textIn(output),
    errors: Array.isArray(errors) ? errors.map(String) : [],
  };
}

const statuses: readonly TaskStatus[] = ["queued", "running", "completed", "failed", "cancelled"];

export function isTaskStatus(value: unknown): value is TaskStatus {
  return (statuses as readonly unknown[]).includes(value);
}

export function isEnded(status: TaskStatus): boolean {
  return status !== "queued" && status !== "running";
}
