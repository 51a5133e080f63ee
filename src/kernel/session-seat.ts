// A session taken for a turn: its place in this process's queue, its lease, and the storage that it is kept in.
import { Disposer } from "../base/disposer.ts";
import type { TapeId } from "../base/ids.ts";
import type { Lease, LeaseHolder, TapeStorage } from "../tape/store.ts";
import { Tape } from "../tape/tape.ts";
import type { Runtime } from "./runtime.ts";

/** While it is held, no other turn of the session begins. Dispose it to let the next one in. */
export interface SessionSeat extends AsyncDisposable {
  readonly sessionId: string;
  readonly tapeId: TapeId;
  readonly storage: TapeStorage;
  readonly lease: Lease;
  /** A tape that was opened ahead, and is closed with the seat; else the turn opens the session's. */
  readonly tape?: Tape;
  /** Its sidecars by name, likewise. */
  readonly sidecars?: ReadonlyMap<string, Tape>;
}

export interface SeatOptions {
  signal: AbortSignal;
  /** False: fail at once when another process holds the session. */
  wait?: boolean;
  /** Told once when somebody else holds the session. */
  onWait?: (holder: LeaseHolder, sessionId: string) => void;
  /** Where the session is kept; by default with all others. */
  storage?: TapeStorage;
}

/** Waits for the session's earlier turns, in this process and in others. Rejects with the signal's reason. */
export async function takeSeat(
  sessionId: string,
  runtime: Runtime,
  { signal, wait, onWait, storage = runtime.storage }: SeatOptions,
): Promise<SessionSeat> {
  const tapeId = runtime.tapeIdOf(sessionId);
  await using taking = new Disposer();
  taking.defer(await runtime.sessions.enter(sessionId, signal));
  const told = (holder: LeaseHolder) => onWait?.(holder, sessionId);
  const lease = taking.use(await storage.leases.acquire(tapeId, { sessionId, signal, wait, onWait: told }));
  const taken = taking.move();
  return { sessionId, tapeId, storage, lease, [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose]() };
}

/** Opens the session's tape for writing; its first entry puts it on the list of sessions. */
export async function openTape({ sessionId, tapeId, storage, lease }: SessionSeat, runtime: Runtime): Promise<Tape> {
  const { clock, workspace = null } = runtime;
  const beginning = () =>
    storage.tapes.register({ tape: tapeId, workspace, session: sessionId, date: clock.now().toISOString() });
  return Tape.open(await storage.tapes.open(tapeId), { clock, lease, beginning });
}
