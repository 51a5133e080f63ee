// What a script says: answers, when each is given, and what goes wrong on purpose.
import type { Usage } from "../../base/events.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FinishReason } from "../model.ts";

export interface ScriptedPiece {
  readonly text: string;
  /** Milliseconds before it. */
  readonly delayMs?: number;
}

export interface ScriptedCall {
  readonly name: string;
  /** Text is sent as it is, also when it is no JSON. */
  readonly arguments: JsonObject | string;
  /** Default: a new one. */
  readonly id?: string;
}

/** How an answer fails, after its text: an error of the provider, an end without a finish, or silence until cancelled. */
export type ScriptedFault =
  | {
      readonly kind: "error";
      readonly status?: number;
      readonly code?: string;
      readonly message?: string;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: "cut" }
  | { readonly kind: "stall" };

/** All that are given must hold. */
export interface ScriptedCondition {
  /** Found in the newest user message. */
  readonly user?: RegExp;
  /** Found in the tool results since the newest answer. */
  readonly result?: RegExp;
  /** A tool, by name or alias, with a result since the newest answer. */
  readonly tool?: string;
  /** Counts the model calls since the newest user message, from 1. */
  readonly step?: number;
}

export interface ScriptedAnswer {
  /** Without it, the answer is given in its turn. */
  readonly when?: ScriptedCondition;
  readonly reasoning?: readonly ScriptedPiece[];
  readonly text?: readonly ScriptedPiece[];
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Usage;
  /** Milliseconds before anything. */
  readonly delayMs?: number;
  /** Default: `tool-calls` with calls, else `stop`. */
  readonly finish?: FinishReason;
  readonly fault?: ScriptedFault;
}

export interface ScriptedConversation {
  /** Found in the conversation's first user message. */
  readonly first: RegExp;
  readonly answers: readonly ScriptedAnswer[];
}

export interface Script {
  /** For conversations that none of `conversations` fits. */
  readonly answers: readonly ScriptedAnswer[];
  readonly conversations: readonly ScriptedConversation[];
  /** Where an answer's turn is read from: the conversation so far, or the requests of this process. */
  readonly order: "conversation" | "requests";
  /** What comes when all were given. */
  readonly after: "error" | "repeat" | "restart";
}
