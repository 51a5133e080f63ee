// A model for tests that gives the answers it was given, and remembers what it was asked.
import type { Usage } from "../base/events.ts";
import type { JsonObject } from "../base/json.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";
import { playAnswer } from "../model/scripted/play.ts";
import { standingOf } from "../model/scripted/position.ts";
import type { ScriptedAnswer, ScriptedFault } from "../model/scripted/script.ts";

/** An answer, or a function that makes one of what was asked. */
export type ScriptedStep = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer | AsyncIterable<ModelEvent>);

export interface ScriptedModel extends Model {
  /** What it was asked, in order; `messages` as they were then. */
  readonly requests: readonly ModelRequest[];
  /** Steps that were not asked for yet. */
  readonly left: number;
}

export interface ScriptedModelOptions {
  readonly provider?: string;
  readonly modelId?: string;
}

/**
 * Each call takes the next step, a retried one, too. A call beyond the last step fails and says so. Calls without an id
 * are `call_1`, `call_2` and so on.
 */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  { provider = "scripted", modelId = "test" }: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  let calls = 0;
  const newId = () => `call_${++calls}`;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const step = steps[requests.length];
    requests.push({ ...request, messages: [...request.messages] });
    if (step === undefined)
      throw new Error(`the scripted model has ${steps.length} steps, this is call number ${requests.length}`);
    const answer = typeof step === "function" ? step(request) : step;
    if (Symbol.asyncIterator in answer) yield* answer;
    else yield* playAnswer(answer, { standing: standingOf(request.messages), signal: request.signal, newId });
  }
  return {
    provider,
    modelId,
    stream,
    requests,
    get left() {
      return Math.max(0, steps.length - requests.length);
    },
  };
}

/** Text, in one delta or in several. */
export function say(
  text: string | readonly string[],
  { usage, reasoning }: { usage?: Usage; reasoning?: string } = {},
): ScriptedAnswer {
  const parts = typeof text === "string" ? [text] : text;
  return {
    text: parts.map((part) => ({ text: part })),
    usage,
    ...(reasoning !== undefined && { reasoning: [{ text: reasoning }] }),
  };
}

export interface CallOptions {
  readonly id?: string;
  /** Said before the call. */
  readonly text?: string;
  readonly usage?: Usage;
}

/** One call. Arguments given as text are sent as they are. */
export function callTool(
  name: string,
  args: JsonObject | string = {},
  { id, text, usage }: CallOptions = {},
): ScriptedAnswer {
  return { calls: [{ name, arguments: args, id }], usage, ...(text !== undefined && { text: [{ text }] }) };
}

/** Several answers' texts and calls as one answer: parallel calls. */
export function calls(...answers: readonly ScriptedAnswer[]): ScriptedAnswer {
  return {
    text: answers.flatMap(({ text = [] }) => text),
    calls: answers.flatMap((answer) => answer.calls ?? []),
    usage: answers.find(({ usage }) => usage !== undefined)?.usage,
  };
}

/** The provider's error, after that text if there is one: `fail(429, { retryAfterMs: 10 })`. */
export function fail(
  code: number,
  {
    text,
    ...error
  }: Partial<Omit<Extract<ScriptedFault, { kind: "error" }>, "kind" | "status">> & { text?: string } = {},
): ScriptedAnswer {
  return { fault: { kind: "error", status: code, ...error }, ...(text !== undefined && { text: [{ text }] }) };
}

/** The stream ends without a finish, after that text. */
export function cutOff(text = ""): ScriptedAnswer {
  return { fault: { kind: "cut" }, text: [{ text }] };
}

/** Silence after that text, until cancelled. */
export function stall(text = ""): ScriptedAnswer {
  return { fault: { kind: "stall" }, text: [{ text }] };
}
