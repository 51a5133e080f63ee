// Who answers: the contract between a run and any provider's wire format.
import type { Content, MediaPart, MediaType } from "../base/content.ts";
import type { ErrorKind } from "../base/errors.ts";
import type { Usage } from "../base/events.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { JsonSchema } from "../base/schema.ts";

/**
 * One message of a request. Message objects are never changed once made: a wire format may keep what it
 * serialised for one (a WeakMap), so that a growing conversation costs by what is new.
 */
export type ModelMessage =
  | { readonly role: "user"; readonly content: Content }
  | {
      readonly role: "assistant";
      readonly content?: string;
      readonly reasoning?: string;
      /** What `finish` gave; only the provider that made it reads it. */
      readonly providerData?: JsonValue;
      readonly calls?: readonly ModelCall[];
    }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly name: string;
      readonly content: Content;
      readonly isError: boolean;
    };

export interface ModelCall {
  readonly id: string;
  /** The alias (`fs_read`). */
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface ModelTool {
  /** The alias. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Gives the bytes of a part that names a stored file, in base64. */
export type LoadMedia = (part: MediaPart) => Promise<string>;

export interface ModelRequest {
  readonly system: string;
  /** Grows at its end; the array itself may be the same object in every step. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxTokens: number;
  readonly reasoningEffort?: string;
  readonly loadMedia: LoadMedia;
  readonly signal: AbortSignal;
}

export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/**
 * What a provider's stream becomes. Deltas come as they arrive, never empty. Tool calls come only after the stream
 * ended as its format demands, in order; `arguments` is the raw text as received. `incomplete` marks a call that the
 * answer's end cut off (`finish` then says `length` or `content-filter`): it is recorded with an error result and never
 * runs, whatever its arguments look like. `progress` says that content arrived which is not given out yet (a call's
 * arguments): it keeps the idle time-out away and is for nobody else. `finish` is last and comes exactly once: a stream
 * that ends without it failed, and throws ModelError.
 */
export type ModelEvent =
  | { type: "text-delta"; delta: string }
  | { type: "reasoning-delta"; delta: string }
  | { type: "progress" }
  | { type: "tool-call"; id: string; name: string; arguments: string; incomplete?: true }
  | { type: "finish"; reason: FinishReason; rawReason?: string; usage?: Usage; providerData?: JsonValue };

/** What a provider tells of a model; what it does not tell is absent. */
export interface ModelLimits {
  /** Tokens of a request and its answer together. */
  readonly contextWindow?: number;
  /** The media that it takes. */
  readonly media?: readonly MediaType[];
}

/** One model of one provider, ready to be asked. Holds no state of a conversation. */
export interface Model {
  /** For example `openai`. */
  readonly provider: string;
  /** The provider's own name for it. */
  readonly modelId: string;
  /** One call: no retries, no time-outs of its own. Cancelled by `request.signal`, whose reason it throws. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
  /** Asks the provider's list for what it says of this model; absent where there is no such list. */
  limits?(signal: AbortSignal): Promise<ModelLimits>;
}

export type ModelFailure =
  | "unauthorized"
  | "rate-limited"
  | "overflow"
  | "rejected-image"
  | "rejected"
  | "server"
  | "network"
  | "cut"
  | "idle"
  | "timeout"
  | "empty"
  | "malformed";

/** Facts that a failed call is judged by. */
export interface ModelErrorFacts {
  readonly failure: ModelFailure;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly status?: number;
  /** From `retry-after`. */
  readonly retryAfterMs?: number;
}

/** The error kind that people see for a failure. */
export function kindOfFailure({ retryable }: ModelErrorFacts): ErrorKind {
  return retryable ? "temporary" : "provider";
}
