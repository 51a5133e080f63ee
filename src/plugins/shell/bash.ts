// `bash`: runs a command in the foreground, for a time, or in the background at once.
import * as v from "valibot";
import { BubError } from "../../base/errors.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import { readResult } from "./result-text.ts";
import type { Shell, ShellRegistry } from "./shell-registry.ts";
import { waitForShell } from "./wait-for-shell.ts";

/** How long a shell gets between TERM and KILL when its turn is cancelled. */
const cancelGraceMs = 500;

export interface BashValue {
  readonly status: "running" | "exited";
  readonly exit_code: number | null;
  readonly output: string;
  /** Where there is more to ask for. */
  readonly shell_id?: string;
}

/** What the text of a timed-out command says beyond its value. */
interface Timeout {
  readonly seconds: number;
  readonly nextOffset: number;
}

export function bashTool(shells: ShellRegistry): Tool {
  // The value's keys are fixed, and its text needs two facts more.
  const timeouts = new WeakMap<BashValue, Timeout>();
  return defineTool({
    name: "bash",
    description:
      "Run a shell command on the user's machine (no sandbox, stdin closed). After timeout_seconds it goes on in the background: read it with bash.output, end it with bash.kill. What it leaves running ends with the session; start a daemon that must stay with `env -u BUB_SHELL_ID setsid`.",
    exposure: "direct",
    input: v.pipe(
      v.strictObject({
        command: v.string(),
        cwd: v.optional(v.pipe(v.string(), v.description("working directory; default: the workspace"))),
        timeout_seconds: v.optional(v.number(), 30),
        background: v.optional(v.pipe(v.boolean(), v.description("return at once")), false),
      }),
      // In the background it does not count, and models that know so say 0.
      v.forward(
        v.check(({ background, timeout_seconds: seconds }) => background || seconds > 0, "must be above 0"),
        ["timeout_seconds"],
      ),
    ),
    async run(
      { command, cwd, timeout_seconds: seconds, background },
      { environment, turn, signal },
    ): Promise<BashValue> {
      signal.throwIfAborted();
      const shell = await shells.start(environment, command, { sessionId: turn.sessionId, cwd });
      if (background) {
        shells.announce(shell);
        return { status: "running", exit_code: null, output: "", shell_id: shell.id };
      }
      switch (await waitForShell(shell, seconds * 1000, signal)) {
        case "exited":
          return finish(shell, shells);
        case "timeout": {
          shells.announce(shell);
          const { text, nextOffset } = await readResult(shell.output);
          const value: BashValue = { status: "running", exit_code: null, output: text, shell_id: shell.id };
          timeouts.set(value, { seconds, nextOffset });
          return value;
        }
        case "aborted":
          await shell.process.stop("cancelled", cancelGraceMs);
          shells.forget(shell);
          throw signal.reason;
      }
    },
    render: (value) => renderBash(value, timeouts.get(value)),
  });
}

async function finish(shell: Shell, shells: ShellRegistry): Promise<BashValue> {
  const { exitCode, signal } = await shell.ended;
  const { text, isCut } = await readResult(shell.output);
  if (isCut) shells.announce(shell);
  else shells.forget(shell);
  const value: BashValue = {
    status: "exited",
    exit_code: exitCode,
    output: text.trim(),
    ...(isCut && { shell_id: shell.id }),
  };
  if (exitCode === 0) return value;
  const code = signal === undefined ? exitCode : `${exitCode} (${signal})`;
  throw new BubError("tool", `command exited with code ${code}\noutput:\n${renderBash(value)}`);
}

function renderBash({ status, output, shell_id: shellId }: BashValue, timeout?: Timeout): string {
  const idLine = shellId === undefined ? [] : [`shell_id: ${shellId}`];
  if (status === "exited") return [output === "" ? "(no output)" : output, ...idLine].join("\n");
  if (timeout === undefined) return [...idLine, ...(output === "" ? [] : ["output:", output])].join("\n");
  return [
    `command timed out after ${timeout.seconds} seconds; continuing in background`,
    ...idLine,
    `next_offset: ${timeout.nextOffset}`,
    "output:",
    output,
  ].join("\n");
}
