// The sibling tapes of one turn's tape: opened when they are first needed, closed with the turn.
import { BubError } from "../base/errors.ts";
import { sidecarIdOf } from "../base/ids.ts";
import { Tape } from "../tape/tape.ts";
import type { Runtime } from "./runtime.ts";
import type { SessionSeat } from "./session-seat.ts";

export class SidecarTapes implements AsyncDisposable {
  readonly #seat: SessionSeat;
  readonly #runtime: Runtime;
  readonly #opened = new Map<string, Promise<Tape>>();

  constructor(seat: SessionSeat, runtime: Runtime) {
    this.#seat = seat;
    this.#runtime = runtime;
  }

  /** @throws BubError `config` for a name that no plugin gives by `provideTapeSidecar` */
  async open(name: string): Promise<Tape> {
    const provided = await this.#runtime.hooks.collect("provideTapeSidecar", this.#runtime);
    if (provided.some(({ answer }) => answer.name === name)) return this.#find(name);
    throw new BubError("config", `no plugin provides the sidecar "${name}" (provideTapeSidecar)`);
  }

  /** Those that were ever written, also by plugins that are not here any more. */
  async written(): Promise<readonly Tape[]> {
    const { storage, tapeId } = this.#seat;
    const names = [...(await storage.tapes.sidecars(tapeId)), ...(this.#seat.sidecars?.keys() ?? [])];
    return Promise.all([...new Set(names)].map((name) => this.#find(name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opened of this.#opened.values()) await (await opened.catch(() => undefined))?.close();
  }

  #find(name: string): Promise<Tape> {
    const ahead = this.#seat.sidecars?.get(name);
    if (ahead !== undefined) return Promise.resolve(ahead);
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const opened = this.#openTape(name);
    this.#opened.set(name, opened);
    opened.catch(() => this.#opened.delete(name));
    return opened;
  }

  async #openTape(name: string): Promise<Tape> {
    const { storage, tapeId, lease } = this.#seat;
    return Tape.open(await storage.tapes.open(sidecarIdOf(tapeId, name)), { clock: this.#runtime.clock, lease });
  }
}
