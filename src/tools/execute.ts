// One call from its arguments to its result: everything that happens to it, in order.
import { messageOf, unreachable } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { invalidArguments, type ParsedCall } from "./call.ts";
import {
  type CheckedCall,
  type Decision,
  decide,
  type Interception,
  type Outcome,
  type ToolCall,
} from "./interception.ts";
import { buildOutcome, renderContent, type ToolOutcome } from "./outcome.ts";
import { cancelledError, type ToolError, toolErrorOf } from "./render-error.ts";
import type { ToolContext } from "./tool.ts";

/** Where a call runs; the same for all calls of a step. */
export type CallContext = Omit<ToolContext, "callId">;

/**
 * Runs one call. What a tool or a decider does wrong is an outcome; it rejects only when `spill` does.
 * Cancelled by `context.signal`: the tool is told, and an error after that is the outcome `cancelled`.
 */
export async function executeCall(
  parsed: ParsedCall,
  context: CallContext,
  interception: Interception = {},
): Promise<ToolOutcome> {
  const started = context.clock.now().getTime();
  const { call, outcome: own } = await settle(identify(parsed, context), parsed.problem, context, interception);
  const passed = await passAfter(call, own, interception, context.log);
  const content = context.origin === "code" ? "" : renderContent(call, passed, context.log);
  const elapsedMs = Math.max(0, context.clock.now().getTime() - started);
  const outcome = buildOutcome(call, passed, { content, elapsedMs });
  return context.origin === "model" && interception.spill !== undefined
    ? interception.spill(outcome, context.toolset)
    : outcome;
}

function identify(parsed: ParsedCall, { toolset, origin, turn, signal }: CallContext): ToolCall {
  const owned = toolset.find(parsed.name, origin);
  const { tool, plugin } = owned ?? {};
  return { id: parsed.id, name: tool?.name ?? parsed.name, tool, plugin, args: parsed.arguments, origin, turn, signal };
}

interface Settled {
  /** With the arguments that the tool got. */
  readonly call: ToolCall;
  readonly outcome: Outcome;
}

async function settle(
  call: ToolCall,
  problem: ToolError | undefined,
  context: CallContext,
  interception: Interception,
): Promise<Settled> {
  if (!isKnown(call)) return { call, outcome: unknownName(call, context) };
  if (problem !== undefined) return { call, outcome: failed(problem) };
  try {
    const checked = await check(call);
    if ("outcome" in checked) return checked;
    return await carryOut(checked, await decideClosed(checked, interception), context);
  } catch (thrown) {
    return failedBy(thrown, call);
  }
}

function isKnown(call: ToolCall): call is CheckedCall {
  return call.tool !== undefined;
}

/** A model is told what to call instead, and its turn goes on; code and people get an error. */
function unknownName({ name }: ToolCall, { toolset, origin }: CallContext): Outcome {
  if (origin === "model") return { ok: true, value: toolset.guidance(name) };
  return failed({ kind: "not_found", message: `unknown tool: ${name}` });
}

async function check(call: CheckedCall): Promise<CheckedCall | Settled> {
  const validated = await call.tool.validate(call.args);
  if (validated.ok) return { ...call, args: validated.args };
  return { call, outcome: failed(invalidArguments(call.tool.alias, validated.issues)) };
}

/** A decider that fails has not allowed the call. */
async function decideClosed(call: CheckedCall, interception: Interception): Promise<Decision> {
  try {
    return await decide(call, interception);
  } catch (thrown) {
    if (call.signal.aborted) throw thrown;
    return { action: "deny", reason: messageOf(thrown) };
  }
}

async function carryOut(call: CheckedCall, decision: Decision, context: CallContext): Promise<Settled> {
  switch (decision.action) {
    case "proceed": {
      const checked = decision.args === undefined ? call : await check({ ...call, args: decision.args });
      return "outcome" in checked ? checked : await run(checked, context);
    }
    case "replace":
      return { call, outcome: { ok: true, value: decision.value, replaced: true } };
    case "deny":
      return { call, outcome: failed({ kind: "tool", message: decision.reason }) };
    default:
      return unreachable(decision);
  }
}

async function run(call: CheckedCall, context: CallContext): Promise<Settled> {
  try {
    // A person may have been asked meanwhile, and have answered by cancelling.
    call.signal.throwIfAborted();
    const value = await call.tool.run(call.args, { ...context, callId: call.id });
    return { call, outcome: { ok: true, value } };
  } catch (thrown) {
    return failedBy(thrown, call);
  }
}

function failedBy(thrown: unknown, call: CheckedCall): Settled {
  if (call.signal.aborted) return { call, outcome: { ok: false, error: cancelledError, cancelled: true } };
  return { call, outcome: failed(toolErrorOf(thrown, call.tool.alias)) };
}

/** Every outcome passes here, whatever became of the call. */
async function passAfter(call: ToolCall, own: Outcome, { after }: Interception, log: Logger): Promise<Outcome> {
  try {
    const passed = (await after?.(call, own)) ?? own;
    if (!passed.ok) return passed;
    const isOwn = own.ok && own.replaced !== true && own.value === passed.value;
    return { ...passed, replaced: !isOwn };
  } catch (error) {
    log.error("a plugin failed after a tool call; its change is left out", { tool: call.name, error });
    return own;
  }
}

function failed(error: ToolError): Outcome {
  return { ok: false, error };
}
