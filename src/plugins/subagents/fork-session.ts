// A child's session that begins as a copy of its parent's conversation, sidecars too.
import { Disposer } from "../../base/disposer.ts";
import { sidecarIdOf, type TapeId } from "../../base/ids.ts";
import { type SessionSeat, takeSeat } from "../../kernel/session-seat.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { EntryDraft, TapeEntry } from "../../tape/entry.ts";
import { ForkLog } from "../../tape/fork-log.ts";
import { forkPoint } from "../../tape/fork-point.ts";
import { createMemoryStorage } from "../../tape/memory-store.ts";
import { Tape } from "../../tape/tape.ts";

/** The parent's files are held open from now on: what it records later, and a reset of it, are not seen. */
export async function takeFork(sessionId: string, parent: Turn, signal: AbortSignal): Promise<SessionSeat> {
  const { runtime, tape } = parent;
  const { upTo, running } = forkPoint(tape.recent, tape.lastId);
  const said = saidWith(running);
  await using taking = new Disposer();
  const storage = createMemoryStorage({ clock: runtime.clock });
  const seat = taking.use(await takeSeat(sessionId, runtime, { signal, storage }));
  const fork = async (of: Tape, id: TapeId, last: number) => {
    const log = new ForkLog({ id, parent: await runtime.storage.tapes.open(of.id), upTo: last });
    return taking.use(await Tape.open(log, { clock: runtime.clock, lease: seat.lease }));
  };
  const forked = await fork(tape, seat.tapeId, upTo);
  if (said !== undefined) await forked.append([said]);
  const sidecars = new Map<string, Tape>();
  for (const name of await sidecarNames(parent)) {
    const sidecar = await parent.sidecar(name);
    sidecars.set(name, await fork(sidecar, sidecarIdOf(seat.tapeId, name), sidecar.lastId));
  }
  const taken = taking.move();
  return { ...seat, tape: forked, sidecars, [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose]() };
}

/** What the parent said with the calls that are running now: the child is one of them. */
function saidWith(running: TapeEntry | undefined): EntryDraft | undefined {
  const content = running?.payload.content;
  const isText = typeof content === "string" && content !== "";
  return isText ? { kind: "message", payload: { role: "assistant", content } } : undefined;
}

async function sidecarNames({ runtime }: Turn): Promise<string[]> {
  const provided = await runtime.hooks.collect("provideTapeSidecar", runtime);
  return [...new Set(provided.map(({ answer }) => answer.name))];
}
