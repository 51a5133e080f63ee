// The way of one message, on one page: session, state, prompt, model, state, outbounds.
import { setMaxListeners } from "node:events";
import { CancelledError, isAbortError, withinGrace } from "../base/abort.ts";
import { Disposer } from "../base/disposer.ts";
import { BubError, sentencesOf, toBubError } from "../base/errors.ts";
import type { StreamEvent, StreamEventBody } from "../base/events.ts";
import { newRunId, newTurnId } from "../base/ids.ts";
import type { Environment } from "../environment/environment.ts";
import type { LeaseHolder } from "../tape/store.ts";
import { AsideEvents } from "./aside-events.ts";
import { type Inbound, type Outbound, type Prompt, sessionIdOf } from "./envelope.ts";
import type { TurnOutcome } from "./hooks.ts";
import type { Runtime } from "./runtime.ts";
import { openTape, type SessionSeat, takeSeat } from "./session-seat.ts";
import { SidecarTapes } from "./sidecar-tapes.ts";
import { openTurnInbox } from "./turn-inbox.ts";
import type { ToolScope, Turn, TurnState } from "./turn-state.ts";

/**
 * A stage that is still silent this long after its turn was cancelled is left alone (milliseconds): a little more than
 * tools get, so that a run can still write down what became of them, and under the second that cancelling may take.
 */
const abandonMs = 930;
/** What a stage gets that begins when that time is over: enough for one that only writes down how the turn ended (milliseconds). */
const leastMs = 40;

export interface TurnOptions {
  signal: AbortSignal;
  /** False: fail at once when another process holds the session. */
  wait?: boolean;
  /** Told once when somebody else holds the session. */
  onWait?: (holder: LeaseHolder, sessionId: string) => void;
}

/**
 * Runs one message all the way to its outbounds. The events of the model's stream pass through; `final` comes once,
 * last. Failures are events too: this generator throws only what the reader of it throws into it.
 */
export async function* runTurn(
  inbound: Inbound,
  runtime: Runtime,
  options: TurnOptions,
): AsyncGenerator<StreamEvent, void> {
  const stages = new Stages(inbound, sessionIdOf(inbound), runtime, options.signal);
  let outcome: TurnOutcome;
  try {
    stages.sessionId = await stages.run("resolveSession", () => resolveSession(inbound, runtime));
    const live = await turnBeside(inbound, stages.sessionId, runtime);
    if (live !== undefined) return yield* runBeside(inbound, live, options.signal);
    await using open = await openTurn(inbound, stages, options);
    const { turn } = open;
    outcome = yield* answer(turn, stages, () => stages.run("buildPrompt", () => buildPrompt(inbound, turn)));
    await deliver(turn, outcome, stages);
  } catch (error) {
    outcome = yield* stages.failed(error);
    await deliverFailure(outcome, stages);
  }
  yield stages.final(outcome);
}

/**
 * Runs a message beside a session's live turn, on its tape: for commands that must not wait for the turn's end.
 * @param signal its own: what cancels the live turn does not cancel this
 */
export async function* runBeside(inbound: Inbound, live: Turn, signal: AbortSignal): AsyncGenerator<StreamEvent, void> {
  const stages = new Stages(inbound, live.sessionId, live.runtime, signal);
  const turn: Turn = { ...live, turnId: newTurnId(), inbound, signal, state: {}, tell: stages.tell };
  stages.begin({ turn });
  let outcome: TurnOutcome;
  try {
    outcome = yield* answer(turn, stages, () => stages.run("buildPrompt", () => buildPrompt(inbound, turn)));
  } catch (error) {
    outcome = yield* stages.failed(error);
  }
  yield stages.final(outcome);
}

export interface ChildRequest extends TurnOptions {
  sessionId: string;
  prompt: Prompt;
  toolScope: ToolScope;
  /** The parent's message, for its channel and its asker; with the child's own model and effort. */
  inbound: Inbound;
  /** Slots that the child's state starts with. */
  state?: TurnState;
  /** The session, when it is taken already; whoever took it gives it back. */
  seat?: SessionSeat;
  /** Where the child's tools act; by default the session's own place. */
  environment?: Environment;
}

/** Runs a child's turn: session, state, model, state. No decoration, no commands, no outbounds. */
export async function* runChild(request: ChildRequest, runtime: Runtime): AsyncGenerator<StreamEvent, void> {
  const { inbound, sessionId, prompt } = request;
  const stages = new Stages(inbound, sessionId, runtime, request.signal);
  let outcome: TurnOutcome;
  try {
    await using open = await openTurn(inbound, stages, { ...request, isChild: true });
    const { turn } = open;
    outcome = yield* answer(turn, stages, () => prepareMessage(prompt, turn));
  } catch (error) {
    outcome = yield* stages.failed(error);
  }
  yield stages.final(outcome);
}

