// Reads a command line, explains itself, and starts what was asked for.
import { writeSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { version } from "../base/version.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { type CommandSpec, commands, globalOptions, groups, type OptionSpec } from "./command-table.ts";

/** What a command line asks for. */
export interface Request {
  readonly options: GlobalOptions;
  readonly work: (context: CommandContext) => Promise<number>;
}

type Write = (descriptor: 1 | 2, text: string) => void;

/** Runs a command line in this process, which ends with its exit code. Help and usage errors load nothing else. */
export async function runProgram(words: readonly string[]): Promise<void> {
  // Help is short, and opening the stream objects of the process would take longer than printing it.
  const request = readWords(words, (descriptor, text) => writeSync(descriptor, text));
  if (typeof request === "number") {
    process.exitCode = request;
    return;
  }
  const { runInProcess } = await import("./run-in-process.ts");
  await runInProcess(request);
}

/** The request, or the exit code of words that are answered already: 0 for help, 2 for a usage error. */
export function readWords(words: readonly string[], write: Write): Request | number {
  let request: Request | undefined;
  const program = buildProgram(write, (chosen) => {
    request = chosen;
  });
  if (words.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    request = pluginRequest(buildProgram(write), words);
    if (request === undefined) program.parse(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
  return request ?? 2;
}

function buildProgram(write: Write, choose: (request: Request) => void = () => undefined): Command {
  const program = new Command("bub")
    .description("An agent for your terminal. Its tools act on this machine, as you: it is not a sandbox.")
    .version(version, "-V, --version", "show the version")
    .configureHelp({ showGlobalOptions: true, helpWidth: 80 })
    .configureOutput({
      writeOut: (text) => write(1, text),
      writeErr: (text) => write(2, text),
      outputError: (text) =>
        write(
          2,
          `bub: ${text
            .replace(/^error: /, "")
            .trim()
            .replaceAll("\n", " ")}\n`,
        ),
    })
    .exitOverride();
  for (const option of globalOptions) program.addOption(optionOf(option));
  for (const spec of commands) addCommand(spec, program, (request) => choose({ ...request, options: program.opts() }));
  return program.addHelpText("after", `\nExample:\n  ${commands[0]?.example}`);
}

function addCommand(spec: CommandSpec, program: Command, choose: (request: Pick<Request, "work">) => void): void {
  const [name = "", group] = spec.name.split(" ").reverse();
  const parent = group === undefined ? program : groupOf(group, program, spec);
  const command = parent.command(name).description(spec.summary);
  command.addHelpText("after", `\nExample:\n  ${spec.example}`);
  if (spec.argument !== undefined) command.argument(spec.argument.name, spec.argument.help);
  for (const option of spec.options) command.addOption(optionOf(option));
  command.action(() => {
    const options = command.opts() as never;
    choose({ work: async (context) => (await spec.load())(command.args, options, context) });
  });
}

/** The group's first command makes it, and is its example. */
function groupOf(name: string, program: Command, first: CommandSpec): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = program.command(name).description(groups[name] ?? "");
  return group.addHelpText("after", `\nExample:\n  ${first.example}`);
}

function optionOf({ flags, help, default: value, repeats, counts }: OptionSpec): Option {
  const option = new Option(flags, help).default(value);
  if (repeats === true) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  if (counts === true) option.argParser(parseCount);
  return option;
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
}

/** A first word that is no command of ours may be one of a plugin. */
function pluginRequest(program: Command, words: readonly string[]): Request | undefined {
  const [name] = program.parseOptions([...words]).operands;
  const known = [...program.commands.map((command) => command.name()), "help"];
  if (name === undefined || known.includes(name)) return undefined;
  const rest = words.slice(words.indexOf(name) + 1);
  return {
    options: program.opts(),
    work: async (context) =>
      (await import("./commands/plugin-command.ts")).runPluginCommand(name, { words: rest, known }, context),
  };
}
