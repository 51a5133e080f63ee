// A child's session that begins as a copy of its parent's conversation, sidecars too.
import { Disposer } from "../../base/disposer.ts";
import { sidecarIdOf, type TapeId } from "../../base/ids.ts";
import { type SessionSeat, takeSeat } from "../../kernel/session-seat.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { EntryDraft, TapeEntry } from "../../tape/entry.ts";
import { ForkLog } from "../../tape/fork-log.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import type { TapeLog, TapeStorage } from "../../tape/store.ts";
import { Tape } from "../../tape/tape.ts";

/** The parent's files are held open from now on: what it records later, and a reset of it, are not seen. */
export async function takeFork(sessionId: string, parent: Turn, signal: AbortSignal): Promise<SessionSeat> {
  const { runtime, tape } = parent;
  const id = runtime.tapeIdOf(sessionId);
  const { upTo, said } = forkPoint(tape.recent, tape.lastId);
  await using taking = new Disposer();
  const logs = new Map<TapeId, TapeLog>();
  for (const name of await sidecarNames(parent)) {
    const sidecar = await parent.sidecar(name);
    const log = await runtime.storage.tapes.open(sidecar.id);
    logs.set(
      sidecarIdOf(id, name),
      taking.use(new ForkLog({ id: sidecarIdOf(id, name), parent: log, upTo: sidecar.lastId })),
    );
  }
  const storage = withLogs(createMemoryStorage({ clock: runtime.clock }), logs);
  const seat = taking.use(await takeSeat(sessionId, runtime, { signal, storage }));
  const parentLog = await runtime.storage.tapes.open(tape.id);
  const forked = taking.use(
    await Tape.open(new ForkLog({ id, parent: parentLog, upTo }), { clock: runtime.clock, lease: seat.lease }),
  );
  if (said !== undefined) await forked.append([said]);
  const taken = taking.move();
  return { ...seat, tape: forked, [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose]() };
}

interface ForkPoint {
  readonly upTo: number;
  /** What the parent said with the calls that are running now. */
  readonly said: EntryDraft | undefined;
}

/** The fork ends before the calls that are running: their results are not there, and the child is one of them. */
function forkPoint(recent: readonly TapeEntry[], lastId: number): ForkPoint {
  const running = recent.findLast(({ kind }) => kind === "tool_call");
  if (running === undefined || !isOpen(running, recent)) return { upTo: lastId, said: undefined };
  const { content } = running.payload;
  const isText = typeof content === "string" && content !== "";
  const said: EntryDraft | undefined = isText
    ? { kind: "message", payload: { role: "assistant", content } }
    : undefined;
  return { upTo: running.id - 1, said };
}

/** True while one of the calls has no result. */
function isOpen({ id, payload }: TapeEntry, recent: readonly TapeEntry[]): boolean {
  const calls = Array.isArray(payload.calls) ? payload.calls.length : 0;
  const later = recent.filter((entry) => entry.id > id && entry.kind === "tool_result");
  const results = later.flatMap((entry) => (Array.isArray(entry.payload.results) ? entry.payload.results : []));
  return results.length < calls;
}

async function sidecarNames({ runtime }: Turn): Promise<string[]> {
  const provided = await runtime.hooks.collect("provideTapeSidecar", runtime);
  return [...new Set(provided.map(({ answer }) => answer.name))];
}

/** The storage with some tapes that are open already; each is opened once. */
function withLogs(storage: TapeStorage, logs: ReadonlyMap<TapeId, TapeLog>): TapeStorage {
  const { tapes, leases, inboxes, media, tasks } = storage;
  const open = async (tape: TapeId) => logs.get(tape) ?? tapes.open(tape);
  const wrapped = {
    open,
    locate: (tape: TapeId) => tapes.locate(tape),
    register: (session: Parameters<typeof tapes.register>[0]) => tapes.register(session),
    sessions: () => tapes.sessions(),
  };
  return { tapes: wrapped, leases, inboxes, media, tasks, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}
