// Every kind of identifier: made here, told apart by the compiler.
import { createHash, randomBytes } from "node:crypto";

declare const brand: unique symbol;
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type TurnId = Branded<string, "TurnId">;
export type RunId = Branded<string, "RunId">;
export type CallId = Branded<string, "CallId">;
export type ShellId = Branded<string, "ShellId">;
export type TaskId = Branded<string, "TaskId">;
/** Names one tape of one store: `<16 hex>__<16 hex>`, `temp__<16 hex>`, or a sibling of one (`…__sidecar__spill`). */
export type TapeId = Branded<string, "TapeId">;
/** Names one inbox item; sorts in order of arrival. */
export type InboxId = Branded<string, "InboxId">;

export const newTurnId = (): TurnId => `turn-${randomHex(12)}` as TurnId;
/** One step's id: entries of a step share it as `meta.run_id`. */
export const newRunId = (): RunId => `run-${randomHex(12)}` as RunId;
export const newCallId = (): CallId => `call_${randomHex(12)}` as CallId;
export const newShellId = (): ShellId => `bsh-${randomHex(8)}` as ShellId;
export const newTaskId = (): TaskId => `sub-${randomHex(8)}` as TaskId;

/**
 * The tape of a session in a workspace.
 * @param workspace the workspace's real path (symbolic links resolved)
 */
export function tapeIdOf(workspace: string, sessionId: string): TapeId {
  return `${md5(workspace)}__${md5(sessionId)}` as TapeId;
}

const temporary = "temp/";
const temporaryTape = "temp__";

/** A session whose name says that it is kept in memory and discarded. */
export function isTemporarySession(sessionId: string): boolean {
  return sessionId.startsWith(temporary);
}

/** The tape of a temporary session: its name tells it from tapes that are kept. */
export const temporaryTapeIdOf = (sessionId: string): TapeId => `${temporaryTape}${md5(sessionId)}` as TapeId;

/** True for a tape of a temporary session, or a sidecar of one. */
export const isTemporary = (tape: TapeId): boolean => tape.startsWith(temporaryTape);

/** A sibling tape that forks, archives and resets with `tape`. */
export const sidecarIdOf = (tape: TapeId, sidecar: string): TapeId => `${tape}${sidecarMark}${sidecar}` as TapeId;

/** The tape that a sidecar belongs to, and the sidecar's name; undefined for a tape of its own. */
export function parseSidecarId(tape: TapeId): { tape: TapeId; sidecar: string } | undefined {
  const at = tape.indexOf(sidecarMark);
  if (at < 0) return undefined;
  return { tape: tape.slice(0, at) as TapeId, sidecar: tape.slice(at + sidecarMark.length) };
}

const sidecarMark = "__sidecar__";

/** Drawn many at once: asking the system for a few costs nearly as much. */
let drawn = Buffer.alloc(0);
let used = 0;

/** `length` random lower-case hexadecimal digits. */
export function randomHex(length: number): string {
  const bytes = Math.ceil(length / 2);
  if (used + bytes > drawn.length) {
    drawn = randomBytes(Math.max(256, bytes));
    used = 0;
  }
  used += bytes;
  return drawn.toString("hex", used - bytes, used).slice(0, length);
}

function md5(text: string): string {
  return createHash("md5").update(text, "utf8").digest("hex").slice(0, 16);
}
