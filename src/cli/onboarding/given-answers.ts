// The first set-up without questions: every answer comes from the options of the command, or is what it would be by itself.
import type { JsonValue } from "../../base/json.ts";
import type { ConfigChange } from "../../kernel/config-file.ts";
import type { ChoiceQuestion, Onboarding, Question, SecretQuestion } from "../../kernel/onboarding.ts";
import { UsageError } from "../command-context.ts";

export interface SetUp {
  readonly signal: AbortSignal;
  /** False: nothing is tried out. */
  readonly tries: boolean;
  /** What config.yml holds. */
  readonly config: Readonly<Record<string, JsonValue | undefined>>;
  /** Takes a line for the person. */
  readonly say: (sentence: string) => void;
}

/** What the options say, by the names of questions. */
export interface Answers {
  readonly texts: ReadonlyMap<string, string>;
  readonly key: string | undefined;
}

/** What was set, for whoever writes it; the last part of it can be taken back. */
export class Changes {
  readonly list: ConfigChange[] = [];

  /** Forgets everything from that many on. */
  backTo(length: number): void {
    this.list.length = length;
  }
}

/** Its questions reject with UsageError where no option answers them, or with an answer that cannot be. */
export function createGivenAnswers(answers: Answers, changes: Changes, setUp: SetUp): Onboarding {
  const { signal, tries, config, say } = setUp;
  return {
    isInteractive: false,
    tries,
    signal,
    choose: async (question) => (await chosenAnswer(question, answers)) ?? chooseAlone(question),
    text: async (question) => givenAnswer(question, answers) ?? initialAnswer(question),
    secret: async (question) => secretOf(question, answers),
    say,
    during: (_what, work) => work,
    current: (path) => valueAt(config, path),
    set: (path, value) => void changes.list.push({ path, value }),
  };
}

/** The answer that an option gives; undefined where none does. @throws UsageError for one that cannot be */
export function givenAnswer({ name, check }: Question, { texts }: Answers): string | undefined {
  const given = texts.get(name);
  const problem = given === undefined ? undefined : check?.(given);
  if (problem !== undefined) throw new UsageError(`${optionOf(name)} cannot be '${given}': ${problem}`);
  return given;
}

/** As `givenAnswer`. One that need not be on the list is taken without looking at it: that may ask the network. */
export async function chosenAnswer(question: ChoiceQuestion, answers: Answers): Promise<string | undefined> {
  const given = givenAnswer(question, answers);
  if (given === undefined || question.allowsOther === true) return given;
  const values = (await question.choices()).map(({ value }) => value);
  if (values.includes(given)) return given;
  throw new UsageError(`${optionOf(question.name)} is '${given}', but must be one of: ${values.join(", ")}.`);
}

/** The value of config.yml at a path. */
export function valueAt(config: SetUp["config"], path: readonly string[]): JsonValue | undefined {
  let value: unknown = config;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  return value as JsonValue | undefined;
}

/** The only choice there is needs no option. */
async function chooseAlone(question: ChoiceQuestion): Promise<string> {
  if (question.initial !== undefined) return question.initial;
  const [only, ...others] = await question.choices();
  return only !== undefined && others.length === 0 ? only.value : initialAnswer(question);
}

function initialAnswer({ name, message, initial, check }: Question): string {
  const problem = initial === undefined ? message : check?.(initial);
  if (initial === undefined || problem !== undefined)
    throw new UsageError(`bub onboard needs ${optionOf(name)}: ${problem}`);
  return initial;
}

function secretOf({ name, message, isOptional = false, check }: SecretQuestion, { key }: Answers): string {
  const given = name === "key" ? key : undefined;
  if (given === undefined && isOptional) return "";
  if (given === undefined) {
    const how = name === "key" ? "--key-from-env NAME or --key-stdin" : "a terminal to ask for a secret";
    throw new UsageError(`bub onboard needs ${how}: ${message}`);
  }
  const problem = check?.(given);
  if (problem !== undefined) throw new UsageError(`the key cannot be used: ${problem}`);
  return given;
}

function optionOf(name: string): string {
  return ["provider", "model", "api-base", "provider-name"].includes(name) ? `--${name}` : `--answer ${name}=…`;
}
