// Reads a script's YAML or JSON; what is wrong with it is told by file and line.
import { BubError, messageOf } from "../../base/errors.ts";
import type { Usage } from "../../base/events.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { nearestName } from "../../base/near.ts";
import type { FinishReason } from "../model.ts";
import type {
  Script,
  ScriptedAnswer,
  ScriptedCall,
  ScriptedCondition,
  ScriptedConversation,
  ScriptedFault,
  ScriptedPiece,
} from "./script.ts";

/** @throws BubError `config`: `<file>:<line>: <what is wrong>` */
export async function parseScript(text: string, file: string): Promise<Script> {
  // JSON is read without loading the YAML library.
  const value = parseJson(text) ?? (await parseYaml(text, file));
  try {
    return readScript(value);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const line = await lineOf(text, error.path);
    throw new BubError("config", `${file}:${line}: ${error.message}`);
  }
}

async function parseYaml(text: string, file: string): Promise<JsonValue> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error === undefined) return document.toJS() as JsonValue;
  throw new BubError("config", `${file}:${lineCounter.linePos(error.pos[0]).line}: ${error.message}`, { cause: error });
}

/** The line of the value at a path, or of the nearest thing around it. */
async function lineOf(text: string, path: Path): Promise<number> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
    if (Array.isArray(range)) return lineCounter.linePos(Number(range[0])).line;
  }
  return 1;
}

type Path = readonly (string | number)[];

class Problem extends Error {
  constructor(
    readonly path: Path,
    what: string,
  ) {
    super(`${pathText(path)} ${what}${what.endsWith("?") ? "" : "."}`);
  }
}

function pathText(path: Path): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return text === "" ? "The script" : text.replace(/^\./, "");
}

function readScript(value: JsonValue): Script {
  const none = { conversations: [], order: "conversation", after: "error" } as const;
  if (Array.isArray(value)) return { ...none, answers: readAnswers(value, []) };
  const script = readObject(value, [], ["answers", "conversations", "order", "after"]);
  return {
    answers: readAnswers(script.answers ?? [], ["answers"]),
    conversations: readList(script.conversations ?? [], ["conversations"]).map(readConversation),
    order: readChoice(script.order ?? none.order, ["order"], ["conversation", "requests"]),
    after: readChoice(script.after ?? none.after, ["after"], ["error", "repeat", "restart"]),
  };
}

function readConversation(value: JsonValue, index: number): ScriptedConversation {
  const path = ["conversations", index];
  const { first, answers } = readObject(value, path, ["first", "answers"]);
  return { first: readPattern(first, [...path, "first"]), answers: readAnswers(answers, [...path, "answers"]) };
}

function readAnswers(value: JsonValue | undefined, path: Path): ScriptedAnswer[] {
  return readList(value, path).map((answer, index) => readAnswer(answer, [...path, index]));
}

const answerKeys = [
  "when",
  "delay_ms",
  "reasoning",
  "text",
  "chunk_delay_ms",
  "calls",
  "usage",
  "finish",
  "error",
  "cut",
  "stall",
] as const;

function readAnswer(value: JsonValue, path: Path): ScriptedAnswer {
  // A text alone is an answer, too.
  if (typeof value === "string") return { text: [{ text: value }] };
  const answer = readObject(value, path, answerKeys);
  const at = (key: string): Path => [...path, key];
  const pause = readOptional(answer.chunk_delay_ms, at("chunk_delay_ms"), readCount);
  return {
    when: readOptional(answer.when, at("when"), readCondition),
    delayMs: readOptional(answer.delay_ms, at("delay_ms"), readCount),
    reasoning: readOptional(answer.reasoning, at("reasoning"), (pieces, place) => readPieces(pieces, place, pause)),
    text: readOptional(answer.text, at("text"), (pieces, place) => readPieces(pieces, place, pause)),
    calls: readOptional(answer.calls, at("calls"), readCalls),
    usage: readOptional(answer.usage, at("usage"), readUsage),
    finish: readOptional(answer.finish, at("finish"), (reason, place) => readChoice(reason, place, finishReasons)),
    fault: readFault(answer, path),
  };
}

const finishReasons = [
  "stop",
  "tool-calls",
  "length",
  "content-filter",
  "other",
] as const satisfies readonly FinishReason[];

function readCondition(value: JsonValue, path: Path): ScriptedCondition {
  const { user, result, tool, step } = readObject(value, path, ["user", "result", "tool", "step"]);
  return {
    user: readOptional(user, [...path, "user"], readPattern),
    result: readOptional(result, [...path, "result"], readPattern),
    tool: readOptional(tool, [...path, "tool"], readText),
    step: readOptional(step, [...path, "step"], readCount),
  };
}

