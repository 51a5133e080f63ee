// Opens the runtime of a command: the default plugins, the command's own, and what the options name.
import { stat } from "node:fs/promises";
import { untilAborted } from "../base/abort.ts";
import { BubError } from "../base/errors.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import { neutralise } from "../base/terminal-text.ts";
import type { TextOutput } from "../base/text-output.ts";
import type { HookTrace } from "../kernel/hook-trace.ts";
import type { Plugin } from "../kernel/plugin.ts";
import { createRuntime, type Runtime } from "../kernel/runtime.ts";
import { defaults } from "../plugins/defaults.ts";
import type { CommandContext } from "./command-context.ts";

export interface OpenRuntimeOptions {
  /** The command's own plugins; they win over the default ones. */
  plugins?: readonly Plugin[];
  /** Says on stderr what could not be loaded or set. Default true. */
  printsWarnings?: boolean;
  hookTrace?: HookTrace;
}

/** Dispose the runtime. @throws BubError `config` when there is nothing that could work */
export async function openRuntime(
  context: CommandContext,
  { plugins = [], printsWarnings = true, hookTrace }: OpenRuntimeOptions = {},
): Promise<Runtime> {
  const { options, env, stderr, stop } = context;
  await checkFolder(options.workspace);
  const opening = createRuntime({
    plugins: [...defaults, ...plugins],
    pluginPaths: options.plugin,
    workspace: options.workspace,
    settings: { model: options.model },
    env,
    hookTrace,
    writeLog: (line) => stderr.write(env.BUB_LOG_LEVEL === "debug" ? `${line}\n` : `${renderLogLine(line)}\n`),
  });
  // A plugin that never starts keeps nobody from leaving.
  const runtime = await untilAborted(opening, stop.signal);
  if (printsWarnings) printWarnings(runtime, stderr);
  return runtime;
}

/** What is not there at all is told by the runtime. */
async function checkFolder(workspace: string): Promise<void> {
  const found = await stat(workspace).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  throw new BubError("config", `The workspace ${workspace} cannot be used: it is not a folder.`);
}

function printWarnings({ warnings, mask }: Runtime, stderr: TextOutput): void {
  for (const warning of warnings) stderr.write(`bub: ${neutralise(mask.mask(warning))}\n`);
}

/** A log line for people: its message and fields without the stack. */
export function renderLogLine(line: string): string {
  const entry = parseJson(line);
  if (!isJsonObject(entry)) return line;
  const { time: _time, level, message, ...fields } = entry;
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${renderField(value)}`);
  return neutralise(`bub: ${[`${level}:`, message, ...facts].join(" ")}`);
}

function renderField(value: unknown): string {
  if (isJsonObject(value) && typeof value.message === "string") return value.message;
  return typeof value === "string" ? value : JSON.stringify(value);
}
