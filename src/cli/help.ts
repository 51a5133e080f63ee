// The texts of `--help`, at most 80 columns wide.
import {
  type CommandSpec,
  commands,
  globalOptions,
  groups,
  helpOption,
  type OptionSpec,
  versionOption,
} from "./command-table.ts";

const width = 80;

/** @param name of a command or a group; empty for everything */
export function renderHelp(name: string): string {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return commandHelp(command);
  return name === "" ? wholeHelp() : groupHelp(name);
}

function wholeHelp(): string {
  const first = commands.filter((command) => !command.name.includes(" ")).map(({ name, summary }) => [name, summary]);
  const others = Object.entries(groups).filter(([name]) => !first.some(([own]) => own === name));
  const grouped = others.map(([name, summary]) => [`${name} …`, summary]);
  return page([
    ["Usage: bub [options] <command>"],
    wrapped("An agent for your terminal. Its tools act on this machine, as you: it is not a sandbox.", width),
    ["Commands:", ...columns([...first, ...grouped])],
    ["Options:", ...optionLines([...globalOptions, helpOption, versionOption])],
    ["Plugins may bring further commands. bub <command> --help tells more about each."],
    example(commands[0]?.example),
  ]);
}

function groupHelp(group: string): string {
  return page([
    [`Usage: bub ${group} <command>`],
    wrapped(groups[group] ?? "", width),
    ...memberLines(group),
    example(commands.find(({ name }) => name.startsWith(`${group} `))?.example),
  ]);
}

/** The commands of a group; nothing for a name that is none. */
function memberLines(group: string): string[][] {
  const members = commands.filter(({ name }) => name.startsWith(`${group} `));
  if (members.length === 0) return [];
  return [["Commands:", ...columns(members.map(({ name, summary }) => [name, summary]))]];
}

function commandHelp({ name, summary, argument, options, example: shown }: CommandSpec): string {
  const words = argument === undefined ? "" : ` ${argument.usage ?? `[${argument.name} …]`}`;
  return page([
    [`Usage: bub ${name} [options]${words}`],
    wrapped(summary, width),
    ...memberLines(name),
    ...(argument === undefined ? [] : [["Words:", ...columns([[argument.name, argument.help]])]]),
    ["Options:", ...optionLines([...options, helpOption])],
    ["Options of every command:", ...optionLines(globalOptions)],
    example(shown),
  ]);
}

function page(paragraphs: readonly (readonly string[])[]): string {
  return `${paragraphs.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function example(command = ""): string[] {
  return ["Example:", `  ${command}`];
}

function optionLines(options: readonly OptionSpec[]): string[] {
  return columns(
    options.map(({ name, short, value, optional, help, default: initial }) => {
      const flags = `${short === undefined ? "    " : `-${short}, `}--${name}`;
      return [
        value === undefined ? flags : `${flags} ${optional === true ? `[${value}]` : `<${value}>`}`,
        initial === undefined ? help : `${help} (default: ${initial})`,
      ];
    }),
  );
}

/** Two columns, the second one wrapped. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const left = Math.max(...rows.map(([cell = ""]) => cell.length)) + 4;
  return rows.flatMap(([cell = "", text = ""]) =>
    wrapped(text, width - left).map((line, index) => `${(index === 0 ? `  ${cell}` : "").padEnd(left)}${line}`),
  );
}

function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + word.length + 1 > columns) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
