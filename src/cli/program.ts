// Starts what a command line asks for; help and usage errors load nothing of the rest.
import { writeSync } from "node:fs";
import { version } from "../base/version.ts";
import { type CommandContext, UsageError } from "./command-context.ts";
import { commandNames, parseCommandLine, type Request } from "./command-line.ts";
import { renderHelp } from "./help.ts";

/** Runs a command line in this process, which ends with its exit code: 2 when the words make no sense. */
export async function runProgram(line: readonly string[]): Promise<void> {
  let request: Request;
  try {
    request = parseCommandLine(line);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { neutralise } = await import("../base/terminal-text.ts");
    writeSync(2, `bub: ${neutralise(error.message)}\n`);
    process.exitCode = 2;
    return;
  }
  // These texts are short, and opening the process's stream objects would take longer than printing them.
  if (request.kind === "version") writeSync(1, `${version}\n`);
  else if (request.kind === "help") writeSync(1, renderHelp(request.of));
  else {
    const { globals: options } = request;
    const { runInProcess } = await import("./run-in-process.ts");
    await runInProcess({ options, work: workOf(request) });
  }
}

function workOf(
  request: Extract<Request, { kind: "command" | "plugin" }>,
): (context: CommandContext) => Promise<number> {
  if (request.kind === "command") {
    const { command, words, options } = request;
    return async (context) => (await command.load())(words, options as never, context);
  }
  const { name, words } = request;
  return async (context) => {
    const { runPluginCommand } = await import("./commands/plugin-command.ts");
    return runPluginCommand(name, { words, known: commandNames() }, context);
  };
}
