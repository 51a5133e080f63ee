// Temporary tapes in memory beside a storage that keeps all others: the tape's id tells which is meant.
import type { Clock } from "../base/clock.ts";
import { isTemporary, parseSidecarId, type TapeId } from "../base/ids.ts";
import { createMemoryStorage } from "./memory-store.ts";
import type { TapeLog, TapeStorage } from "./store.ts";

/** Media are kept with all others: what goes on from a temporary conversation still has them. */
export interface TemporaryStorage extends TapeStorage {
  /** From now on a temporary tape is this log, which is closed when the tape is discarded. */
  adopt(log: TapeLog): void;
  /** Forgets a temporary tape, its sidecars and its inbox. */
  discard(tape: TapeId): Promise<void>;
}

/** A temporary tape with its sidecars. */
interface Place {
  readonly storage: TapeStorage;
  readonly adopted: Map<TapeId, TapeLog>;
}

/** Closing it discards what is temporary, and closes `kept`. */
export function withTemporary(kept: TapeStorage, { clock }: { clock: Clock }): TemporaryStorage {
  const places = new Map<TapeId, Place>();
  const placeOf = (id: TapeId): Place => {
    const tape = parseSidecarId(id)?.tape ?? id;
    const place = places.get(tape) ?? { storage: createMemoryStorage({ clock }), adopted: new Map() };
    places.set(tape, place);
    return place;
  };
  const of = (tape: TapeId): TapeStorage => (isTemporary(tape) ? placeOf(tape).storage : kept);
  const discard = async (tape: TapeId): Promise<void> => {
    const place = places.get(tape);
    places.delete(tape);
    for (const log of place?.adopted.values() ?? []) await log[Symbol.asyncDispose]();
  };
  return {
    tapes: {
      async open(tape) {
        const log = isTemporary(tape) ? placeOf(tape).adopted.get(tape) : undefined;
        return log === undefined ? of(tape).tapes.open(tape) : keptOpen(log);
      },
      locate: (tape) => of(tape).tapes.locate(tape),
      register: (session) => of(session.tape).tapes.register(session),
      sessions: () => kept.tapes.sessions(),
      async sidecars(tape) {
        const adopted = isTemporary(tape) ? [...placeOf(tape).adopted.keys()] : [];
        const names = adopted.flatMap((id) => parseSidecarId(id)?.sidecar ?? []);
        return [...new Set([...names, ...(await of(tape).tapes.sidecars(tape))])];
      },
    },
    leases: {
      acquire: (tape, options) => of(tape).leases.acquire(tape, options),
      holder: (tape) => of(tape).leases.holder(tape),
    },
    inboxes: {
      put: (tape, item) => of(tape).inboxes.put(tape, item),
      list: (tape) => of(tape).inboxes.list(tape),
      remove: (tape, id) => of(tape).inboxes.remove(tape, id),
      watch: (tape, changed) => of(tape).inboxes.watch(tape, changed),
    },
    tasks: {
      put: (tape, id, data) => of(tape).tasks.put(tape, id, data),
      list: (tape) => of(tape).tasks.list(tape),
      finish: (tape, id, item) => of(tape).tasks.finish(tape, id, item),
      remove: (tape, id) => of(tape).tasks.remove(tape, id),
    },
    media: kept.media,
    shelf: kept.shelf,
    adopt: (log) => void placeOf(log.id).adopted.set(log.id, log),
    discard,
    async [Symbol.asyncDispose]() {
      for (const tape of [...places.keys()]) await discard(tape);
      await kept[Symbol.asyncDispose]();
    },
  };
}

/** The log as its users open and close it, while it stays open itself. */
function keptOpen(log: TapeLog): TapeLog {
  return {
    id: log.id,
    get problems() {
      return log.problems;
    },
    backward: (options) => log.backward(options),
    forward: (options) => log.forward(options),
    append: (entries) => log.append(entries),
    sync: () => log.sync(),
    replace: (entries) => log.replace(entries),
    archive: () => log.archive(),
    size: () => log.size(),
    async [Symbol.asyncDispose]() {},
  };
}
