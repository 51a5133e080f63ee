// Which answer of a script a request gets: read from the conversation, so that a resumed one goes on where it was.
import { isMediaPart, textOf } from "../../base/content.ts";
import type { ModelMessage } from "../model.ts";
import type { Script, ScriptedAnswer, ScriptedCondition } from "./script.ts";

/** What a request's conversation says about where it stands. */
export interface Standing {
  readonly firstUserText: string;
  readonly lastUserText: string;
  /** Texts of the tool results since the newest answer. */
  readonly results: readonly string[];
  /** Aliases of their tools. */
  readonly tools: readonly string[];
  /** Answers so far. */
  readonly answered: number;
  /** Model calls since the newest user message, this one included. */
  readonly step: number;
  /** The request holds images, audio or video: an error that speaks of them refuses them. */
  readonly sentMedia: boolean;
}

export function standingOf(messages: readonly ModelMessage[]): Standing {
  const users = messages.filter((message) => message.role === "user");
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(lastAnswer + 1).filter((message) => message.role === "tool");
  return {
    firstUserText: textOf(users[0]?.content ?? ""),
    lastUserText: textOf(users.at(-1)?.content ?? ""),
    results: results.map(({ content }) => textOf(content)),
    tools: results.map(({ name }) => name),
    answered: messages.filter(({ role }) => role === "assistant").length,
    step: messages.slice(lastUser + 1).filter(({ role }) => role === "assistant").length + 1,
    sentMedia: messages.some(({ content }) => typeof content === "object" && content.some(isMediaPart)),
  };
}

/**
 * Finds answers for one process. An answer that leaves no message behind (a fault without text) keeps its place in the
 * conversation: how often that place was asked in this process decides what comes next.
 */
export class AnswerFinder {
  readonly #script: Script;
  readonly #asked = new Map<string, number>();
  #requests = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  /** Undefined when the script has no answer left. */
  find(standing: Standing): ScriptedAnswer | undefined {
    const script = this.#script;
    const own = script.conversations.find(({ first }) => first.test(standing.firstUserText));
    const answers = own?.answers ?? script.answers;
    const fitting = answers.find(({ when }) => when !== undefined && holds(when, standing));
    if (fitting !== undefined) return fitting;
    const ordered = answers.filter(({ when }) => when === undefined);
    if (script.order === "requests") return this.#at(ordered, this.#requests++);
    const places = placesOf(ordered);
    const place = this.#at(places, standing.answered);
    return place?.[Math.min(this.#count(standing), place.length - 1)];
  }

  #at<Value>(list: readonly Value[], index: number): Value | undefined {
    if (index < list.length || this.#script.after === "error") return list[index];
    return this.#script.after === "repeat" ? list.at(-1) : list[index % list.length];
  }

  #count({ answered, firstUserText }: Standing): number {
    const key = `${answered} ${firstUserText}`;
    const count = this.#asked.get(key) ?? 0;
    this.#asked.set(key, count + 1);
    return count;
  }
}

/** Groups answers by the message that they leave: those that leave none stand before the next that does. */
function placesOf(answers: readonly ScriptedAnswer[]): readonly (readonly ScriptedAnswer[])[] {
  const places: ScriptedAnswer[][] = [];
  let open: ScriptedAnswer[] = [];
  for (const answer of answers) {
    open.push(answer);
    if (!leavesMessage(answer)) continue;
    places.push(open);
    open = [];
  }
  return open.length > 0 ? [...places, open] : places;
}

function leavesMessage({ text = [], calls = [], fault }: ScriptedAnswer): boolean {
  const hasText = text.some((piece) => piece.text.trim() !== "");
  return hasText || (calls.length > 0 && fault === undefined);
}

function holds({ user, result, tool, step }: ScriptedCondition, standing: Standing): boolean {
  if (user !== undefined && !user.test(standing.lastUserText)) return false;
  if (result !== undefined && !standing.results.some((text) => result.test(text))) return false;
  if (tool !== undefined && !standing.tools.includes(aliasOf(tool))) return false;
  return step === undefined || step === standing.step;
}

/** The model's name for a tool. */
export function aliasOf(tool: string): string {
  return tool.replaceAll(".", "_");
}
