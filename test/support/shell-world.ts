// A small world for tests of shells: a home and a workspace of its own, the shell tools, and a look at what still runs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { silentLogger } from "../../src/base/log.ts";
import { isAlive, valuesOfVariable } from "../../src/base/processes.ts";
import { childEnvironment } from "../../src/environment/child-environment.ts";
import type { Environment } from "../../src/environment/environment.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { bashTool } from "../../src/plugins/shell/bash.ts";
import { bashKillTool } from "../../src/plugins/shell/bash-kill.ts";
import { bashOutputTool } from "../../src/plugins/shell/bash-output.ts";
import { ShellRegistry, type ShellRegistryOptions } from "../../src/plugins/shell/shell-registry.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

export interface CallOptions {
  sessionId?: string;
  signal?: AbortSignal;
}

export interface ShellWorld {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Environment;
  readonly shells: ShellRegistry;
  /** Runs a tool as the model would: arguments checked, the value and its text. Rejects as the tool does. */
  call(name: string, args: JsonObject, options?: CallOptions): Promise<{ value: JsonObject; text: string }>;
  /** Just the text of `bash`. */
  bash(command: string, more?: JsonObject): Promise<string>;
  /** Ends everything now, as the end of a runtime does. */
  close(): Promise<void>;
}

/** Closed and removed when the test ends. */
export function shellWorld(options: Partial<ShellRegistryOptions> & { env?: NodeJS.ProcessEnv } = {}): ShellWorld {
  const home = mkdtempSync(join(tmpdir(), "bub-shell-home-"));
  const workspace = mkdtempSync(join(tmpdir(), "bub-shell-work-"));
  const { env = process.env } = options;
  const environment = createLocalEnvironment({ workspace, home, environment: () => childEnvironment({ env }) });
  const shells = new ShellRegistry({ home, maxBytes: 2 ** 30, ...options });
  const tools = [bashTool(shells), bashOutputTool(shells), bashKillTool(shells)];

  const call: ShellWorld["call"] = async (name, args, { sessionId = "cli:test", signal } = {}) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const checked = await tool.validate(args);
    if (!checked.ok) throw Object.assign(new Error("invalid_input"), { kind: "invalid_input", issues: checked.issues });
    const value = (await tool.run(checked.args, contextOf(environment, sessionId, signal))) as JsonObject;
    return { value, text: tool.render(value) as string };
  };
  const close = async () => {
    await shells[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  };
  onTestFinished(async () => {
    await close();
    rmSync(home, { recursive: true, force: true });
    rmSync(workspace, { recursive: true, force: true });
  });
  return {
    home,
    workspace: environment.workspace ?? workspace,
    environment,
    shells,
    call,
    bash: async (command, more = {}) => (await call("bash", { command, ...more })).text,
    close,
  };
}

function contextOf(
  environment: Environment,
  sessionId: string,
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  const turn = { sessionId, turnId: "turn-1", environment };
  return {
    turn,
    environment,
    callId: "call-1",
    signal,
    clock: systemClock,
    log: silentLogger,
  } as unknown as ToolContext;
}

/** Waits until a condition holds; fails when it does not within twenty seconds. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, what = "the condition"): Promise<void> {
  await expect.poll(isTrue, { interval: 5, timeout: 20_000, message: what }).toBe(true);
}

/** Pids of running processes of one shell, or of all shells that this process started. */
export function markedProcesses(shellId?: string): number[] {
  const [name, value] = shellId === undefined ? ["BUB_OWNER", String(process.pid)] : ["BUB_SHELL_ID", shellId];
  return [...valuesOfVariable(name)].filter(([pid, own]) => own === value && isAlive(pid)).map(([pid]) => pid);
}