async function* answer(
  turn: Turn,
  stages: Stages,
  makePrompt: () => Promise<Prompt>,
): AsyncGenerator<StreamEvent, TurnOutcome> {
  let outcome: TurnOutcome | undefined;
  try {
    const loaded = await stages.run("loadState", () => turn.runtime.hooks.merge("loadState", turn));
    Object.assign(turn.state, loaded);
    const prompt = await makePrompt();
    outcome = yield* runModel(prompt, turn, stages);
  } catch (error) {
    outcome = yield* stages.failed(error);
  } finally {
    outcome ??= { status: "cancelled", text: "" };
    await stages.told(turn.runtime.hooks.notify("saveState", turn, outcome), "saveState");
  }
  return outcome;
}

/** The session that a message belongs to. */
export async function resolveSession(inbound: Inbound, runtime: Runtime): Promise<string> {
  return (await runtime.hooks.first("resolveSession", inbound, runtime)) ?? sessionIdOf(inbound);
}

/** The turn that is on, for a command that does not wait for its end. */
async function turnBeside(inbound: Inbound, sessionId: string, runtime: Runtime): Promise<Turn | undefined> {
  const live = inbound.commands === true ? runtime.sessions.live(sessionId) : undefined;
  if (live === undefined) return undefined;
  const admission = await runtime.hooks.first("admitMessage", inbound, runtime);
  return admission === "now" || admission === "quit" ? live.turn : undefined;
}

async function buildPrompt(inbound: Inbound, turn: Turn): Promise<Prompt> {
  const prompt = await turn.runtime.hooks.first("buildPrompt", inbound, turn);
  return prepareMessage(prompt ?? { kind: "message", content: inbound.content, meta: inbound.meta }, turn);
}

async function prepareMessage(prompt: Prompt, turn: Turn): Promise<Prompt> {
  if (prompt.kind === "command") return prompt;
  return { ...prompt, content: await turn.runtime.hooks.chain("prepareMessage", prompt.content, turn) };
}

async function* runModel(prompt: Prompt, turn: Turn, stages: Stages): AsyncGenerator<StreamEvent, TurnOutcome> {
  const stream = await stages.run("runModel", async () => turn.runtime.hooks.firstStream(prompt, turn));
  if (stream === undefined) throw new Error("no plugin answers prompts (runModel)");
  const events = stream[Symbol.asyncIterator]();
  let outcome: TurnOutcome | undefined;
  let failure: BubError | undefined;
  let end: "left" | "done" | "failed" = "left";
  try {
    for (;;) {
      const next = await stages.asides.next(() => stages.run("runModel", () => events.next()));
      if (next.told !== undefined) {
        yield stages.event(next.told);
        continue;
      }
      if (next.pulled.done === true) break;
      const event = withoutSecrets(next.pulled.value, turn);
      if (event.type === "error") failure = new BubError(event.kind, event.message);
      if (event.type === "final") outcome = { status: event.status, text: event.text, error: failure?.message };
      else yield stages.seen(event);
    }
    end = "done";
  } catch (error) {
    end = "failed";
    throw error;
  } finally {
    // Whoever leaves the stream early wants its work stopped.
    if (end === "left") stages.cancel?.(new CancelledError("nobody reads the turn any more"));
    // Not waited for: a stage that was abandoned may never answer.
    if (end !== "done") events.return?.(undefined).catch(() => undefined);
  }
  if (outcome === undefined) throw new Error("the run ended without a final event");
  if (outcome.status === "error") await stages.report("runModel", failure);
  return outcome;
}

function withoutSecrets(event: StreamEvent, { runtime }: Turn): StreamEvent {
  return event.type === "error" ? { ...event, message: runtime.mask.mask(event.message) } : event;
}

async function deliver(turn: Turn, outcome: TurnOutcome, stages: Stages): Promise<void> {
  const { hooks } = turn.runtime;
  const outbounds = (await stages.run("renderOutbound", () => hooks.first("renderOutbound", outcome, turn))) ?? [];
  for (const outbound of outbounds) {
    await stages.run("dispatchOutbound", () => hooks.first("dispatchOutbound", outbound, turn.runtime));
  }
}

async function deliverFailure(outcome: TurnOutcome, stages: Stages): Promise<void> {
  if (outcome.error === undefined) return;
  const { inbound, sessionId, runtime } = stages;
  const { channel, chatId } = inbound;
  const outbound: Outbound = { channel, chatId, sessionId, kind: "error", text: outcome.error };
  try {
    await stages.run("dispatchOutbound", () => runtime.hooks.first("dispatchOutbound", outbound, runtime));
  } catch (error) {
    runtime.log.error("an error message could not be delivered", { channel, error });
  }
}

interface OpenOptions extends TurnOptions, Pick<ChildRequest, "seat" | "environment" | "state"> {
  toolScope?: ToolScope;
  isChild?: boolean;
}

interface OpenTurn extends AsyncDisposable {
  readonly turn: Turn;
}

