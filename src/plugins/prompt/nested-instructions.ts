// AGENTS.md files below the workspace's own: each is told once per anchor, when a file below it is first touched.
import { posix } from "node:path";
import type { Environment } from "../../environment/environment.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { Tape } from "../../tape/tape.ts";
import type { Outcome, ToolCall } from "../../tools/interception.ts";

/** Bytes; more is no instruction. */
const largestFile = 256 * 1024;
/** In `meta` of the message that tells one: its file, relative to the workspace. */
const mark = "instructions";

/**
 * They cannot stand in the system prompt, which must not change within a conversation, and not in the tool's result, which
 * may be moved away when it is large. So each is left in the session's inbox as a notification: it is on the disk before
 * the call's result is, the next step takes it exactly once, in order, and from then on it is an entry like any other, sent
 * again with the same bytes. Whether one was told is read from the tape, so a restart changes nothing.
 */
export class NestedInstructions {
  readonly #told = new WeakMap<Tape, Told>();

  /** To be told of every call; calls that touch no file of the workspace are none of its business. */
  async afterCall(outcome: Outcome, call: ToolCall, turn: Turn): Promise<void> {
    const path = touchedFile(outcome, call, turn.environment);
    if (path === undefined) return;
    for (const file of instructionFiles(path)) await this.#tell(file, turn);
  }

  async #tell(file: string, turn: Turn): Promise<void> {
    const told = this.#toldOf(turn.tape);
    if (told.has(file)) return;
    // At once, as calls of one step touch files together.
    told.add(file);
    const text = await readInstructions(file, turn);
    if (text === undefined) {
      told.delete(file);
      return;
    }
    // One that was left before an anchor may still be waiting.
    if ((await turn.inbox.pending()).some(({ meta }) => meta[mark] === file)) return;
    const content = `Instructions for everything below ${posix.dirname(file)}/, from ${file}:\n\n${text}`;
    await turn.inbox.leave({ kind: "notification", payload: { content }, meta: { [mark]: file } });
  }

  #toldOf(tape: Tape): Told {
    const known = this.#told.get(tape) ?? new Told(tape);
    this.#told.set(tape, known);
    return known;
  }
}

/** What was told since the last anchor: what stands on the tape, and what is on its way there. */
class Told {
  readonly #tape: Tape;
  #files = new Set<string>();
  #anchor: number | undefined;
  #read = 0;

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  has(file: string): boolean {
    this.#follow();
    return this.#files.has(file);
  }

  add(file: string): void {
    this.#files.add(file);
  }

  delete(file: string): void {
    this.#files.delete(file);
  }

  #follow(): void {
    const { recent, lastAnchor } = this.#tape;
    if (lastAnchor?.id !== this.#anchor) {
      this.#anchor = lastAnchor?.id;
      this.#files = new Set();
      this.#read = 0;
    }
    for (; this.#read < recent.length; this.#read++) {
      const file = recent[this.#read]?.meta[mark];
      if (typeof file === "string") this.#files.add(file);
    }
  }
}

/** The file that a call read or wrote, relative to the workspace. What a person touches by a command, the model has not. */
function touchedFile(outcome: Outcome, call: ToolCall, environment: Environment): string | undefined {
  const { name, args, origin } = call;
  const isTouch = outcome.ok && outcome.replaced !== true && origin !== "command" && name.startsWith("fs.");
  if (!isTouch || typeof args.path !== "string" || environment.workspace === undefined) return undefined;
  const path = posix.relative(environment.workspace, environment.resolvePath(args.path));
  return path === ".." || path.startsWith("../") ? undefined : path;
}

/** The AGENTS.md of each folder between the workspace and the file, the outermost first; the workspace's own is no news. */
function instructionFiles(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  const files = folders.map((_, index) => posix.join(...folders.slice(0, index + 1), "AGENTS.md"));
  // Who reads or writes one knows what it says.
  return files.filter((file) => file !== path);
}

/** Undefined where there is none, or nothing in it. */
async function readInstructions(file: string, { environment, log }: Turn): Promise<string | undefined> {
  try {
    const stat = await environment.stat(file);
    if (stat?.kind !== "file") return undefined;
    if (stat.size > largestFile) {
      log.warn("instructions are passed over: the file is too large", { file, bytes: stat.size });
      return undefined;
    }
    // Touched is touched, also when the turn is cancelled meanwhile: no signal.
    const text = (await environment.readText(file)).trimEnd();
    return text === "" ? undefined : text;
  } catch (error) {
    log.warn("instructions are passed over: the file cannot be read", { file, error });
    return undefined;
  }
}
