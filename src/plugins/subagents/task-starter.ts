// Starts a task: decides what it comes to, takes its session, records it, and puts it in line.
import type { Content } from "../../base/content.ts";
import { newTaskId, type TaskId } from "../../base/ids.ts";
import type { Inbound } from "../../kernel/envelope.ts";
import type { SessionSeat } from "../../kernel/session-seat.ts";
import type { Turn, TurnState } from "../../kernel/turn-state.ts";
import { eventDraft } from "../../tape/entry.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { takeChildSession } from "./child-session.ts";
import { forkPrompt } from "./fork-prompt.ts";
import { turnOf } from "./parent-turn.ts";
import type { Profiles } from "./profiles.ts";
import { Task } from "./task.ts";
import { passOn, type TaskBoard } from "./task-board.ts";
import { orderToJson, planTask, runningOf, type TaskOrder, type TaskPlan } from "./task-order.ts";
import type { TaskRecords } from "./task-records.ts";
import { TaskRun } from "./task-run.ts";

declare module "../../kernel/turn-state.ts" {
  interface TurnState {
    /** Set in a subagent's turn. */
    subagent?: {
      /** Those of its profile; empty when there are none. */
      readonly instructions: string;
    };
  }
}

export interface StartOptions {
  /** True when a session is continued: what the run may not use any more is left out without a word. */
  continues?: boolean;
}

export class TaskStarter {
  readonly #profiles: Profiles;
  readonly #records: TaskRecords;
  readonly #board: TaskBoard;

  constructor(parts: { profiles: Profiles; records: TaskRecords; board: TaskBoard }) {
    this.#profiles = parts.profiles;
    this.#records = parts.records;
    this.#board = parts.board;
  }

  /** @throws BubError for what cannot be: then nothing was started */
  async start(
    order: TaskOrder,
    prompt: Content,
    context: ToolContext,
    { continues }: StartOptions = {},
  ): Promise<Task> {
    const turn = turnOf(context);
    const { runtime, tape } = turn;
    const profile = order.agent === undefined ? undefined : await this.#profiles.find(order.agent, runtime);
    const plan = planTask(order, prompt, { turn, toolset: context.toolset, profile, continues });
    const id = newTaskId();
    const seat = await takeChildSession(plan.beginning, id, turn);
    const task = makeTask(id, { order, plan, seat, context, turn });
    try {
      await this.#records.open(task, runtime);
      const data = { task_id: id, session_id: seat.sessionId, order: orderToJson(order) };
      await tape.append([eventDraft("subagent.task", data, { turn_id: turn.turnId })]);
      context.signal.throwIfAborted();
      runtime.ending.throwIfAborted();
    } catch (error) {
      await seat[Symbol.asyncDispose]();
      await runtime.storage.tasks.remove(tape.id, id).catch(() => undefined);
      throw error;
    }
    this.#board.start({ task, seat, turn, run: makeRun(task, { plan, seat, turn }) });
    return task;
  }
}

interface Parts {
  order: TaskOrder;
  plan: TaskPlan;
  seat: SessionSeat;
  context: ToolContext;
  turn: Turn;
}

function makeTask(id: TaskId, { order, plan, seat, context, turn }: Parts): Task {
  const parent = { sessionId: turn.sessionId, tapeId: turn.tape.id, turnId: turn.turnId, callId: context.callId };
  const { description, profile } = plan;
  const identity = { id, sessionId: seat.sessionId, parent, order, description, profile: profile?.name };
  return new Task(identity, { model: chosenModel(plan, turn).model, createdAt: turn.clock.now() });
}

function makeRun(task: Task, { plan, seat, turn }: Omit<Parts, "order" | "context">): TaskRun {
  const { runtime, environment } = turn;
  const { toolScope, timeoutSeconds } = plan;
  const prompt = plan.beginning.kind === "fork" ? forkPrompt(plan.prompt) : plan.prompt;
  const { channel, chatId, senderId, ask } = turn.inbound;
  const inbound: Inbound = {
    channel,
    chatId,
    senderId,
    sessionId: seat.sessionId,
    content: prompt,
    ...chosenModel(plan, turn),
    ask,
  };
  const request = { inbound, toolScope, environment, state: childState(turn, plan) };
  const onEvent = (event: Parameters<typeof passOn>[2]) => passOn(task, turn, event);
  return new TaskRun(task, { runtime, seat, request, prompt, timeoutSeconds, onEvent });
}

/** A session that stays has settings of its own; they come before the parent's. */
function chosenModel({ model, reasoningEffort, beginning }: TaskPlan, turn: Turn): Partial<Inbound> {
  if (beginning.kind === "kept") return { model, reasoningEffort };
  const running = runningOf(turn);
  return { model: model ?? running.model, reasoningEffort: reasoningEffort ?? running.reasoningEffort };
}

/** The parent's slots, without what counts for the parent alone. */
function childState(turn: Turn, { profile }: TaskPlan): TurnState {
  const { childUsage: _childUsage, nestedCalls: _nestedCalls, ...shared } = turn.state;
  return { ...shared, running: runningOf(turn), subagent: { instructions: profile?.instructions ?? "" } };
}
