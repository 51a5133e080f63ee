// What a plugin is given for its part of the first set-up: questions to a person, and a place for the answers.
import type { JsonValue } from "../base/json.ts";

/** One question. */
export interface Question {
  /** Lower-case words joined by `-`, of the plugin's own: `--answer NAME=VALUE` answers it. */
  readonly name: string;
  /** What the person reads, one line. */
  readonly message: string;
  /** Answered by Enter, and where nobody can be asked. */
  readonly initial?: string;
  /** A sentence on what is wrong with an answer; undefined takes it. */
  readonly check?: (answer: string) => string | undefined;
}

export interface Choice {
  readonly value: string;
  /** Default: the value. */
  readonly label?: string;
  readonly hint?: string;
}

export interface ChoiceQuestion extends Question {
  /** Asked for when a person is to choose: it may take long and ask the network. */
  readonly choices: () => Promise<readonly Choice[]> | readonly Choice[];
  /** An answer may be one that is none of the choices. */
  readonly allowsOther?: boolean;
}

export interface SecretQuestion extends Omit<Question, "initial"> {
  /** An empty answer is one: there is a secret already, or none is needed. */
  readonly isOptional?: boolean;
}

/**
 * The first set-up, for one plugin's part of it. Questions reject with the reason when the person leaves: let that pass, then
 * nothing is written. What is set is written when everybody has been asked.
 */
export interface Onboarding {
  /** False: answers come from options of the command, or are what `initial` says; without one the question rejects. */
  readonly isInteractive: boolean;
  /** False: nothing is to be tried out, such as a first call. */
  readonly tries: boolean;
  /** Aborts when the person leaves. */
  readonly signal: AbortSignal;
  /** Answers the value of one of the choices, or what was typed where others are allowed. */
  choose(question: ChoiceQuestion): Promise<string>;
  text(question: Question): Promise<string>;
  /** Never shown; an empty text when it was left out. */
  secret(question: SecretQuestion): Promise<string>;
  /** A line for the person, between questions. */
  say(sentence: string): void;
  /** Shows that something takes its time. */
  during<Value>(what: string, work: Promise<Value>): Promise<Value>;
  /** What config.yml says there now; undefined for nothing. */
  current(path: readonly string[]): JsonValue | undefined;
  /** Sets a value of config.yml: the plugin's own section is `plugin_settings.<name>`. Everything else in the file stays. */
  set(path: readonly string[], value: JsonValue): void;
}
