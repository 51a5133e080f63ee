// What a running turn tells: stream events for whoever reads the turn, bus events for observers.
import type { ErrorKind } from "./errors.ts";
import type { RunId, TurnId } from "./ids.ts";
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

export type StepStatus = "ok" | "error" | "cancelled";

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
  | { type: "notice"; message: string }
  | { type: "error"; kind: ErrorKind; message: string }
  | { type: "step-finished"; status: StepStatus }
  | { type: "subagent-started" | "subagent-output" | "subagent-finished"; task: JsonObject; event?: StreamEvent }
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
  "run-finished": BusPlace & { status: StepStatus; steps: number; usage: Usage };
  "model-call-started": BusPlace & { runId: RunId; step: number; model: string };
  "model-call-finished": BusPlace & {
    runId: RunId;
    step: number;
    status: StepStatus;
    usage?: Usage;
    elapsedMs: number;
  };
  "tool-call-started": BusPlace & { runId: RunId; callId: string; name: string; arguments: JsonObject };
  "tool-call-finished": BusPlace & { runId: RunId; callId: string; name: string; isError: boolean; elapsedMs: number };
  "step-finished": BusPlace & { runId: RunId; step: number; status: StepStatus };
  "messages-pending": { sessionId: string; count: number };
  "subagent-started": { task: JsonObject; state: object };
  "subagent-output": { task: JsonObject; state: object; event: StreamEvent };
  "subagent-finished": { task: JsonObject; state: object };
  "shell-finished": { sessionId: string; shellId: string; exitCode: number | null };
}
