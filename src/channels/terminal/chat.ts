// A conversation line by line: each line a turn, or a word into the run that is on.
import { CancelledError, delay } from "../../base/abort.ts";
import type { Content } from "../../base/content.ts";
import { messageOf } from "../../base/errors.ts";
import type { StreamEvent } from "../../base/events.ts";
import { type Inbound, sessionIdOf } from "../../kernel/envelope.ts";
import { Gateway } from "../../kernel/gateway.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import type { ChatView } from "./view.ts";

export interface ChatOptions {
  runtime: Runtime;
  view: ChatView;
  /** Makes a typed message of its text; default: the text itself. */
  readMessage?: (text: string) => Promise<Content>;
  /** What every message carries beside its text. */
  envelope: Omit<Inbound, "content">;
  /** Ends the conversation and its runs. */
  signal: AbortSignal;
}

/** Turns from the first message until nothing is left to do: they are cancelled together. */
interface Burst {
  readonly gateway: Gateway;
  readonly cancel: AbortController;
}

export class Chat {
  readonly #options: ChatOptions;
  readonly #leaving = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #burst: Burst | undefined;
  /** Interrupts since the last line. */
  #interrupts = 0;
  #hasFailed = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  /** Talks until the lines end or somebody leaves. Piped lines are answered one after the other; false when one failed. */
  async talk(prompt: string | undefined): Promise<boolean> {
    const { view } = this.#options;
    if (prompt === undefined) view.prompt();
    else this.#hear(prompt);
    if (!view.isInteractive) await this.#idle();
    for await (const line of this.#untilLeft(view.lines)) {
      this.#interrupts = 0;
      if (line.trim() !== "") this.#hear(line);
      else if (this.#working.size === 0) view.prompt();
      if (!view.isInteractive) await this.#idle();
    }
    this.#burst?.cancel.abort(new CancelledError());
    await this.#idle();
    return !this.#hasFailed;
  }

  /** Ctrl-C: cancels what runs; the next one leaves. */
  interrupt(): void {
    this.#interrupts += 1;
    if (this.#interrupts > 1) this.leave();
    else if (this.#burst !== undefined) this.#burst.cancel.abort(new CancelledError());
    else {
      this.#options.view.note("\nCtrl-C again leaves, and so does Ctrl-D.");
      this.#options.view.prompt();
    }
  }

  leave(): void {
    this.#leaving.abort();
  }

  async *#untilLeft(lines: AsyncIterable<string>): AsyncGenerator<string> {
    const { signal } = this.#leaving;
    const left = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const iterator = lines[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), left]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  }

  /** Starts on a message; does not wait for its answer. */
  #hear(text: string): void {
    const { envelope, view } = this.#options;
    this.#burst ??= this.#newBurst();
    view.started();
    const work = this.#answer(this.#burst, { ...envelope, ask: view.ask, content: text, commands: true }, text);
    this.#working.add(work);
    void work.finally(() => {
      this.#working.delete(work);
      if (this.#working.size > 0) return;
      this.#burst = undefined;
      if (!this.#leaving.signal.aborted) view.prompt();
    });
  }

  async #answer({ gateway, cancel }: Burst, inbound: Inbound, text: string): Promise<void> {
    const over = new AbortController();
    void this.#sayWhoHolds(inbound, AbortSignal.any([over.signal, cancel.signal]));
    try {
      const content = await this.#options.readMessage?.(text);
      await gateway.receive(content === undefined ? inbound : { ...inbound, content });
    } catch (error) {
      this.#hasFailed = true;
      this.#options.view.error(messageOf(error));
    } finally {
      over.abort();
    }
  }

  #newBurst(): Burst {
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#leaving.signal]);
    const show = (event: StreamEvent) => this.#show(event);
    const onAdmitted = (_inbound: Inbound, admission: "steer" | "follow_up" | "drop") =>
      this.#options.view.note(admissionNotes[admission]);
    return { cancel, gateway: new Gateway(this.#options.runtime, { signal, show, onAdmitted }) };
  }

  #show(event: StreamEvent): void {
    this.#options.view.show(event);
    if (event.type !== "final") return;
    if (event.status === "cancelled") this.#options.view.note("cancelled");
    if (event.status === "error") this.#hasFailed = true;
  }

  /** A message to a session that another process works on waits for that; silence would look like a fault. */
  async #sayWhoHolds(inbound: Inbound, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    const sessionId = sessionIdOf(inbound);
    try {
      await delay(1000, signal, { hold: false });
      if (runtime.sessions.live(sessionId) !== undefined) return;
      const holder = await runtime.storage.leases.holder(runtime.tapeIdOf(sessionId));
      if (holder === undefined || holder.pid === process.pid || signal.aborted) return;
      this.#options.view.note(
        `waiting for ${holder.pid > 0 ? `process ${holder.pid}` : "an owner that its lease file does not tell"}, which has the session '${sessionId}'`,
      );
    } catch {
      // It was answered, or cancelled, within the second.
    }
  }

  async #idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }
}

const admissionNotes = {
  steer: "(goes into the run)",
  follow_up: "(waits for the end of the run)",
  drop: "(dropped)",
} as const;
