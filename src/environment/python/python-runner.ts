// Runs one piece of Python in a process of its own and answers its tool calls.
import type { Readable, Writable } from "node:stream";
import { delay } from "../../base/abort.ts";
import { longestTimerMs } from "../../base/clock.ts";
import { BubError, isBubError, messageOf } from "../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import type { CodeOutcome, CodeRequest, ShellProcess } from "../environment.ts";

/** A started interpreter that waits for code. */
export interface PythonProcess {
  /** Its standard output, and its end. */
  readonly shell: ShellProcess;
  /** Descriptor 3 of the process. */
  readonly requests: Writable;
  /** Descriptor 4 of the process. */
  readonly answers: Readable;
  readonly errors: Readable;
}

const stopGraceMs = 500;
/** How long after the interpreter's exit its last words may still arrive. */
const drainMs = 50;
/** The most of what is printed that is kept: as much from the beginning as from the end (bytes). */
const keptBytes = 64 * 1024 * 1024;
/** The most of the interpreter's own error text that is shown (characters). */
const keptErrors = 4_000;

/**
 * Runs the code and ends everything that came of it.
 * Rejects with the signal's reason when cancelled; what the code does wrong is the outcome's error.
 */
export async function runPython(python: PythonProcess, request: CodeRequest): Promise<CodeOutcome> {
  const output = new Printed();
  const errors = new Tail();
  let end: JsonObject | undefined;
  let stopped: "timeout" | "cancelled" | undefined;
  python.shell.onOutput((chunk) => output.add(chunk));
  python.errors.on("data", (chunk: Buffer) => errors.add(chunk));
  const talk = readLines(python.answers, (message) => {
    if (message.t === "call") void answerCall(python.requests, message, request);
    else end = message;
  });
  const stop = (why: "timeout" | "cancelled") => {
    stopped ??= why;
    void python.shell.stop("killed", why === "timeout" ? 0 : stopGraceMs);
  };
  const cancel = () => stop("cancelled");
  const timer = setTimeout(() => stop("timeout"), Math.min(request.timeoutMs, longestTimerMs));
  request.signal.addEventListener("abort", cancel, { once: true });
  if (request.signal.aborted) cancel();
  try {
    // A process that ended early does not read what is left; its exit tells.
    python.requests.on("error", () => undefined);
    send(python.requests, request);
    const { exitCode } = await python.shell.exited;
    // A process that the code forked may hold the descriptor for hours; what the code itself said is there by now.
    await Promise.race([talk, delay(drainMs)]);
    if (stopped === "cancelled") throw request.signal.reason;
    return outcomeOf({ output: output.text(), errors: errors.text(), end, exitCode, stopped, request });
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", cancel);
    python.requests.destroy();
    python.answers.destroy();
    python.errors.destroy();
    // What the code started and left behind ends with it.
    await python.shell.stop("ended", stopGraceMs);
  }
}

interface Ended {
  output: string;
  errors: string;
  end: JsonObject | undefined;
  exitCode: number;
  stopped: "timeout" | "cancelled" | undefined;
  request: CodeRequest;
}

function outcomeOf({ output, errors, end, exitCode, stopped, request }: Ended): CodeOutcome {
  const details: JsonObject = output === "" ? {} : { output };
  if (stopped === "timeout") {
    return { output, error: { message: `Code timed out after ${request.timeoutMs / 1000} seconds`, details } };
  }
  if (end?.t === "raised") {
    const message = `Code raised ${String(end.type)}: ${String(end.message)}`;
    return { output, error: { message, details: { ...details, traceback: String(end.traceback) } } };
  }
  if (end?.t === "done" && exitCode === 0) return { output };
  const stderr = errors === "" ? {} : { stderr: errors };
  const message = `Code runner exited unexpectedly with code ${exitCode}`;
  return { output, error: { message, details: { ...details, ...stderr } } };
}

function send(requests: Writable, { code, tools, direct = [] }: CodeRequest): void {
  const parts = [code, tools.join("\n"), direct.join("\n")].map((text) => Buffer.from(text, "utf8"));
  const sizes = parts.map(({ length }) => length).join(" ");
  requests.write(Buffer.concat([Buffer.from(`${sizes}\n`), ...parts]));
}

async function answerCall(
  requests: Writable,
  { id, name, arguments: args }: JsonObject,
  request: CodeRequest,
): Promise<void> {
  const answer = await request
    .call(String(name), isJsonObject(args) ? args : {})
    .then((value) => valueLine(id, value, name))
    .catch((error: unknown) => JSON.stringify({ id, error: errorData(error) }));
  if (!requests.destroyed) requests.write(`${answer}\n`);
}

/** @throws BubError for what JSON has no word for, or no room */
function valueLine(id: JsonValue | undefined, value: unknown, name: JsonValue | undefined): string {
  try {
    return JSON.stringify({ id, value });
  } catch (error) {
    throw new BubError("tool", `the value of ${name} cannot be passed to code: ${messageOf(error)}`, { cause: error });
  }
}

function errorData(error: unknown): JsonObject {
  if (!isBubError(error)) return { kind: "tool", message: messageOf(error) };
  const { kind, message, details } = error;
  return details === undefined ? { kind, message } : { kind, message, details };
}

/** Resolves at the stream's end. A line that is no JSON object is not ours: the code may write anywhere. */
function readLines(stream: Readable, take: (message: JsonObject) => void): Promise<void> {
  let parts: Buffer[] = [];
  const takeLine = (line: Buffer) => {
    const message = parseJson(line.toString("utf8"));
    if (isJsonObject(message)) take(message);
  };
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      takeLine(Buffer.concat([...parts, chunk.subarray(start, end)]));
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
  return new Promise((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
    stream.once("end", resolve);
  });
}

/** What was printed: all of it, or its beginning and end where it is too much to hold. */
class Printed {
  readonly #first: Buffer[] = [];
  #firstBytes = 0;
  #last: Buffer[] = [];
  #lastBytes = 0;
  #dropped = 0;

  add(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk);
    const room = keptBytes / 2 - this.#firstBytes;
    if (room > 0) {
      this.#first.push(bytes.subarray(0, room));
      this.#firstBytes += Math.min(room, bytes.length);
    }
    if (bytes.length <= room) return;
    const rest = bytes.subarray(Math.max(0, room));
    this.#last.push(rest);
    this.#lastBytes += rest.length;
    while (this.#lastBytes - (this.#last[0]?.length ?? 0) >= keptBytes / 2) {
      const gone = this.#last.shift()?.length ?? 0;
      this.#lastBytes -= gone;
      this.#dropped += gone;
    }
  }

  text(): string {
    if (this.#dropped === 0) return Buffer.concat([...this.#first, ...this.#last]).toString("utf8");
    const note = `\n[${this.#dropped} bytes dropped]\n`;
    return Buffer.concat(this.#first).toString("utf8") + note + Buffer.concat(this.#last).toString("utf8");
  }
}

/** The end of a text. */
class Tail {
  #text = "";

  add(chunk: Buffer): void {
    this.#text = (this.#text + chunk.toString("utf8")).slice(-keptErrors);
  }

  text(): string {
    return this.#text.trim();
  }
}
