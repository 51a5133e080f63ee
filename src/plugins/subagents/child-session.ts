// The session of a child, taken at the call: an empty one, a copy of the parent's, or one that stays.
import { BubError, isBubError } from "../../base/errors.ts";
import type { TaskId } from "../../base/ids.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { type SessionSeat, takeSeat } from "../../kernel/session-seat.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { takeFork } from "./fork-session.ts";
import type { Beginning } from "./task-order.ts";

/**
 * Takes the session without waiting. Dispose the seat at the task's end.
 * @throws BubError `temporary` `session '<id>' is busy` for one that has a turn or a task
 */
export async function takeChildSession(beginning: Beginning, taskId: TaskId, parent: Turn): Promise<SessionSeat> {
  switch (beginning.kind) {
    case "kept":
      return takeKept(beginning.sessionId, parent);
    case "temp":
      return takeTemporary(discardedSession(taskId), parent);
    case "fork":
      return takeFork(discardedSession(taskId), parent, endingOf(parent.runtime));
  }
}

/** True for the session of a temp or fork child, which nobody else uses. */
export function isChildSession(sessionId: string): boolean {
  return /^temp\/sub-[0-9a-f]{8}$/.test(sessionId);
}

function discardedSession(taskId: TaskId): string {
  return `temp/${taskId}`;
}

async function takeKept(sessionId: string, { runtime }: Turn): Promise<SessionSeat> {
  if (runtime.sessions.isBusy(sessionId)) throw busy(sessionId);
  try {
    return await takeSeat(sessionId, runtime, { signal: endingOf(runtime), wait: false });
  } catch (error) {
    // Held by another process, or by one that this process was started by.
    if (isBubError(error) && (error.kind === "temporary" || error.kind === "invalid_input"))
      throw busy(sessionId, error);
    throw error;
  }
}

/** Kept in memory, and gone with its seat. */
function takeTemporary(sessionId: string, { runtime }: Turn): Promise<SessionSeat> {
  const storage = createMemoryStorage({ clock: runtime.clock });
  return takeSeat(sessionId, runtime, { signal: endingOf(runtime), storage });
}

/** A signal of its own: many listeners on one look like a leak. */
function endingOf({ ending }: Runtime): AbortSignal {
  return AbortSignal.any([ending]);
}

function busy(sessionId: string, cause?: unknown): BubError {
  return new BubError("temporary", `session '${sessionId}' is busy`, { cause });
}
