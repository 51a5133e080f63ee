// A runner of code for tests that needs no Python: its code is a JSON list of steps.
import { withinGrace } from "../base/abort.ts";
import { longestTimerMs } from "../base/clock.ts";
import { isBubError, messageOf } from "../base/errors.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { CodeOutcome, CodeRequest } from "../environment/environment.ts";

/** `print` prints text; `call` calls a tool and prints its value as JSON, or, with `rescue`, the error's kind and message. */
export type CodeStep =
  | { readonly print: string }
  | { readonly call: string; readonly arguments?: JsonObject; readonly rescue?: true }
  | { readonly raise: string; readonly message: string }
  | { readonly hang: true };

/** The text of code for `runCodeSteps`. */
export function codeOf(...steps: readonly CodeStep[]): string {
  return JSON.stringify(steps);
}

/** Runs such code in this process, as an environment's `runCode` must run Python. */
export async function runCodeSteps({
  code,
  timeoutMs,
  signal,
  call,
  tools,
  direct,
}: CodeRequest): Promise<CodeOutcome> {
  signal.throwIfAborted();
  const steps = JSON.parse(code) as readonly CodeStep[];
  let output = "";
  const details = (): JsonObject => (output === "" ? {} : { output });
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, longestTimerMs));
  const ended = AbortSignal.any([signal, timeout]);
  const callTool = async (name: string, args: JsonObject): Promise<JsonValue> => {
    if (!tools.includes(name)) {
      const hint = direct?.includes(name) ? ` inside code; call ${name} directly` : "";
      throw new RaisedError("AttributeError", `there is no tool '${name}'${hint}`);
    }
    return ((await call(name, args)) ?? null) as JsonValue;
  };
  try {
    for (const step of steps) {
      if ("print" in step) output += step.print;
      else if ("raise" in step) throw new RaisedError(step.raise, step.message);
      else if ("hang" in step) await withinGrace(new Promise<never>(() => undefined), ended, 0);
      else output += await resultOf(step, withinGrace(callTool(step.call, step.arguments ?? {}), ended, 0));
    }
    return { output };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      return { output, error: { message: `Code timed out after ${timeoutMs / 1000} seconds`, details: details() } };
    }
    const type = error instanceof RaisedError ? error.type : isBubError(error) ? "BubError" : "Exception";
    const traceback = `${type}: ${messageOf(error)}`;
    return { output, error: { message: `Code raised ${traceback}`, details: { ...details(), traceback } } };
  }
}

class RaisedError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

async function resultOf({ rescue }: { readonly rescue?: true }, value: Promise<JsonValue>): Promise<string> {
  try {
    return `${JSON.stringify(await value)}\n`;
  } catch (error) {
    if (rescue !== true || !isBubError(error)) throw error;
    return `${error.kind} ${error.message}\n`;
  }
}
