// What enters and leaves a turn: one inbound message, the prompt it becomes, and the messages that answer it.
import type { Content } from "../base/content.ts";
import type { JsonObject } from "../base/json.ts";

/**
 * Puts a question to whoever sent the message. Resolves with one of `choices`, or undefined where nobody can answer.
 * Rejects with the signal's reason when cancelled.
 */
export type Ask = (
  question: string,
  choices: readonly string[],
  signal: AbortSignal,
  about?: AskedCall,
) => Promise<string | undefined>;

/** The call that a question is about. */
export interface AskedCall {
  readonly callId: string;
}

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
  /**
   * True when the text is a person's own shell command: it runs at once and as it is, without a model, which reads the
   * command and its output before the next message.
   */
  readonly shell?: boolean;
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
  /** With `shell` the line is for the shell as it is, and the model reads of it later. */
  | { readonly kind: "command"; readonly line: string; readonly shell?: true };

/** One message leaving. */
export interface Outbound {
  readonly channel: string;
  readonly chatId: string;
  readonly sessionId: string;
  readonly kind: "answer" | "error";
  readonly text: string;
}

/** The session of a message: the one that it names, else its chat's. */
export function sessionIdOf(inbound: Inbound): string {
  return inbound.sessionId ?? `${inbound.channel}:${inbound.chatId}`;
}
