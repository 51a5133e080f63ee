// The first set-up on a terminal: questions by @clack/prompts, which is loaded for them alone.
import { CancelledError } from "../../base/abort.ts";
import { StatusLine } from "../../base/status-line.ts";
import { cutToWidth, neutralise, toOneLine, widthOf } from "../../base/terminal-text.ts";
import type { StreamOutput } from "../../base/text-output.ts";
import type { Choice, ChoiceQuestion, Onboarding } from "../../kernel/onboarding.ts";
import { wrapWords } from "../wrapped-text.ts";
import { type Answers, type Changes, chosenAnswer, givenAnswer, type SetUp, valueAt } from "./given-answers.ts";

type Prompts = typeof import("@clack/prompts");

/** Lists up to this long are shown whole; longer ones are searched by typing. */
const shortList = 9;

/** Its questions reject with CancelledError when the person leaves; what options answer is not asked. */
export async function createTerminalQuestions(
  answers: Answers,
  changes: Changes,
  { output, ...setUp }: SetUp & { output: StreamOutput },
): Promise<Onboarding> {
  const prompts = await import("@clack/prompts");
  // The end of input is no answer; a bare Escape is, and so the line after a pasted one would be.
  prompts.updateSettings({ aliases: { "\x04": "cancel" } });
  const { signal, tries, config } = setUp;
  const say = (sentence: string) => {
    const lines = wrapWords(neutralise(sentence), output.columns - 3);
    output.write([prompts.S_BAR, ...lines.map((line) => `${prompts.S_BAR}  ${line}`), ""].join("\n"));
  };
  // Not all of them wrap what they ask.
  const wrapped = (message: string) => wrapWords(toOneLine(message), output.columns - 4).join(`\n${prompts.S_BAR}  `);
  const ask = async <Value>(question: (signal: AbortSignal) => Promise<Value | symbol>): Promise<Value> => {
    signal.throwIfAborted();
    const answer = await question(signal);
    signal.throwIfAborted();
    if (typeof answer === "symbol" || prompts.isCancel(answer)) throw new CancelledError();
    return answer as Value;
  };
  return {
    isInteractive: true,
    tries,
    signal,
    async choose(question) {
      const given = await chosenAnswer(question, answers);
      if (given !== undefined) return given;
      const choices = await question.choices();
      const message = wrapped(question.message);
      return ask((signal) =>
        askChoice(prompts, { ...question, message, choices }, { signal, columns: output.columns }),
      );
    },
    async text(question) {
      const { message, initial, check } = question;
      const given = givenAnswer(question, answers);
      if (given !== undefined) return given;
      const options = { message: wrapped(message), initialValue: initial, validate: checked(check) };
      return ask<string>((signal) => prompts.text({ ...options, signal }));
    },
    secret: ({ message, isOptional = false, check }) =>
      ask<string | undefined>((signal) =>
        prompts.password({
          message: wrapped(message),
          validate: checked(required(isOptional, check)),
          signal,
          mask: "*",
        }),
      ).then((answer) => answer ?? ""),
    say,
    async during(what, work) {
      using status = new StatusLine(output);
      status.show(what);
      return await work;
    },
    current: (path) => valueAt(config, path),
    set: (path, value) => void changes.list.push({ path, value }),
  };
}

interface Shown {
  readonly signal: AbortSignal;
  readonly columns: number;
}

type ResolvedQuestion = Omit<ChoiceQuestion, "choices"> & { readonly choices: readonly Choice[] };

function askChoice(prompts: Prompts, question: ResolvedQuestion, { signal, columns }: Shown): Promise<string | symbol> {
  const { message, initial, check, allowsOther = false } = question;
  const isThere = initial === undefined || question.choices.some(({ value }) => value === initial);
  const choices = isThere ? question.choices : [{ value: initial }, ...question.choices];
  if (question.choices.length === 0 && allowsOther)
    return prompts.text({ message, initialValue: initial, validate: checked(check), signal });
  const options = choices.map((choice) => optionOf(choice, columns - 6));
  if (!allowsOther && options.length <= shortList)
    return prompts.select({ message: message.replace(/\n\S* {2}/g, " "), options, initialValue: initial, signal });
  const found = initial === undefined ? undefined : options.find(({ value }) => value === initial);
  return prompts.autocomplete({
    message,
    // What was there before stands first.
    options() {
      const typed = toOneLine(this.userInput);
      const rest = options.filter((option) => option !== found);
      const all = found === undefined ? rest : [found, ...rest];
      const fitting = all.filter((option) => isFound(typed, option));
      const isOther = allowsOther && typed !== "" && !options.some(({ value }) => value === typed);
      return isOther
        ? [...fitting, { value: typed, label: cutToWidth(typed, columns - 20), hint: "as typed" }]
        : fitting;
    },
    filter: () => true,
    maxItems: 8,
    placeholder: "type to search",
    validate: checked((answer) => (answer === "" ? "Nothing like that is there." : check?.(answer))) as never,
    signal,
  });
}

function optionOf(
  { value, label = value, hint }: Choice,
  columns: number,
): { value: string; label: string; hint?: string } {
  const shown = cutToWidth(toOneLine(label), columns);
  const room = columns - widthOf(shown) - 3;
  return hint === undefined || room < 8
    ? { value, label: shown }
    : { value, label: shown, hint: cutToWidth(toOneLine(hint), room) };
}

function isFound(typed: string, { value, label }: { value: string; label: string }): boolean {
  const words = typed.toLowerCase().split(" ");
  const text = `${value} ${label}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function checked(
  check: ((answer: string) => string | undefined) | undefined,
): (answer: string | undefined) => string | undefined {
  return (answer) => check?.(answer ?? "");
}

function required(isOptional: boolean, check: ((answer: string) => string | undefined) | undefined) {
  return (answer: string) => (!isOptional && answer.trim() === "" ? "It is needed." : check?.(answer));
}
