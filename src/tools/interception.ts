// How a call may be watched and steered from outside; the tools themselves know no hooks.
import type { JsonObject } from "../base/json.ts";
import type { ToolOutcome } from "./outcome.ts";
import type { ToolError } from "./render-error.ts";
import type { CallOrigin, Tool, ToolTurn } from "./tool.ts";
import type { Toolset } from "./toolset.ts";

/** A call as deciders and observers see it. */
export interface ToolCall {
  readonly id: string;
  /** Runtime name (`fs.read`); the name as given when nothing answers to it. */
  readonly name: string;
  readonly tool: Tool | undefined;
  /** The plugin that the tool comes from. */
  readonly plugin: string | undefined;
  /** Validated; as the caller gave them when they are invalid. */
  readonly args: JsonObject;
  readonly origin: CallOrigin;
  readonly turn: ToolTurn;
  readonly signal: AbortSignal;
}

/** A call that can run. */
export type CheckedCall = ToolCall & { readonly tool: Tool; readonly plugin: string };

/** What shall become of a call. */
export type Decision =
  /** Runs it, with other arguments if given; those are validated again. */
  | { readonly action: "proceed"; readonly args?: JsonObject }
  /** Runs nothing; the value stands for the tool's own. */
  | { readonly action: "replace"; readonly value: unknown }
  /** Runs nothing; the reason is what the caller gets as the error. */
  | { readonly action: "deny"; readonly reason: string };

/** Leaves the decision to a person; where none can answer, the call is denied. */
export interface Question {
  readonly action: "ask";
  readonly question: string;
  readonly choices: readonly string[];
  /** What an answer means. Without it the first choice proceeds and every other one denies. */
  decide?(choice: string): Verdict | Promise<Verdict>;
}

export type Verdict = Decision | Question;

/** A call's end before it is rendered. */
export type Outcome =
  /** `replaced` when a plugin gave the value; `meta` goes onto the result's tape entry. */
  | { readonly ok: true; readonly value: unknown; readonly replaced?: boolean; readonly meta?: JsonObject }
  | { readonly ok: false; readonly error: ToolError; readonly cancelled?: boolean };

export interface Interception {
  /** Asked before a tool runs. Throwing denies the call; the error should name the plugin. */
  before?(call: CheckedCall): Promise<Verdict>;
  /** Passed every outcome, of denied and invalid calls too; answers the one to go on with. Throwing changes nothing. */
  after?(call: ToolCall, outcome: Outcome): Promise<Outcome>;
  /** Puts a question to a person; undefined when nobody can answer. */
  ask?(
    question: string,
    choices: readonly string[],
    signal: AbortSignal,
    about: { readonly callId: string },
  ): Promise<string | undefined>;
  /** Last step of a call that a model made: may put a large result elsewhere. */
  spill?(outcome: ToolOutcome, toolset: Toolset): Promise<ToolOutcome>;
}

/** Asks `before`, and a person as often as it wants one. Rejects when one of them does. */
export async function decide(call: CheckedCall, { before, ask }: Interception): Promise<Decision> {
  let verdict: Verdict = (await before?.(call)) ?? { action: "proceed" };
  while (verdict.action === "ask") verdict = await putQuestion(verdict, call, ask);
  return verdict;
}

async function putQuestion(asked: Question, call: CheckedCall, ask: Interception["ask"]): Promise<Verdict> {
  const { id, name, signal } = call;
  const choice = await ask?.(asked.question, asked.choices, signal, { callId: id });
  if (choice === undefined) {
    // What follows the first line is for eyes that decide: a diff, a whole command.
    const [question] = asked.question.split("\n", 1);
    return { action: "deny", reason: `${name} needs an answer that nobody here can give: ${question}` };
  }
  if (asked.decide !== undefined) return asked.decide(choice);
  if (choice === asked.choices[0]) return { action: "proceed" };
  return { action: "deny", reason: `${name} was refused: ${choice}` };
}