/** A text is one piece, or one for each word where words have a pause between them. */
function readPieces(value: JsonValue, path: Path, pause: number | undefined): ScriptedPiece[] {
  if (typeof value === "string") {
    const words = pause === undefined ? [value] : (value.match(/\s*\S+\s*$|\s*\S+/g) ?? [value]);
    return words.map((text) => ({ text, delayMs: pause }));
  }
  return readList(value, path, "text or a list of texts").map((piece, index) => ({
    text: readText(piece, [...path, index]),
    delayMs: pause,
  }));
}

function readCalls(value: JsonValue, path: Path): ScriptedCall[] {
  return readList(value, path).map((call, index) => {
    const place = [...path, index];
    const { name, arguments: args = {}, id } = readObject(call, place, ["name", "arguments", "id"]);
    if (typeof args !== "string" && !isJsonObject(args))
      throw new Problem([...place, "arguments"], "must be an object, or text to send as it is");
    return {
      name: readText(name, [...place, "name"]),
      arguments: args,
      id: readOptional(id, [...place, "id"], readText),
    };
  });
}

const usageKeys = [
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "total_tokens",
] as const;

function readUsage(value: JsonValue, path: Path): Usage {
  const usage = readObject(value, path, usageKeys);
  const counts = Object.entries(usage).map(([key, count]) => [key, readCount(count, [...path, key])]);
  return Object.fromEntries(counts);
}

function readFault(answer: JsonObject, path: Path): ScriptedFault | undefined {
  const [kind, ...others] = ["error", "cut", "stall"].filter(
    (key) => answer[key] !== undefined && answer[key] !== false,
  );
  if (kind === undefined) return undefined;
  if (others.length > 0) throw new Problem([...path, others[0] ?? ""], `cannot stand beside ${kind}`);
  if (kind === "error") return readError(answer.error, [...path, "error"]);
  if (answer[kind] !== true) throw new Problem([...path, kind], "must be true");
  return kind === "cut" ? { kind: "cut" } : { kind: "stall" };
}

function readError(value: JsonValue | undefined, path: Path): ScriptedFault {
  if (typeof value === "number") return { kind: "error", status: value };
  const {
    status,
    code,
    message,
    retry_after: retryAfter,
  } = readObject(value, path, ["status", "code", "message", "retry_after"]);
  const seconds = readOptional(retryAfter, [...path, "retry_after"], readCount);
  return {
    kind: "error",
    status: readOptional(status, [...path, "status"], readCount),
    code: readOptional(code, [...path, "code"], readText),
    message: readOptional(message, [...path, "message"], readText),
    ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }),
  };
}

function readOptional<Value>(
  value: JsonValue | undefined,
  path: Path,
  read: (value: JsonValue, path: Path) => Value,
): Value | undefined {
  return value === undefined || value === null ? undefined : read(value, path);
}

function readObject<Key extends string>(
  value: JsonValue | undefined,
  path: Path,
  keys: readonly Key[],
): { [Name in Key]?: JsonValue } {
  if (!isJsonObject(value)) throw new Problem(path, `must have keys and values (${keys.join(", ")})`);
  for (const key of Object.keys(value)) {
    if ((keys as readonly string[]).includes(key)) continue;
    const near = nearestName(key, keys);
    throw new Problem(
      [...path, key],
      `is not known here; ${near === undefined ? `there are ${keys.join(", ")}` : `did you mean ${near}?`}`,
    );
  }
  return value as { [Name in Key]?: JsonValue };
}

function readList(value: JsonValue | undefined, path: Path, what = "a list"): JsonValue[] {
  if (!Array.isArray(value)) throw new Problem(path, `must be ${what}`);
  return value;
}

function readText(value: JsonValue | undefined, path: Path): string {
  if (typeof value !== "string") throw new Problem(path, "must be text");
  return value;
}

function readCount(value: JsonValue | undefined, path: Path): number {
  if (typeof value !== "number" || !(value >= 0)) throw new Problem(path, "must be a number of 0 or more");
  return value;
}

function readChoice<Choice extends string>(value: JsonValue, path: Path, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Problem(path, `must be one of ${choices.join(", ")}`);
  return found;
}

function readPattern(value: JsonValue | undefined, path: Path): RegExp {
  const text = readText(value, path);
  try {
    return new RegExp(text, "iu");
  } catch (error) {
    throw new Problem(path, `is no regular expression (${messageOf(error)})`);
  }
}
