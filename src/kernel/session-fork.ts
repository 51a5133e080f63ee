// A copy of a session to try something on: a temporary session that begins with what the other one holds, and may go back.
import { BubError } from "../base/errors.ts";
import { randomHex, sidecarIdOf, type TapeId } from "../base/ids.ts";
import type { TapeEntry } from "../tape/entry.ts";
import { ForkLog } from "../tape/fork-log.ts";
import { mergedDrafts } from "../tape/merge.ts";
import { Tape } from "../tape/tape.ts";
import type { Runtime } from "./runtime.ts";
import { openTape, takeSeat } from "./session-seat.ts";

/** Dispose it: that discards the copy, merged or not. */
export interface SessionFork extends AsyncDisposable {
  /** Turns of this session go on from the copy. */
  readonly sessionId: string;
  /**
   * Appends what the copy's turns wrote to the session that it was made of, sidecars first, as if it had happened there
   * now. Waits for that session's turn. Once: the copy can be used no further.
   * @throws BubError `invalid_input` when it was merged already
   */
  merge(options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * Copies a session as it is now, sidecars too, without waiting for its turn: a step that is under way is left out.
 * What it records later, and a reset of it, do not reach the copy.
 */
export async function forkSession(sessionId: string, runtime: Runtime): Promise<SessionFork> {
  const { storage } = runtime;
  const parent = runtime.tapeIdOf(sessionId);
  const forkId = `temp/fork-${randomHex(12)}`;
  const tape = runtime.tapeIdOf(forkId);
  const logs = new Map<string | undefined, ForkLog>();
  const copy = async (from: TapeId, id: TapeId, sidecar?: string) => {
    const log = await storage.tapes.open(from);
    const { lastId } = await readTapeEnd(log);
  };
  return undefined as never;
}
