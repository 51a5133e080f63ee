// Reads the words of a command line by the table of commands, and says what is wrong with them and what was probably meant.
import { nearestName } from "../base/near.ts";
import { didYouMean, type GlobalOptions, UsageError } from "./command-context.ts";
import {
  type CommandSpec,
  commands,
  globalOptions,
  groups,
  helpOption,
  type OptionSpec,
  versionOption,
} from "./command-table.ts";

/** What a command line asks for. */
export type Request =
  | {
      readonly kind: "command";
      readonly command: CommandSpec;
      readonly words: readonly string[];
      readonly options: OptionValues;
      readonly globals: GlobalOptions;
    }
  /** The first word is no command of ours: it may be one of a plugin, which reads its own words. */
  | {
      readonly kind: "plugin";
      readonly name: string;
      readonly words: readonly string[];
      readonly globals: GlobalOptions;
    }
  /** `of` is the name of a command or a group, or empty for all. */
  | { readonly kind: "help"; readonly of: string }
  | { readonly kind: "version" };

/** One that there is something to do for. */
export type WorkRequest = Extract<Request, { kind: "command" | "plugin" }>;

export type OptionValue = string | number | boolean | readonly string[];
/** By camelCase name; what was not given and has no default is absent. */
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** @throws UsageError in one sentence */
export function parseCommandLine(line: readonly string[]): Request {
  const before = parseOptions(line, [...globalOptions, helpOption, versionOption], { untilWord: true });
  const [first, ...rest] = before.words;
  if (before.options.version === true) return { kind: "version" };
  if (before.options.help === true || first === undefined) return { kind: "help", of: "" };
  if (first === "help") return { kind: "help", of: knownName(rest) };
  const command = commandOf(first, rest);
  if (command === undefined) return { kind: "plugin", name: first, words: rest, globals: globalsOf(before.options) };
  if (typeof command === "string") return { kind: "help", of: command };
  const after = parseOptions(rest.slice(command.name.split(" ").length - 1), [
    ...command.options,
    ...globalOptions,
    helpOption,
  ]);
  if (after.options.help === true) return { kind: "help", of: command.name };
  checkWords(command, after.words);
  const options = { ...defaultsOf(command.options), ...after.options };
  return {
    kind: "command",
    command,
    words: after.words,
    options,
    globals: globalsOf({ ...before.options, ...after.options }),
  };
}

function checkWords({ name, argument }: CommandSpec, words: readonly string[]): void {
  const { fewest = 0, most = Infinity, usage = "", names } = argument ?? { most: 0 };
  const further = words[most];
  if (words.length < fewest) throw new UsageError(`bub ${name} needs ${usage}: bub ${name} ${usage}`);
  if (names === true && words.some((word) => word.trim() === ""))
    throw new UsageError(`bub ${name} got an empty word, most likely a variable that is not set: bub ${name} ${usage}`);
  if (further === undefined) return;
  const what = most === 0 ? "no further words" : `no more than ${usage}`;
  throw new UsageError(`bub ${name} takes ${what}, such as '${further}'.`);
}

/** The names that a first word may have. */
export function commandNames(): string[] {
  return [...new Set([...commands.map(({ name }) => name.split(" ")[0] ?? ""), "help"])];
}

/** The command; a group's name when its help is asked for; undefined for a word of nobody. */
function commandOf(first: string, [second]: readonly string[]): CommandSpec | string | undefined {
  const own = commands.find(({ name }) => name === first);
  if (!Object.hasOwn(groups, first)) return own;
  if (own !== undefined && (second === undefined || isOption(second))) return own;
  const members = commands.filter(({ name }) => name.startsWith(`${first} `));
  const found = members.find(({ name }) => name === `${first} ${second}`);
  if (found !== undefined) return found;
  if (second === "--help" || second === "-h") return first;
  const names = members.map(({ name }) => name.slice(first.length + 1));
  if (second === undefined) throw new UsageError(`bub ${first} needs one of: ${names.join(", ")}.`);
  throw new UsageError(`unknown command '${first} ${second}'${didYouMean(nearestName(second, names))}`);
}

