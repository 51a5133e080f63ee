// A model for tests with several conversations at once: each is answered from a list of its own.

import { untilAborted } from "../../src/base/abort.ts";
import { textOf } from "../../src/base/content.ts";
import type { ModelEvent, ModelMessage, ModelRequest } from "../../src/model/model.ts";
import { playAnswer } from "../../src/model/scripted/play.ts";
import { standingOf } from "../../src/model/scripted/position.ts";
import { type ScriptedModel, type ScriptedStep, scriptedModel } from "../../src/testing/scripted-model.ts";

export interface Conversations extends Pick<ScriptedModel, "provider" | "modelId" | "stream"> {
  /** What a conversation was asked, in order. */
  of(key: string): readonly ModelRequest[];
}

/**
 * The newest user message that holds a key decides whose conversation a request belongs to; notifications hold none.
 * A list that has come to its end fails.
 */
export function conversations(
  lists: Readonly<Record<string, readonly ScriptedStep[]>>,
  { provider = "scripted", modelId = "test" } = {},
): Conversations {
  const models = new Map(Object.entries(lists).map(([key, steps]) => [key, scriptedModel(steps)]));
  return {
    provider,
    modelId,
    stream(request) {
      const model = models.get(keyOf(request.messages, [...models.keys()]) ?? "");
      if (model === undefined) throw new Error(`nobody answers ${JSON.stringify(request.messages)}`);
      return model.stream(request);
    },
    of: (key) => models.get(key)?.requests ?? [],
  };
}

function keyOf(messages: readonly ModelMessage[], keys: readonly string[]): string | undefined {
  for (const message of [...messages].reverse()) {
    const text = message.role === "user" ? textOf(message.content) : "";
    if (text.startsWith("<subagent-notification")) continue;
    const key = keys.find((candidate) => text.includes(candidate));
    if (key !== undefined) return key;
  }
  return undefined;
}

export interface Gate {
  /** Settles when somebody stands before it. */
  readonly reached: Promise<void>;
  open(): void;
  /** Waits until it is open; rejects with the signal's reason. */
  pass(signal?: AbortSignal): Promise<void>;
}

export function gate(): Gate {
  let reach: () => void = () => undefined;
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open: () => open(),
    pass(signal) {
      reach();
      return signal === undefined ? opened : untilAborted(opened, signal);
    },
  };
}

/** An answer that comes in two parts, with a gate between them. */
export function gated(at: Gate, after: string, before = ""): ScriptedStep {
  return (request) => passing(at, { before, after }, request);
}

/** An answer that waits for something first. */
export function after(promise: Promise<unknown>, step: ScriptedStep): ScriptedStep {
  return (request) => waiting(promise, step, request);
}

async function* waiting(
  promise: Promise<unknown>,
  step: ScriptedStep,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, void, undefined> {
  await untilAborted(promise, request.signal);
  const answer = typeof step === "function" ? step(request) : step;
  if (Symbol.asyncIterator in answer) yield* answer;
  else yield* playAnswer(answer, { standing: standingOf(request.messages), signal: request.signal });
}

async function* passing(
  at: Gate,
  { before, after }: { before: string; after: string },
  { signal }: ModelRequest,
): AsyncGenerator<ModelEvent> {
  if (before !== "") yield { type: "text-delta", delta: before };
  await at.pass(signal);
  yield { type: "text-delta", delta: after };
  yield { type: "finish", reason: "stop" };
}

/** The task ids in the conversation's tool results, in their order. */
export function taskIdsIn({ messages }: Pick<ModelRequest, "messages">): readonly string[] {
  const texts = messages.flatMap((message) => (message.role === "tool" ? [textOf(message.content)] : []));
  return [...new Set(texts.flatMap((text) => text.match(/sub-[0-9a-f]{8}/g) ?? []))];
}
