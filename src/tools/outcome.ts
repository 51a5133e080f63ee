// What a call came to, as events, the tape and the caller get it.
import { type Content, describeMedia } from "../base/content.ts";
import type { JsonObject } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import type { RecordedResult, ResultStatus } from "../tape/entry.ts";
import { aliasOf, renderValue } from "./define-tool.ts";
import type { Outcome, ToolCall } from "./interception.ts";
import { cancelledError, renderError, type ToolError, toolErrorOf } from "./render-error.ts";

export interface ToolOutcome {
  readonly id: string;
  /** The alias. */
  readonly name: string;
  /** The tool's value; null after a failure. */
  readonly value: unknown;
  /** For the caller; empty for code, which takes `value` or `error`. */
  readonly content: Content;
  /** `content` in words: media are described. */
  readonly text: string;
  readonly isError: boolean;
  readonly status: ResultStatus;
  readonly elapsedMs: number;
  readonly error?: ToolError;
  /** What the result's tape entry carries besides its call. */
  readonly meta?: JsonObject;
}

/** An outcome for its caller: the tool's own rendering, or the error's text. */
export function renderContent({ tool, name }: ToolCall, outcome: Outcome, log: Logger): Content {
  if (!outcome.ok) return renderError(outcome.error);
  const { value, replaced } = outcome;
  // Text that a plugin put in place of a tool's value is not in the shape that the tool renders.
  if (tool === undefined || (replaced === true && typeof value === "string")) return renderValue(value);
  try {
    return tool.render(value);
  } catch (error) {
    log.error("a tool could not render its value", { tool: name, error });
    return renderValue(value);
  }
}

export function buildOutcome(
  { id, name, tool }: Pick<ToolCall, "id" | "name" | "tool">,
  outcome: Outcome,
  { content, elapsedMs }: { content: Content; elapsedMs: number },
): ToolOutcome {
  const place = { id, name: tool?.alias ?? aliasOf(name), content, text: wordsOf(content), elapsedMs };
  if (outcome.ok) {
    const { value, meta } = outcome;
    return { ...place, value, isError: false, status: "ok", ...(meta !== undefined && { meta }) };
  }
  const status = outcome.cancelled === true ? "cancelled" : "error";
  return { ...place, value: null, isError: true, status, error: outcome.error };
}

/** For a call that was not run, or not waited for, because its turn was cancelled. */
export function cancelledOutcome({ id, name }: { id: string; name: string }, elapsedMs = 0): ToolOutcome {
  const cancelled: Outcome = { ok: false, error: cancelledError, cancelled: true };
  return buildOutcome({ id, name, tool: undefined }, cancelled, { content: renderError(cancelledError), elapsedMs });
}

/** For a call whose running itself broke. */
export function failedOutcome({ id, name }: { id: string; name: string }, thrown: unknown): ToolOutcome {
  const error = toolErrorOf(thrown, aliasOf(name));
  return buildOutcome(
    { id, name, tool: undefined },
    { ok: false, error },
    { content: renderError(error), elapsedMs: 0 },
  );
}

/** The result as the tape keeps it. */
export function recordedResult({ content, text, error }: ToolOutcome): RecordedResult {
  // An error too large for the conversation was moved away; what stands for it is only text.
  if (error !== undefined && text === renderError(error)) return { ...error };
  return typeof content === "string" ? content : { type: "tool_content", content };
}

/** Content in words, its media described. */
function wordsOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : describeMedia(part))).join("\n");
}
