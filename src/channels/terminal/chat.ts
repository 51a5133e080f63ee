// A conversation line by line: each line a turn, or a word into the run that is on.
import { CancelledError, delay, untilAborted } from "../../base/abort.ts";
import { type Content, textOf } from "../../base/content.ts";
import { BubError, sentencesOf } from "../../base/errors.ts";
import type { StreamEvent } from "../../base/events.ts";
import { nearestName } from "../../base/near.ts";
import { type Inbound, sessionIdOf } from "../../kernel/envelope.ts";
import { Gateway } from "../../kernel/gateway.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { describeSession } from "../../kernel/session-details.ts";
import { splitCommand } from "../../tools/command-line.ts";
import { actOn, type ChatCommand } from "./chat-command.ts";
import { readEndOf } from "./earlier-words.ts";
import { listChoices, mostNumbered, readTitles } from "./session-choice.ts";
import { commandOfShellLine, isShellLine, withoutEscape } from "./shell-line.ts";
import type { ChatView } from "./view.ts";

export interface ChatOptions {
  runtime: Runtime;
  view: ChatView;
  /** Makes a typed message of its text; default: the text itself. */
  readMessage?: (text: string) => Promise<TypedMessage>;
  /** What every message carries beside its text. */
  envelope: Omit<Inbound, "content">;
  /** What acts on the conversation itself. */
  commands?: readonly ChatCommand[];
  /** Names a session that nobody has had. */
  newSessionId: () => string;
  /** Ends the conversation and its runs. */
  signal: AbortSignal;
}

export interface TypedMessage {
  readonly content: Content;
  /** A line about each file that goes with it. */
  readonly attached: readonly string[];
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
  #envelope: Omit<Inbound, "content">;
  #burst: Burst | undefined;
  /** Interrupts since the last line. */
  #interrupts = 0;
  #hasFailed = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#envelope = options.envelope;
    options.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  get sessionId(): string {
    return sessionIdOf({ ...this.#envelope, content: "" });
  }

  /** Talks until the lines end or somebody leaves. Piped lines are answered one after the other; false when one failed. */
  async talk(prompt: string | undefined): Promise<boolean> {
    const { view } = this.#options;
    void this.#showModel();
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

  /** Goes on in a session that nobody has had; answers what there is to say. @throws BubError during a run */
  startNew(): string {
    this.#refuseDuringRun("Another session can be started");
    const sessionId = this.#options.newSessionId();
    this.#enter(sessionId);
    return `session ${sessionId} begins`;
  }

  /**
   * Goes on in an earlier session, and shows where it stands.
   * @param id by default the person chooses
   * @returns false when they want none
   * @throws BubError `not_found` for a session that there is not; during a run
   */
  async resume(id: string | undefined): Promise<boolean> {
    this.#refuseDuringRun("Another session can be taken up");
    const { runtime, view } = this.#options;
    const choices = await listChoices(runtime);
    const sessionId = id ?? (await this.#choose(choices));
    if (sessionId === undefined) return false;
    if (!choices.some((choice) => choice.id === sessionId)) throw unknownSession(sessionId, choices);
    this.#enter(sessionId);
    view.note(`session ${sessionId} goes on`);
    for (const { role, text } of await readEndOf(sessionId, runtime)) view.earlier(role, text);
    return true;
  }

  async #choose(choices: Awaited<ReturnType<typeof listChoices>>): Promise<string | undefined> {
    const { runtime, view } = this.#options;
    if (choices.length === 0) {
      view.note("there is no earlier session in this workspace");
      return undefined;
    }
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#leaving.signal]);
    // A list of lines stays as it was written.
    const shown = view.isDrawn ? choices : choices.slice(0, mostNumbered);
    const reading = readTitles(shown, runtime, { onRead: () => view.refresh(), signal });
    if (!view.isDrawn) await reading;
    try {
      return await view.pick(choices, signal);
    } finally {
      over.abort();
    }
  }

  #enter(sessionId: string): void {
    this.#envelope = { ...this.#envelope, sessionId };
    void this.#showModel();
  }

  /** What a session is answered by is on its tape; until that is read, what the settings say. */
  async #showModel(): Promise<void> {
    const { runtime, view } = this.#options;
    const id = this.sessionId;
    const own = this.#envelope.model;
    view.enter({ id, model: own ?? runtime.settings.model });
    if (own !== undefined) return;
    const found = await describeSession(runtime, { tape: runtime.tapeIdOf(id) }).catch(() => undefined);
    if (found?.settings.model !== undefined && this.sessionId === id) view.enter({ id, model: found.settings.model });
  }

  #refuseDuringRun(what: string): void {
    if (this.#burst !== undefined)
      throw new BubError("invalid_input", `${what} when nothing runs: Ctrl-C cancels what does.`);
  }

  async *#untilLeft(lines: AsyncIterable<string>): AsyncGenerator<string> {
    const { signal } = this.#leaving;
    const iterator = lines[Symbol.asyncIterator]();
    for (;;) {
      const next = await untilAborted(iterator.next(), signal).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  }

  /** Starts on what was typed; does not wait for its end. */
  #hear(text: string): void {
    const { commandPrefix: prefix } = this.#options.runtime.settings;
    const isCommand = text.startsWith(prefix);
    const acting = isCommand ? actOn(text.slice(prefix.length), this.#options.commands ?? []) : undefined;
    if (acting !== undefined) this.#track(this.#act(acting));
    else if (isCommand) this.#send({ content: text, commands: true }, text);
    // What is piped in is data.
    else if (!this.#options.view.isInteractive) this.#send({ content: text, commands: true });
    else if (isShellLine(text)) this.#send({ content: commandOfShellLine(text), shell: true }, text);
    else this.#send({ content: withoutEscape(text), commands: true });
  }

  /** @param what runs, when it is no model */
  #send(message: Pick<Inbound, "content" | "commands" | "shell">, what?: string): void {
    const { view } = this.#options;
    this.#burst ??= this.#newBurst();
    view.started(what);
    this.#track(this.#answer(this.#burst, { ...this.#envelope, ...message, ask: view.ask }));
  }

  #track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => {
      this.#working.delete(work);
      if (this.#working.size > 0) return;
      this.#burst = undefined;
      if (!this.#leaving.signal.aborted) this.#options.view.prompt();
    });
  }

