// Hands a channel's messages to turns: admission while a run is on, and the messages that wait for its end.
import { isAbortError } from "../base/abort.ts";
import { contentToJson } from "../base/content.ts";
import type { StreamEvent } from "../base/events.ts";
import type { InboxId } from "../base/ids.ts";
import type { InboxItem } from "../tape/store.ts";
import type { ChannelPort } from "./channel.ts";
import type { Inbound } from "./envelope.ts";
import type { Runtime } from "./runtime.ts";
import { resolveSession } from "./turn.ts";

export interface GatewayOptions {
  /** Ends every turn of this gateway. */
  signal: AbortSignal;
  /** Sees each turn's events. */
  show: (event: StreamEvent, inbound: Inbound) => void;
  /** Told when a message steers a run or waits for its end. */
  onAdmitted?: (inbound: Inbound, admission: "steer" | "follow_up" | "drop") => void;
}

export class Gateway implements ChannelPort {
  readonly #runtime: Runtime;
  readonly #options: GatewayOptions;
  /** Items that this process wrote: their turns start here. */
  readonly #written = new Map<InboxId, Inbound>();

  constructor(runtime: Runtime, options: GatewayOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  /** Resolves when the message's turn is over, or at once when it steers, waits or is dropped. */
  async receive(inbound: Inbound): Promise<void> {
    const { hooks, sessions } = this.#runtime;
    const sessionId = await resolveSession(inbound, this.#runtime);
    const live = sessions.live(sessionId);
    if (live === undefined) return this.#runAll(inbound, sessionId);
    const admission = (await hooks.first("admitMessage", inbound, this.#runtime)) ?? "follow_up";
    if (admission === "now" || admission === "quit")
      return this.#showAll(this.#runtime.runBeside(inbound, live.turn, this.#options.signal), inbound);
    // A child works for its parent; who talks to its session gets the turn after it.
    if (live.turn.isChild && admission !== "drop") return this.#runAll(inbound, sessionId);
    if (admission !== "drop") await this.#leave(inbound, sessionId, admission);
    this.#options.onAdmitted?.(inbound, admission);
    // The run may have ended while the message was being written down.
    if (!sessions.isBusy(sessionId)) await this.#runLeftovers(sessionId);
  }

  async #leave(inbound: Inbound, sessionId: string, kind: "steer" | "follow_up"): Promise<void> {
    const tape = this.#runtime.tapeIdOf(sessionId);
    const payload = { content: contentToJson(inbound.content) };
    const item = await this.#runtime.storage.inboxes.put(tape, { kind, payload, meta: {} });
    this.#written.set(item.id, inbound);
    this.#runtime.events.emit("messages-pending", { sessionId, count: 1 });
  }

  async #runAll(inbound: Inbound, sessionId: string): Promise<void> {
    await this.#showAll(this.#runtime.run({ ...inbound, sessionId }, { signal: this.#options.signal }), inbound);
    await this.#runLeftovers(sessionId);
  }

  /** A person's messages that no step took get turns of their own, one each. */
  async #runLeftovers(sessionId: string): Promise<void> {
    for (;;) {
      if (this.#options.signal.aborted || this.#runtime.sessions.isBusy(sessionId)) return;
      const item = await this.#nextLeftover(sessionId);
      const writer = item === undefined ? undefined : this.#written.get(item.id);
      if (item === undefined || writer === undefined) return;
      this.#written.delete(item.id);
      const inbound: Inbound = { ...writer, sessionId, meta: { ...writer.meta, inbox: item.id } };
      await this.#showAll(this.#runtime.run(inbound, { signal: this.#options.signal }), inbound);
    }
  }

  async #nextLeftover(sessionId: string): Promise<InboxItem | undefined> {
    const items = await this.#runtime.storage.inboxes.list(this.#runtime.tapeIdOf(sessionId));
    return items.find(({ id }) => this.#written.has(id));
  }

  async #showAll(events: AsyncIterable<StreamEvent>, inbound: Inbound): Promise<void> {
    try {
      for await (const event of events) this.#options.show(event, inbound);
    } catch (error) {
      if (!isAbortError(error)) throw error;
    }
  }
}
