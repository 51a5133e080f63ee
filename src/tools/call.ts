// A call as a model writes it, and what is wrong with its text.
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
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
  const isWhole = complete && isJsonObject(parsed);
  if (isWhole && !isDeeperThan(mostLevels, parsed)) return { id, name, arguments: parsed };
  const noObject = complete && parsed !== undefined ? "must be a JSON object" : "are cut off or not valid JSON";
  const message = isWhole ? `are nested more than ${mostLevels} deep` : noObject;
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
/** Beyond some thousands a value can be read, but not written down again. */
const mostLevels = 1_000;

function isDeeperThan(most: number, value: JsonValue): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? (Object.values(one) as JsonValue[]) : [],
    );
  }
  return false;
}
