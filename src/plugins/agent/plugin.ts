// The agent: answers messages by a loop of model calls and tool calls.
import { definePlugin } from "../../kernel/plugin.ts";
import type { TapeReader } from "../../tape/store.ts";
import { runLoop } from "./loop.ts";
import type { TapeCheck, TapeCheckOptions } from "./tape-check.ts";

export const agentPlugin = definePlugin({
  name: "agent",
  runModel: (prompt, turn) => (prompt.kind === "message" ? runLoop(prompt, turn) : undefined),
});

export type { TapeCheck, TapeCheckOptions, TapeFinding, TapeProblemName, TapeRepair } from "./tape-check.ts";

/** See `tape-check.ts`, which is loaded when it is asked for. */
export async function checkTape(tape: TapeReader, options?: TapeCheckOptions): Promise<TapeCheck> {
  const check = await import("./tape-check.ts");
  return check.checkTape(tape, options);
}
