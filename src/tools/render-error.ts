// A tool's failure: the data that the tape keeps, and the text that models, commands and code see.
import { type ErrorKind, isBubError, messageOf } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

export interface ToolError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details?: JsonObject;
}

/** What a call is recorded with that was cancelled or never started. */
export const cancelledError: ToolError = { kind: "tool", message: "cancelled" };

/** Anything that a tool threw. What is no BubError is the tool's own fault and says only its name and message. */
export function toolErrorOf(thrown: unknown, alias: string): ToolError {
  if (isBubError(thrown)) {
    const { kind, message, details } = thrown;
    return details === undefined ? { kind, message } : { kind, message, details };
  }
  const name = thrown instanceof Error ? thrown.name : "Error";
  const error = `${name}: ${thrown instanceof Error ? thrown.message : messageOf(thrown)}`;
  return { kind: "tool", message: `Tool '${alias}' execution failed.`, details: { error } };
}

/** `[kind] message`, then a line for each detail. */
export function renderError({ kind, message, details = {} }: ToolError): string {
  const lines = Object.entries(details).flatMap(([name, value]) =>
    value === undefined ? [] : [renderDetail(name, value)],
  );
  return [`[${kind}] ${message}`, ...lines].join("\n");
}

/** True for the error object that a tape holds as a result. */
export function isToolError(value: unknown): value is ToolError {
  return isJsonObject(value) && typeof value.kind === "string" && typeof value.message === "string";
}

const textDetails = new Set(["error", "output", "traceback"]);

function renderDetail(name: string, value: JsonValue): string {
  if (!textDetails.has(name) || typeof value !== "string") return `${name}: ${JSON.stringify(value)}`;
  return value.includes("\n") ? `${name}:\n${value}` : `${name}: ${value}`;
}
