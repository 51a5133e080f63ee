// Does what a command line asks for. Behind this file is all that takes time to load.
import type { CommandContext } from "./command-context.ts";
import { commandNames, type WorkRequest } from "./command-line.ts";
import { runInProcess } from "./run-in-process.ts";
import { divertStrayOutput } from "./stray-output.ts";

/** Gets the words after the command's name and its options; answers the exit code. */
export type CommandWork = (words: readonly string[], options: never, context: CommandContext) => Promise<number>;

/** By the command's name. */
export const commandWorks: Readonly<Record<string, () => Promise<CommandWork>>> = {
  run: async () => (await import("./commands/run.ts")).runRun,
  chat: async () => (await import("./commands/chat.ts")).runChat,
  onboard: async () => (await import("./commands/onboard.ts")).runOnboard,
  demo: async () => (await import("./commands/demo.ts")).runDemo,
  hooks: async () => (await import("./commands/hooks.ts")).runHooks,
  doctor: async () => (await import("./commands/doctor.ts")).runDoctor,
  sessions: async () => (await import("./commands/sessions.ts")).runSessions,
  "sessions search": async () => (await import("./commands/sessions-search.ts")).runSessionsSearch,
  "sessions show": async () => (await import("./commands/sessions-show.ts")).runSessionsShow,
  "sessions rename": async () => (await import("./commands/sessions-change.ts")).runSessionsRename,
  "sessions archive": async () => (await import("./commands/sessions-change.ts")).runSessionsArchive,
  "sessions restore": async () => (await import("./commands/sessions-change.ts")).runSessionsRestore,
  "sessions prune": async () => (await import("./commands/sessions-prune.ts")).runSessionsPrune,
  install: async () => (await import("./commands/install.ts")).runInstall,
  uninstall: async () => (await import("./commands/uninstall.ts")).runUninstall,
  update: async () => (await import("./commands/update.ts")).runUpdate,
  "tape show": async () => (await import("./commands/tape-show.ts")).runTapeShow,
  "tape search": async () => (await import("./commands/tape-search.ts")).runTapeSearch,
  "tape export": async () => (await import("./commands/tape-export.ts")).runTapeExport,
  "tape check": async () => (await import("./commands/tape-check.ts")).runTapeCheck,
};

/** Runs a command in this process, which ends with its exit code. */
export async function runWork(request: WorkRequest): Promise<void> {
  await runInProcess({ options: request.globals, work: workOf(request) });
}

function workOf(request: WorkRequest): (context: CommandContext) => Promise<number> {
  if (request.kind === "command") {
    const { command, words, options } = request;
    return async (context) => {
      const load = commandWorks[command.name];
      if (load === undefined) throw new Error(`bub ${command.name} does nothing yet`);
      using _diverted = divertStrayOutput(context);
      return await (await load())(words, options as never, context);
    };
  }
  const { name, words } = request;
  return async (context) => {
    const { runPluginCommand } = await import("./commands/plugin-command.ts");
    return runPluginCommand(name, { words, known: commandNames() }, context);
  };
}
