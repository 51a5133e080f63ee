// A command that a plugin brings, and what to say when nobody has such a command.
import { nearestName } from "../../base/near.ts";
import type { CommandDefinition } from "../../kernel/command-registry.ts";
import { type CommandContext, didYouMean, UsageError } from "../command-context.ts";
import { openRuntime } from "../open-runtime.ts";
import { divertStrayOutput } from "../stray-output.ts";

export interface PluginCommandRequest {
  /** What stands after the name. */
  words: readonly string[];
  /** Names of the builtin commands, for the suggestion. */
  known: readonly string[];
}

/** @throws UsageError naming the near command when no plugin has this one */
export async function runPluginCommand(
  name: string,
  { words, known }: PluginCommandRequest,
  context: CommandContext,
): Promise<number> {
  const commands = new Map<string, CommandDefinition>();
  using diverted = divertStrayOutput(context);
  await using runtime = await openRuntime(context);
  await runtime.hooks.notify("registerCommands", { add: (command) => void commands.set(command.name, command) });
  // What the command itself prints is its answer.
  diverted[Symbol.dispose]();
  const command = commands.get(name);
  if (command === undefined) {
    const near = nearestName(name, [...known, ...commands.keys()]);
    throw new UsageError(`unknown command '${name}'${didYouMean(near)}`);
  }
  if (!words.includes("--help") && !words.includes("-h")) return command.run(words, context.stop.signal);
  context.stdout.write(`${command.summary}\n\nExample:\n  ${command.example}\n`);
  return 0;
}
