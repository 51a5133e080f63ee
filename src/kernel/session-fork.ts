// A copy of a session to try something on: a temporary session that begins with what the other one holds, and may go back.
import { Disposer } from "../base/disposer.ts";
import { BubError } from "../base/errors.ts";
import { randomHex, sidecarIdOf, type TapeId } from "../base/ids.ts";
import type { EntryDraft } from "../tape/entry.ts";
import { ForkLog } from "../tape/fork-log.ts";
import { forkPoint } from "../tape/fork-point.ts";
import { mergedDrafts } from "../tape/merge.ts";
import { Tape } from "../tape/tape.ts";
import { readTapeEnd } from "../tape/tape-end.ts";
import type { Runtime } from "./runtime.ts";
import { openTape, takeSeat } from "./session-seat.ts";

/** Dispose it: that discards the copy, merged or not. */
export interface SessionFork extends AsyncDisposable {
  /** Turns of this session go on from the copy. */
  readonly sessionId: string;
  /**
   * Appends what the copy's turns wrote to the session that it was made of, sidecars first, with new ids. Waits for the
   * turns of both.
   * @throws BubError `invalid_input` when it was merged already; what a tape throws that cannot be written
   */
  merge(options?: { signal?: AbortSignal }): Promise<void>;
}

/**
 * Copies a session as it is now, sidecars too, without waiting for its turn; a step that is under way is left out. What
 * the session records later, and a reset of it, do not reach the copy.
 */
export async function forkSession(sessionId: string, runtime: Runtime): Promise<SessionFork> {
  const fork = new Fork(sessionId, runtime);
  await fork.open();
  return fork;
}

class Fork implements SessionFork {
  readonly sessionId = `temp/fork-${randomHex(12)}`;
  readonly #parentSession: string;
  readonly #runtime: Runtime;
  readonly #parent: TapeId;
  readonly #tape: TapeId;
  /** What was copied, by the fork's tape. */
  readonly #logs = new Map<TapeId, ForkLog>();
  #isMerged = false;

  constructor(parentSession: string, runtime: Runtime) {
    this.#parentSession = parentSession;
    this.#runtime = runtime;
    this.#parent = runtime.tapeIdOf(parentSession);
    this.#tape = runtime.tapeIdOf(this.sessionId);
  }

  async open(): Promise<void> {
    try {
      await this.#copy(this.#parent, this.#tape);
      for (const name of await this.#runtime.storage.tapes.sidecars(this.#parent)) {
        await this.#copy(sidecarIdOf(this.#parent, name), sidecarIdOf(this.#tape, name));
      }
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async merge({ signal = this.#runtime.ending }: { signal?: AbortSignal } = {}): Promise<void> {
    await using _fork = await takeSeat(this.sessionId, this.#runtime, { signal });
    await using seat = await takeSeat(this.#parentSession, this.#runtime, { signal });
    if (this.#isMerged) throw new BubError("invalid_input", `the fork of '${this.#parentSession}' was merged already`);
    this.#isMerged = true;
    const { tapes } = this.#runtime.storage;
    for (const name of await tapes.sidecars(this.#tape)) {
      const log = await tapes.open(sidecarIdOf(this.#parent, name));
      await using sidecar = await Tape.open(log, { clock: this.#runtime.clock, lease: seat.lease });
      await sidecar.append(await this.#written(sidecarIdOf(this.#tape, name)));
      await sidecar.sync();
    }
    await using tape = await openTape(seat, this.#runtime);
    await tape.append(await this.#written(this.#tape));
    await tape.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime.storage.discard(this.#tape);
  }

  async #copy(from: TapeId, to: TapeId): Promise<void> {
    const { storage } = this.#runtime;
    await using opening = new Disposer();
    const parent = opening.use(await storage.tapes.open(from));
    const { recent, lastId } = await readTapeEnd(parent);
    const { upTo } = forkPoint(recent, lastId);
    const log = new ForkLog({ id: to, parent, upTo });
    storage.adopt(log);
    this.#logs.set(to, log);
    opening.move();
  }

  /** What the fork wrote on one of its tapes, also on one that the parent does not have. */
  async #written(id: TapeId): Promise<EntryDraft[]> {
    const copied = this.#logs.get(id);
    if (copied !== undefined) return mergedDrafts(copied.own, { wasReset: copied.wasReset });
    await using log = await this.#runtime.storage.tapes.open(id);
    const entries = [];
    for await (const entry of log.forward()) entries.push(entry);
    return mergedDrafts(entries);
  }
}
