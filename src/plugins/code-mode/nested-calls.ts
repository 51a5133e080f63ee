// The calls that one piece of code makes: hooks see them, events show them, the step counts them.
import { CancelledError } from "../../base/abort.ts";
import { BubError } from "../../base/errors.ts";
import type { StreamEventBody } from "../../base/events.ts";
import type { JsonObject } from "../../base/json.ts";
import { hookInterception } from "../../kernel/tool-hooks.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import { CallGate } from "../../tools/call-gate.ts";
import { executeCall } from "../../tools/execute.ts";
import type { ToolOutcome } from "../../tools/outcome.ts";
import { renderError } from "../../tools/render-error.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { nestedCallId } from "./attachments.ts";

/** Dispose it when the code has ended: that cancels what it did not wait for. */
export class NestedCalls implements Disposable {
  readonly #context: ToolContext;
  readonly #turn: Turn;
  readonly #ended = new AbortController();
  // An exclusive call waits for the other calls of the same code alone; there is no limit.
  readonly #gate = new CallGate(Number.POSITIVE_INFINITY);
  #count = 0;

  constructor(context: ToolContext) {
    this.#context = context;
    this.#turn = context.turn as Turn;
  }

  /** @throws BubError of the tool */
  async run(name: string, args: JsonObject): Promise<unknown> {
    const { callId, toolset } = this.#context;
    this.#count++;
    const call = { id: nestedCallId(callId, this.#count), name, arguments: args };
    const tool = toolset.find(name, "code")?.tool;
    const alias = tool?.alias ?? name;
    this.#tell({ type: "tool-call", id: call.id, name: alias, arguments: args });
    this.#countCall(alias);
    let outcome: ToolOutcome | undefined;
    await this.#gate.pass(tool?.exclusive === true, async () => {
      outcome = await executeCall(call, this.#callContext(), hookInterception(this.#turn));
    });
    return this.#settle(outcome as ToolOutcome);
  }

  [Symbol.dispose](): void {
    this.#ended.abort(new CancelledError("the code that made the call has ended"));
  }

  #callContext() {
    const { turn, toolset, environment, signal, clock, log } = this.#context;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    return { turn, toolset, environment, origin: "code", signal: either, clock, log } as const;
  }

  #settle({ id, name, value, isError, error, elapsedMs }: ToolOutcome): unknown {
    const text = error === undefined ? "" : renderError(error);
    this.#tell({ type: "tool-result", id, name, value, text, is_error: isError, elapsed_ms: elapsedMs });
    if (error !== undefined) throw new BubError(error.kind, error.message, { details: error.details });
    return value;
  }

  #tell(body: StreamEventBody): void {
    this.#turn.tell(body);
  }

  #countCall(alias: string): void {
    const { state } = this.#turn;
    state.nestedCalls ??= {};
    state.nestedCalls[alias] = (state.nestedCalls[alias] ?? 0) + 1;
  }
}
