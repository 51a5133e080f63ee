// What can follow what is typed: text commands and their arguments, skills after `$`, files after `@` and for the shell.
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { untilAborted } from "../../base/abort.ts";
import { neutralise, toOneLine } from "../../base/terminal-text.ts";
import type { Suggestion, TypedWord } from "../../kernel/hooks.ts";
import type { Runtime } from "../../kernel/runtime.ts";
import { splitCommand } from "../../tools/command-line.ts";
import { createToolset } from "../../tools/toolset.ts";
import { argumentOf, argumentSuggestions } from "./argument-completion.ts";
import { pathSuggestions } from "./path-completion.ts";
import { isShellLine } from "./shell-line.ts";

const mostItems = 50;

/** Whoever completes waits no longer for a plugin (milliseconds); what comes later is there at the next Tab. */
const patienceMs = 2_000;

/** What was found, and the part of the text that it replaces. */
interface Found {
  readonly suggestions: readonly Suggestion[];
  readonly typed: string;
}

export function createCompletion(runtime: Runtime, sessionId: () => string): AutocompleteProvider {
  const { commandPrefix: prefix } = runtime.settings;
  const completion = new Completion(runtime, sessionId);
  return {
    triggerCharacters: [prefix, "@", "$"],
    async getSuggestions(lines, line, column, { signal, force = false }): Promise<AutocompleteSuggestions | null> {
      const before = (lines[line] ?? "").slice(0, column);
      const found = await completion.find(before, { isFirstLine: line === 0, isAsked: force, signal });
      return found === undefined ? null : shown(found, before.startsWith(prefix));
    },
    applyCompletion(
      lines,
      cursorLine,
      cursorCol,
      { value },
      typed,
    ): ReturnType<AutocompleteProvider["applyCompletion"]> {
      const line = lines[cursorLine] ?? "";
      const end = /[/=]$/.test(value) || /^\s/.test(line.slice(cursorCol)) ? "" : " ";
      const before = line.slice(0, cursorCol - typed.length) + value + end;
      const changed = lines.with(cursorLine, before + line.slice(cursorCol));
      return { lines: changed, cursorLine, cursorCol: before.length };
    },
  };
}

interface Place {
  readonly isFirstLine: boolean;
  /** By Tab. */
  readonly isAsked: boolean;
  readonly signal: AbortSignal;
}

class Completion {
  readonly #runtime: Runtime;
  readonly #sessionId: () => string;

  constructor(runtime: Runtime, sessionId: () => string) {
    this.#runtime = runtime;
    this.#sessionId = sessionId;
  }

  async find(before: string, { isFirstLine, isAsked, signal }: Place): Promise<Found | undefined> {
    const { commandPrefix: prefix } = this.#runtime.settings;
    if (isFirstLine && before.startsWith(prefix)) {
      if (!/\s/.test(before)) return { suggestions: this.#commands(), typed: before };
      const found = await this.#argument(before.slice(prefix.length), signal);
      if (found !== undefined) return found;
      return isAsked ? this.#path(lastWord(before)) : undefined;
    }
    if (isFirstLine && isShellLine(before)) return isAsked ? this.#path(lastWord(before).replace(/^!/, "")) : undefined;
    const [, mention] = /(?:^|[\s("'`])(@(?:"[^"]*|[^\s"']*))$/.exec(before) ?? [];
    if (mention !== undefined) return this.#path(mention, "@");
    const [, word] = /(?:^|[\s("'`])(\$[\w-]*)$/.exec(before) ?? [];
    if (word === undefined) return undefined;
    return { suggestions: await this.#ask({ kind: "word", text: word }, signal), typed: word };
  }

  #commands(): Suggestion[] {
    const { tools, settings } = this.#runtime;
    return createToolset(tools)
      .all.filter(({ tool }) => tool.exposure !== "code")
      .map(({ tool }) => ({ value: settings.commandPrefix + tool.name, description: tool.description }))
      .sort((one, other) => (one.value < other.value ? -1 : 1));
  }

  /** Undefined when the line is no tool's, and so one for the shell. */
  async #argument(line: string, signal: AbortSignal): Promise<Found | undefined> {
    const { name, rest } = splitCommand(line);
    const tool = createToolset(this.#runtime.tools).find(name, "command")?.tool;
    if (tool === undefined) return undefined;
    const argument = argumentOf(tool, rest);
    if (argument === undefined) return { suggestions: [], typed: "" };
    const { parameter } = argument;
    const text = argument.typed.slice(argument.typed.indexOf("=") + 1);
    const values =
      parameter === undefined ? [] : await this.#ask({ kind: "argument", command: name, parameter, text }, signal);
    const paths = parameter === "path" || parameter === "cwd" ? (await this.#path(text)).suggestions : [];
    return { suggestions: argumentSuggestions(tool, argument, [...values, ...paths]), typed: argument.typed };
  }

  async #path(typed: string, sign = ""): Promise<Found> {
    return { suggestions: await pathSuggestions(typed.slice(sign.length), this.#runtime.workspace, sign), typed };
  }

  async #ask(
    typed: { kind: "word"; text: string } | { kind: "argument"; command: string; parameter: string; text: string },
    signal: AbortSignal,
  ): Promise<Suggestion[]> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const word: TypedWord = { ...typed, sessionId: this.#sessionId() };
    const asked = this.#runtime.hooks.collect("suggestWords", word, this.#runtime, limit);
    const answers = await untilAborted(asked, limit).catch(() => []);
    return answers.flatMap(({ answer }) => answer);
  }
}

/** Those that fit, those that begin with what is typed first. */
function shown({ suggestions, typed }: Found, isCommand: boolean): AutocompleteSuggestions | null {
  // A word that is complete already is not in the way of Enter, which runs a command whatever is offered.
  if (!isCommand && suggestions.some(({ value }) => value === typed)) return null;
  const word = typed.toLowerCase();
  const begins = ({ value }: Suggestion) => value.toLowerCase().startsWith(word);
  // The sign before a word, or a parameter's name, is no part of what is looked for within.
  const inner = word.replace(/^(?:[\w.-]+=|[^\p{L}\p{N}]+)/u, "");
  const within = ({ value }: Suggestion) => inner.length > 1 && value.toLowerCase().includes(inner);
  const fitting = [...suggestions.filter(begins), ...suggestions.filter((item) => !begins(item) && within(item))];
  const items = fitting
    // What cannot be shown as it is could not be told from something else.
    .filter(({ value }) => toOneLine(value) === value)
    .slice(0, mostItems)
    .map(
      ({ value, description }): AutocompleteItem => ({
        value,
        label: value,
        ...(description !== undefined && { description: toOneLine(neutralise(description)) }),
      }),
    );
  return items.length === 0 ? null : { items, prefix: typed };
}

function lastWord(text: string): string {
  return /\S*$/.exec(text)?.[0] ?? "";
}