async function openTurn(inbound: Inbound, stages: Stages, options: OpenOptions): Promise<OpenTurn> {
  const { sessionId, runtime } = stages;
  const { signal, isChild = false } = options;
  stages.at("openSession");
  await using opening = new Disposer();
  const seat = options.seat ?? opening.use(await takeSeat(sessionId, runtime, options));
  const environment =
    options.environment ?? (await stages.run("provideEnvironment", () => runtime.environmentOf(sessionId, signal)));
  stages.at("openSession");
  const tape = seat.tape ?? opening.use(await openTape(seat, runtime));
  const sidecars = opening.use(new SidecarTapes(seat, runtime));
  const cancel = new AbortController();
  const inbox = opening.use(
    openTurnInbox(seat.storage.inboxes, seat.tapeId, {
      token: seat.lease.token,
      onQuit: () => cancel.abort(runtime.quitReason()),
      isChild,
    }),
  );
  const ending = AbortSignal.any([signal, cancel.signal]);
  // Every call that runs listens to it, and Node takes more than ten listeners for a leak.
  setMaxListeners(0, ending);
  const turn: Turn = {
    turnId: newTurnId(),
    sessionId,
    inbound,
    tape,
    environment,
    inbox,
    signal: ending,
    state: { ...options.state },
    toolScope: options.toolScope ?? { allowedTools: inbound.allowedTools, allowedSkills: inbound.allowedSkills },
    isChild,
    sidecar: (name) => sidecars.open(name),
    sidecars: () => sidecars.written(),
    tell: stages.tell,
    runtime,
    events: runtime.events,
    clock: runtime.clock,
    log: runtime.log.child({ session: sessionId }),
  };
  const live = { turn, cancel: (reason: Error) => cancel.abort(reason) };
  runtime.sessions.begin(sessionId, live);
  opening.defer(() => runtime.sessions.end(sessionId));
  stages.begin(live);
  const open = opening.move();
  return { turn, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
}

/** Runs a turn's stages: each is told apart in errors, and none outlives a cancel by more than the grace. */
class Stages {
  turn: Turn | undefined;
  /** Cancels the turn from inside; undefined for one that is not its session's own. */
  cancel: ((reason: Error) => void) | undefined;
  readonly asides = new AsideEvents();
  readonly tell = (body: StreamEventBody): void => this.asides.tell(body);
  #stage = "openSession";
  #place: Pick<StreamEvent, "run_id" | "step"> = { run_id: newRunId(), step: 0 };
  #turnId = newTurnId();
  #signal: AbortSignal;
  #cancelledAt: number | undefined;

  constructor(
    readonly inbound: Inbound,
    public sessionId: string,
    readonly runtime: Runtime,
    signal: AbortSignal,
  ) {
    this.#signal = signal;
  }

  begin({ turn, cancel }: { turn: Turn; cancel?: (reason: Error) => void }): void {
    this.turn = turn;
    this.cancel = cancel;
    this.#turnId = turn.turnId;
    this.#signal = turn.signal;
  }

  /** Where the turn is, for what fails. */
  at(stage: string): void {
    this.#stage = stage;
  }

  async run<Value>(stage: string, work: () => Promise<Value>): Promise<Value> {
    this.#stage = stage;
    return this.#within(work(), stage);
  }

  /** Waits for observers, who have no say in how the turn goes on. */
  async told(work: Promise<void>, hook: string): Promise<void> {
    await this.#within(work, hook).catch(() => undefined);
  }

  async #within<Value>(work: Promise<Value>, stage: string): Promise<Value> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    try {
      return await withinGrace(work, this.#signal, () => this.#graceLeft());
    } catch (error) {
      if (!isSettled) this.runtime.log.warn("a stage was abandoned", { stage, session: this.sessionId });
      throw error;
    }
  }

  /** All stages of a cancelled turn share one grace (milliseconds). */
  #graceLeft(): number {
    const now = performance.now();
    this.#cancelledAt ??= now;
    return Math.max(leastMs, abandonMs - (now - this.#cancelledAt));
  }

  /** Remembers where the stream is, so that the turn's own events continue from there. */
  seen(event: StreamEvent): StreamEvent {
    this.#place = { run_id: event.run_id, step: event.step };
    return event;
  }

  event(body: StreamEventBody): StreamEvent {
    const date = this.runtime.clock.now().toISOString();
    return { ...body, turn_id: this.#turnId, ...this.#place, session_id: this.sessionId, date };
  }

  final({ status, text }: TurnOutcome): StreamEvent {
    this.asides.end();
    return this.event({ type: "final", ok: status === "ok", text, status });
  }

  async report(stage: string, error: unknown): Promise<void> {
    await this.told(this.runtime.hooks.notify("onError", stage, error, this.inbound), "onError");
  }

  async *failed(error: unknown): AsyncGenerator<StreamEvent, TurnOutcome> {
    const cancelled = this.#signal.aborted || isAbortError(error);
    if (cancelled) return { status: "cancelled", text: "" };
    const { kind } = toBubError(error);
    const message = this.runtime.mask.mask(sentencesOf(error));
    await this.report(this.#stage, error);
    this.runtime.log.warn("turn failed", { stage: this.#stage, session: this.sessionId, error });
    yield this.event({ type: "error", kind, message });
    return { status: "error", text: "", error: message };
  }
}
