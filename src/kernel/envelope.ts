// What enters and leaves a turn: one inbound message, the prompt it becomes, and the messages that answer it.
import type { Content } from "../base/content.ts";
import type { JsonObject } from "../base/json.ts";

/**
 * Puts a question to whoever sent the message. Resolves with one of `choices`, or undefined where nobody can answer.
 * Rejects with the signal's reason when cancelled.
 */
export type Ask = (question: string, choices: readonly string[], signal: AbortSignal) => Promise<string | undefined>;

/** One message entering. */
export interface Inbound {
  /** `cli`, `telegram`, `sdk` … */
  readonly channel: string;
  readonly chatId: string;
  readonly senderId?: string;
  /** Default: `<channel>:<chatId>`. */
  readonly sessionId?: string;
  readonly content: Content;
  /** True when a person wrote it: only then may its text be a text command. */
  readonly commands?: boolean;
  /** Overrides of this turn, above the session's settings. */
  readonly model?: string;
  readonly reasoningEffort?: string;
  /** Names or aliases of the tools that exist in this run; all by default. */
  readonly allowedTools?: readonly string[];
  readonly allowedSkills?: readonly string[];
  /** What the message's tape entry carries in `meta`, for example the inbox item that it came from. */
  readonly meta?: JsonObject;
  readonly ask?: Ask;
}

/** What `buildPrompt` makes of a message. */
export type Prompt =
  | { readonly kind: "message"; readonly content: Content; readonly meta?: JsonObject }
  | { readonly kind: "command"; readonly line: string };

/** One message leaving. */
export interface Outbound {
  readonly channel: string;
  readonly chatId: string;
  readonly sessionId: string;
  readonly kind: "answer" | "error";
  readonly text: string;
}

export function sessionIdOf(inbound: Inbound): string {
  return inbound.sessionId ?? `${inbound.channel}:${inbound.chatId}`;
}
