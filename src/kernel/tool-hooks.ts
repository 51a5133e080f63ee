// Joins the plugins' tool hooks to the calls of a turn.
import { isAbortError } from "../base/abort.ts";
import type { CheckedCall, Interception, Outcome, ToolCall, Verdict } from "../tools/interception.ts";
import type { ToolOutcome } from "../tools/outcome.ts";
import type { Toolset } from "../tools/toolset.ts";
import { attributed } from "./hook-runner.ts";
import type { Turn } from "./turn-state.ts";

export function hookInterception(turn: Turn): Interception {
  return {
    before: (call) => askBefore(call, turn),
    after: (call, outcome) => passAfter(call, outcome, turn),
    ask: turn.inbound.ask,
    spill: (outcome, toolset) => spill(outcome, toolset, turn),
  };
}

/** A result that could not be put elsewhere stays as it is. */
async function spill(outcome: ToolOutcome, toolset: Toolset, turn: Turn): Promise<ToolOutcome> {
  try {
    return (await turn.runtime.hooks.first("spillResult", outcome, toolset, turn)) ?? outcome;
  } catch (error) {
    turn.log.error("a large result could not be put elsewhere", { tool: outcome.name, error });
    return outcome;
  }
}

/** Newest plugin first; changed arguments go on to the next one, any other verdict ends the chain. */
async function askBefore(call: CheckedCall, turn: Turn): Promise<Verdict> {
  let current = call;
  for (const handler of turn.runtime.hooks.handlers("beforeToolCall")) {
    const verdict = (await attributed(handler, "beforeToolCall", [current, turn])) as Verdict | undefined;
    if (verdict === undefined) continue;
    if (verdict.action !== "proceed") return verdict;
    if (verdict.args !== undefined) current = { ...current, args: verdict.args };
  }
  return current === call ? { action: "proceed" } : { action: "proceed", args: current.args };
}

/** A plugin that fails here is passed over: the call has already happened. */
async function passAfter(call: ToolCall, outcome: Outcome, turn: Turn): Promise<Outcome> {
  let current = outcome;
  for (const handler of turn.runtime.hooks.handlers("afterToolCall")) {
    try {
      current = ((await attributed(handler, "afterToolCall", [current, call, turn])) as Outcome | undefined) ?? current;
    } catch (error) {
      if (isAbortError(error)) throw error;
      turn.log.error("hook failed", { plugin: handler.plugin, hook: "afterToolCall", error });
    }
  }
  return current;
}
