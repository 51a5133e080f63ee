// The one error class whose text is made for people and models, and the words for its kinds.
import type { JsonObject } from "./json.ts";

/** `temporary` may succeed when tried again; the rest will not by itself. */
export type ErrorKind = "invalid_input" | "config" | "provider" | "tool" | "temporary" | "not_found" | "unknown";

export interface BubErrorOptions {
  /** Facts for the reader, shown a line each (`error`, `output`, `traceback` as text, others as JSON). */
  details?: JsonObject;
  /** What to do next, one sentence. */
  hint?: string;
  cause?: unknown;
}

const brand = Symbol.for("bub.error");

/** An error whose `message` says what failed and on what. Told by `isBubError`, never by `instanceof`. */
export class BubError extends Error {
  override readonly name = "BubError";
  readonly [brand] = true;
  readonly kind: ErrorKind;
  readonly details: JsonObject | undefined;
  readonly hint: string | undefined;

  constructor(kind: ErrorKind, message: string, options: BubErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.details = options.details;
    this.hint = options.hint;
  }
}

/** True also for errors thrown by another copy of this package. */
export function isBubError(value: unknown): value is BubError {
  return typeof value === "object" && value !== null && brand in value;
}

/** The error's own sentence, for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

/** What failed and what to do about it, as whole sentences. */
export function sentencesOf(error: unknown): string {
  const message = messageOf(error);
  const hint = isBubError(error) ? error.hint : undefined;
  if (hint === undefined) return message;
  return /[.!?:]$/.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}

/** As `sentencesOf`, with a full stop where there is none yet: for a place where more may follow. */
export function wholeSentencesOf(error: unknown): string {
  const text = sentencesOf(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Any thrown value as a BubError; what is one already stays as it is. */
export function toBubError(error: unknown, kind: ErrorKind = "unknown"): BubError {
  return isBubError(error) ? error : new BubError(kind, messageOf(error), { cause: error });
}

/** For `switch` defaults: a case the compiler should have counted. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}

/** The system's code of an error (`ENOENT`), when it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}