function knownName(words: readonly string[]): string {
  const name = words.join(" ");
  if (name === "" || Object.hasOwn(groups, name) || commands.some((command) => command.name === name)) return name;
  throw new UsageError(`unknown command '${name}'${didYouMean(nearestName(name, commandNames()))}`);
}

interface Parsed {
  words: string[];
  options: Record<string, OptionValue>;
}

/** @param how.untilWord stops at the first word that is no option, and takes everything from there as words */
function parseOptions(line: readonly string[], known: readonly OptionSpec[], { untilWord = false } = {}): Parsed {
  const parsed: Parsed = { words: [], options: {} };
  const waiting = [...line];
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === "--") {
      parsed.words.push(...waiting);
      break;
    }
    if (!isOption(word)) {
      parsed.words.push(word);
      if (!untilWord) continue;
      parsed.words.push(...waiting);
      break;
    }
    const { option, inline } = findOption(word, known);
    const value = option.value === undefined ? switchValue(option, inline) : takeValue(option, inline, waiting);
    const key = camelCase(option.name);
    const given = parsed.options[key];
    parsed.options[key] = option.repeats === true ? [...(Array.isArray(given) ? given : []), String(value)] : value;
  }
  return parsed;
}

/** `-` alone is a word, and so is text that only begins with a hyphen: "- buy milk". */
function isOption(word: string): boolean {
  if (!word.startsWith("-") || /^-\S*\s/.test(word.split("=")[0] ?? "")) return false;
  // Making a pattern of \p takes longer than all else here.
  return /^--?[a-z\d]/i.test(word) || /^--?\p{L}/u.test(word);
}

function findOption(word: string, known: readonly OptionSpec[]): { option: OptionSpec; inline: string | undefined } {
  const isLong = word.startsWith("--");
  const equals = word.indexOf("=");
  const name = isLong ? word.slice(2, equals === -1 ? undefined : equals) : word.slice(1, 2);
  const option = known.find((candidate) => (isLong ? candidate.name : candidate.short) === name);
  if (option === undefined) {
    const near = isLong
      ? nearestName(
          name,
          known.map((candidate) => candidate.name),
        )
      : undefined;
    throw new UsageError(`unknown option '${isLong ? `--${name}` : word}'${didYouMean(near && `--${near}`)}`);
  }
  if (isLong) return { option, inline: equals === -1 ? undefined : word.slice(equals + 1) };
  return { option, inline: word.length > 2 ? word.slice(2) : undefined };
}

function switchValue({ name }: OptionSpec, inline: string | undefined): true {
  if (inline === undefined) return true;
  throw new UsageError(`the option --${name} takes no value.`);
}

function takeValue(option: OptionSpec, inline: string | undefined, waiting: string[]): string | number | true {
  const text = inline ?? nextValue(waiting);
  return text === undefined && option.optional === true ? true : readValue(option, text);
}

/** A forgotten value shall not swallow the next option. */
function nextValue(waiting: string[]): string | undefined {
  return waiting[0]?.startsWith("--") ? undefined : waiting.shift();
}

function readValue({ name, value, counts }: OptionSpec, text: string | undefined): string | number {
  // An empty value is most likely a variable that is not set.
  if (text === undefined || text.trim() === "")
    throw new UsageError(`the option --${name} needs a value: --${name} <${value}>`);
  if (counts !== true) return text;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`the option --${name} needs a whole number from 0, not '${text}'.`);
  return Number(text);
}

function globalsOf(options: Record<string, OptionValue>): GlobalOptions {
  const given = globalOptions
    .map(({ name }) => camelCase(name))
    .flatMap((key) => (key in options ? [[key, options[key]]] : []));
  return { ...defaultsOf(globalOptions), ...Object.fromEntries(given) } as unknown as GlobalOptions;
}

function defaultsOf(options: readonly OptionSpec[]): Record<string, OptionValue> {
  return Object.fromEntries(
    options.flatMap((option) => (option.default === undefined ? [] : [[camelCase(option.name), option.default]])),
  );
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
