// What a running turn tells: stream events for whoever reads the turn, bus events for observers.
import type { ErrorKind } from "./errors.ts";
import type { RunId, TaskId, TurnId } from "./ids.ts";
import type { JsonObject } from "./json.ts";

/** Tokens of one model call; a count that the provider did not give is absent. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cached_tokens?: number;
  cache_write_tokens?: number;
  total_tokens?: number;
}

/** Adds tokens onto `total`; a count that neither has stays absent. */
export function addUsage(total: Usage, more: Usage): void {
  for (const [name, tokens] of Object.entries(more) as [keyof Usage, number | undefined][]) {
    if (tokens !== undefined) total[name] = (total[name] ?? 0) + tokens;
  }
}

export type StepStatus = "ok" | "error" | "cancelled";

export type TaskStatus = "queued" | "running" | "completed" | "failed" | "cancelled";

/** A subagent's task as events show it, at that moment. Dates are ISO-8601, UTC. */
export interface SubagentTask {
  readonly task_id: TaskId;
  readonly session_id: string;
  readonly parent_session_id: string;
  /** The tool call that started it. */
  readonly parent_call_id: string;
  readonly description: string;
  /** `provider:model`; null until it is known. */
  readonly model: string | null;
  readonly profile: string | null;
  readonly status: TaskStatus;
  /** The final answer; what there is of one when it did not come to its end. */
  readonly output: string;
  readonly errors: readonly string[];
  readonly usage: Usage;
  readonly steps: number;
  readonly tool_calls: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** The part of a stream event that says what happened. */
export type StreamEventBody =
  | { type: "text-delta"; delta: string }
  | { type: "reasoning-delta"; delta: string }
  | { type: "tool-call"; id: string; name: string; arguments: JsonObject }
  | {
      type: "tool-result";
      id: string;
      name: string;
      value: unknown;
      text: string;
      is_error: boolean;
      elapsed_ms: number;
    }
  | { type: "usage"; usage: Usage }
  /** `is_passing`: it is over with the answer, such as a retry; only who watches needs it. */
  | { type: "notice"; message: string; is_passing: boolean }
  | { type: "error"; kind: ErrorKind; message: string }
  | { type: "step-finished"; status: StepStatus }
  | { type: "subagent-started" | "subagent-finished"; task: SubagentTask }
  | { type: "subagent-output"; task: SubagentTask; event: StreamEvent }
  | { type: "final"; ok: boolean; text: string; status: StepStatus };

/** Where and when it happened; ids equal those in the entries' `meta`. */
export interface StreamEventPlace {
  turn_id: TurnId;
  run_id: RunId;
  session_id: string;
  /** Counts from 1; 0 before the first step. */
  step: number;
  /** ISO-8601, UTC. */
  date: string;
}

export type StreamEvent = StreamEventBody & StreamEventPlace;

interface BusPlace {
  sessionId: string;
  turnId: TurnId;
}

/** Events of `agent.events`, by name. Handlers may be async; a failing one is logged. */
export interface BusEvents {
  "run-started": BusPlace & { model: string };
  /** `childUsage`: tokens of the children that ended during the run. */
  "run-finished": BusPlace & { status: StepStatus; steps: number; usage: Usage; childUsage: Usage };
  "model-call-started": BusPlace & { runId: RunId; step: number; model: string };
  "model-call-finished": BusPlace & {
    runId: RunId;
    step: number;
    /** The one that answered, or failed last. */
    model: string;
    status: StepStatus;
    usage?: Usage;
    elapsedMs: number;
  };
  "tool-call-started": BusPlace & { runId: RunId; callId: string; name: string; arguments: JsonObject };
  "tool-call-finished": BusPlace & { runId: RunId; callId: string; name: string; isError: boolean; elapsedMs: number };
  "step-finished": BusPlace & { runId: RunId; step: number; status: StepStatus };
  "messages-pending": { sessionId: string; count: number };
  /** `state` is that of the turn that started the task. */
  "subagent-started": { task: SubagentTask; state: object };
  "subagent-output": { task: SubagentTask; state: object; event: StreamEvent };
  "subagent-finished": { task: SubagentTask; state: object };
  "shell-finished": { sessionId: string; shellId: string; exitCode: number | null };
}