  async #act(acting: Promise<string>): Promise<void> {
    const { view } = this.#options;
    try {
      const text = await acting;
      if (text !== "") view.note(text);
    } catch (error) {
      this.#hasFailed = true;
      view.error(sentencesOf(error));
    }
  }

  async #answer({ gateway, cancel }: Burst, inbound: Inbound): Promise<void> {
    const over = new AbortController();
    void this.#sayWhoHolds(inbound, AbortSignal.any([over.signal, cancel.signal]));
    try {
      await gateway.receive(await this.#withFiles(inbound));
    } catch (error) {
      this.#hasFailed = true;
      this.#options.view.error(sentencesOf(error));
    } finally {
      over.abort();
    }
  }

  async #withFiles(inbound: Inbound): Promise<Inbound> {
    const { readMessage, view } = this.#options;
    if (readMessage === undefined || this.#isCommand(inbound)) return inbound;
    const { content, attached } = await readMessage(textOf(inbound.content));
    for (const line of attached) view.note(`attached ${line}`);
    return { ...inbound, content };
  }

  #newBurst(): Burst {
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#leaving.signal]);
    const show = (event: StreamEvent, inbound: Inbound) => this.#show(event, inbound);
    const onAdmitted = (_inbound: Inbound, admission: "steer" | "follow_up" | "drop") =>
      this.#options.view.note(admissionNotes[admission]);
    return { cancel, gateway: new Gateway(this.#options.runtime, { signal, show, onAdmitted }) };
  }

  #show(event: StreamEvent, inbound: Inbound): void {
    const isPlain = this.#isCommand(inbound);
    this.#options.view.show(event, { isPlain });
    if (event.type !== "final") return;
    if (event.status === "cancelled") this.#options.view.note("cancelled");
    if (event.status === "error") this.#hasFailed = true;
    if (isPlain) this.#followModel(inbound);
  }

  /** A command may have switched the session's model; whoever does that means it, whatever chat was started with. */
  #followModel({ commands, content }: Inbound): void {
    const { commandPrefix: prefix } = this.#options.runtime.settings;
    const isSwitch = commands === true && splitCommand(textOf(content).slice(prefix.length)).name === "model";
    if (isSwitch) this.#envelope = { ...this.#envelope, model: undefined };
    void this.#showModel();
  }

  /** Whether no model is asked. */
  #isCommand({ shell, content }: Inbound): boolean {
    return shell === true || textOf(content).startsWith(this.#options.runtime.settings.commandPrefix);
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

function unknownSession(id: string, choices: readonly { id: string }[]): BubError {
  const near = nearestName(
    id,
    choices.map((choice) => choice.id),
  );
  const hint = near === undefined ? "bub chat --resume lists those that there are." : `Did you mean ${near}?`;
  return new BubError("not_found", `There is no session '${id}' in this workspace.`, { hint });
}
