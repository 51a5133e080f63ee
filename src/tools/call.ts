// A call as a model writes it, and what is wrong with its text.
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { beginningOf } from "../base/text-preview.ts";
import { aliasOf } from "./define-tool.ts";
import type { ToolError } from "./render-error.ts";
import type { ArgumentIssue } from "./tool.ts";

/** A call whose arguments are read; it is recorded like this before it runs. */
export interface ParsedCall {
  readonly id: string;
  /** As the caller wrote it. */
  readonly name: string;
  /** Empty when they could not be read. */
  readonly arguments: JsonObject;
  /** Why nothing may run. */
  readonly problem?: ToolError;
}

export interface RawCall {
  readonly id: string;
  readonly name: string;
  /** The text as received. */
  readonly arguments: string;
}

/** @param options.complete false when the model was stopped while it wrote: such a call never runs */
export function parseCall({ id, name, arguments: raw }: RawCall, { complete = true } = {}): ParsedCall {
  const parsed = raw.trim() === "" ? {} : parseJson(raw);
  if (complete && isJsonObject(parsed)) return { id, name, arguments: parsed };
  const message = complete && parsed !== undefined ? "must be a JSON object" : "are cut off or not valid JSON";
  const problem = invalidArguments(aliasOf(name), [{ path: "", message: `arguments ${message}` }], raw);
  return { id, name, arguments: {}, problem };
}

/** @param raw the text that could not be read at all; its beginning goes into the details */
export function invalidArguments(alias: string, issues: readonly ArgumentIssue[], raw?: string): ToolError {
  const errors = issues.map(({ path, message }) => ({ path, message }));
  const details: JsonObject = raw === undefined ? { errors } : { errors, raw: beginningOf(raw, shownCharacters) };
  return { kind: "invalid_input", message: `Tool '${alias}' argument validation failed.`, details };
}

const shownCharacters = 2_000;
