// What a call would write: the tool runs on an environment that keeps the text instead of writing it.
import { BubError } from "../../base/errors.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Turn } from "../../kernel/turn-state.ts";
import type { CheckedCall } from "../../tools/interception.ts";
import { createToolset } from "../../tools/toolset.ts";

export interface FileChange {
  /** Resolved. */
  readonly path: string;
  /** Undefined when there is no such file, or it is no text. */
  readonly before: string | undefined;
  readonly after: string;
  /** Why there is no text before, when there is a file. */
  readonly note?: string;
}

/** Only tools of which nothing is known but that they act through their environment may run to look. */
const previewed = new Set(["fs.write", "fs.edit"]);

/**
 * Undefined for calls that cannot be looked at before.
 * @throws what the call would fail with
 */
export async function previewFile(call: CheckedCall, turn: Turn): Promise<FileChange | undefined> {
  if (!previewed.has(call.name) || call.plugin !== "files") return undefined;
  let change: FileChange | undefined;
  const environment = keepingEnvironment(turn.environment, (kept) => {
    change = kept;
  });
  const { signal, clock, log } = turn;
  const toolset = createToolset([]);
  await call.tool.run(call.args, {
    turn: { ...turn, environment },
    environment,
    callId: call.id,
    origin: call.origin,
    toolset,
    signal,
    clock,
    log,
  });
  return change;
}

function keepingEnvironment(real: Environment, keep: (change: FileChange) => void): Environment {
  const refuse = () => Promise.reject(new BubError("tool", "nothing runs while a change is only looked at"));
  return {
    workspace: real.workspace,
    python: real.python,
    resolvePath: (path) => real.resolvePath(path),
    stat: (path) => real.stat(path),
    readFile: (path, options) => real.readFile(path, options),
    readText: (path, options) => real.readText(path, options),
    readLines: (path, range, options) => real.readLines(path, range, options),
    async writeText(path, after, options) {
      keep({ path: real.resolvePath(path), after, ...(await textBefore(path, real, options?.signal)) });
      return real.resolvePath(path);
    },
    async editText(path, change, options) {
      const before = await real.readText(path, options);
      keep({ path: real.resolvePath(path), before, after: change(before) });
      return real.resolvePath(path);
    },
    spawn: refuse,
    runCode: refuse,
    endShells: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function textBefore(
  path: string,
  real: Environment,
  signal: AbortSignal | undefined,
): Promise<Pick<FileChange, "before" | "note">> {
  const stat = await real.stat(path);
  if (stat === undefined) return { before: undefined };
  try {
    return { before: await real.readText(path, { signal }) };
  } catch {
    return { before: undefined, note: `(replaces ${stat.size} bytes that are no text)` };
  }
}
