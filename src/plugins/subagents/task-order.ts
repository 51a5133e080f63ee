// What a task was asked for, and what it comes to: profile, model, tools and limits decided.
import { type Content, contentFromJson, isMediaPart, textOf } from "../../base/content.ts";
import { BubError } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { beginningOf } from "../../base/text-preview.ts";
import type { RunningModel, ToolScope, Turn } from "../../kernel/turn-state.ts";
import type { Toolset } from "../../tools/toolset.ts";
import type { ChildSettings, Profile } from "./profile-file.ts";
import { narrowedSkills, narrowedTools } from "./tool-scope.ts";

/** The arguments of a call; what it did not say is absent. */
export interface TaskOrder extends ChildSettings {
  readonly agent?: string;
  readonly description?: string;
}

/** Where a child begins: empty, from a copy of its parent's conversation, or in a session that stays. */
export type Beginning = { readonly kind: "temp" | "fork" } | { readonly kind: "kept"; readonly sessionId: string };

export interface TaskPlan {
  readonly prompt: Content;
  readonly description: string;
  readonly profile: Profile | undefined;
  readonly model: string | undefined;
  readonly reasoningEffort: string | undefined;
  readonly beginning: Beginning;
  readonly toolScope: ToolScope;
  readonly timeoutSeconds: number | undefined;
}

export interface PlanContext {
  readonly turn: Turn;
  /** The tools of the run that asks. */
  readonly toolset: Toolset;
  readonly profile: Profile | undefined;
  /** True when a session is continued: what the run may not use any more is left out without a word. */
  readonly continues?: boolean;
}

const longestDescription = 200;

/** Decides by call, then profile. @throws BubError `invalid_input` for what the run may not ask for */
export function planTask(order: TaskOrder, prompt: Content, context: PlanContext): TaskPlan {
  const { turn, toolset, profile, continues = false } = context;
  const { settings } = turn.runtime;
  const allowedTools = order.allowedTools ?? profile?.allowedTools;
  const isStrict = order.allowedTools !== undefined && !continues;
  return {
    prompt,
    description: order.description ?? firstLine(prompt),
    profile,
    model: order.model ?? profile?.model,
    reasoningEffort: order.reasoningEffort ?? profile?.reasoningEffort,
    beginning: parseBeginning(order.session ?? profile?.session ?? "temp"),
    toolScope: {
      allowedTools: narrowedTools(toolset, allowedTools, { isStrict }),
      allowedSkills: narrowedSkills(turn.toolScope.allowedSkills, order.allowedSkills ?? profile?.allowedSkills),
    },
    timeoutSeconds: order.timeoutSeconds ?? profile?.timeoutSeconds ?? settings.subagentTimeoutSeconds,
  };
}

export function parseBeginning(session: string): Beginning {
  const name = session.trim();
  if (name === "temp") return { kind: "temp" };
  if (name === "fork" || name === "inherit") return { kind: "fork" };
  if (name !== "" && !name.startsWith("temp/")) return { kind: "kept", sessionId: name };
  throw new BubError("invalid_input", `'${session}' cannot name a session`, {
    details: { session },
    hint: "Use temp, fork, or a name that does not start with temp/.",
  });
}

/** The prompt as content. @throws BubError `invalid_input` when there is nothing in it, or a part is none */
export function parsePrompt(value: JsonValue | undefined): Content {
  const content = contentFromJson(value);
  if (Array.isArray(value) && content.length !== value.length)
    throw new BubError(
      "invalid_input",
      'prompt has parts that are no content: each is {"type":"text","text":…} or a medium',
    );
  const isEmpty = textOf(content).trim() === "" && !(typeof content !== "string" && content.some(isMediaPart));
  if (isEmpty) throw new BubError("invalid_input", "prompt is empty");
  return content;
}

/** The model and effort that the turn's run asks at this moment. */
export function runningOf({ state, inbound, tape, runtime }: Turn): RunningModel {
  if (state.running !== undefined) {
    const { model, reasoningEffort } = state.running;
    return { model, reasoningEffort };
  }
  const { settings } = tape.facts;
  return {
    model: inbound.model ?? settings.model ?? runtime.settings.model,
    reasoningEffort: inbound.reasoningEffort ?? settings.reasoning_effort ?? runtime.settings.reasoningEffort,
  };
}

/** As the tape keeps it, for those who continue the task's session. */
export function orderToJson(order: TaskOrder): JsonObject {
  return JSON.parse(JSON.stringify(order)) as JsonObject;
}

export function orderFromJson(value: JsonValue | undefined): TaskOrder {
  if (!isJsonObject(value)) return {};
  const { agent, description, model, reasoningEffort, session, allowedTools, allowedSkills, timeoutSeconds } = value;
  return {
    ...textIn({ agent, description, model, reasoningEffort, session }),
    ...(Array.isArray(allowedTools) && { allowedTools: allowedTools.map(String) }),
    ...(Array.isArray(allowedSkills) && { allowedSkills: allowedSkills.map(String) }),
    ...(typeof timeoutSeconds === "number" && { timeoutSeconds }),
  };
}

function textIn(fields: JsonObject): Record<string, string> {
  const texts = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === "string");
  return Object.fromEntries(texts);
}

/** A label, not the task: events carry it. */
function firstLine(prompt: Content): string {
  const [line = ""] = textOf(prompt).trim().split(/\r?\n/, 1);
  return line.length <= longestDescription ? line : `${beginningOf(line, longestDescription - 1)}…`;
}
