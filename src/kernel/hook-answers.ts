// What plugins may answer to the hooks that are collected: code that no compiler has seen answers anything.
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { HookName, HooksOf } from "./hooks.ts";

interface Shape {
  /** Completes "answers X instead of …". */
  readonly wanted: string;
  readonly fits: (answer: unknown) => boolean;
}

const text = { wanted: "a text", fits: (answer: unknown) => typeof answer === "string" };

/** An object whose members are of these types. */
function withMembers(wanted: string, members: Readonly<Record<string, "string" | "function">>): Shape {
  const fits = (answer: unknown) =>
    typeof answer === "object" &&
    answer !== null &&
    Object.entries(members).every(([name, type]) => typeof (answer as Record<string, unknown>)[name] === type);
  return { wanted, fits };
}

function listOf({ wanted, fits }: Shape): Shape {
  return { wanted: `a list of ${wanted}`, fits: (answer) => Array.isArray(answer) && answer.every(fits) };
}

const texts = listOf({ ...text, wanted: "texts" });

const section = {
  fits({ title, facts, findings }: JsonObject): boolean {
    const [lines, sentences] = [
      withMembers("", { name: "string", value: "string" }),
      withMembers("", { sentence: "string" }),
    ];
    return typeof title === "string" && listOf(lines).fits(facts) && listOf(sentences).fits(findings);
  },
};

const shapes: Partial<Record<HookName, Shape>> = {
  systemPrompt: text,
  provideTools: listOf(
    withMembers("tools made by defineTool()", {
      name: "string",
      alias: "string",
      validate: "function",
      run: "function",
      render: "function",
    }),
  ),
  provideTapeSidecar: withMembers("an object with a name", { name: "string" }),
  provideChannels: listOf(withMembers("objects with a name", { name: "string" })),
  provideSkills: listOf(withMembers("objects with a directory", { directory: "string" })),
  provideProfiles: listOf(withMembers("objects with name and file", { name: "string", file: "string" })),
  provideModels: listOf(withMembers("objects with provider and create", { provider: "string", create: "function" })),
  suggestWords: listOf(withMembers("objects with a value", { value: "string" })),
  diagnose: {
    wanted: "a list of texts, or a section with title, facts and findings",
    fits: (answer) => texts.fits(answer) || (isJsonObject(answer) && section.fits(answer)),
  },
  lifespan: {
    wanted: "an object with [Symbol.asyncDispose]",
    fits: (answer) => typeof (answer as Partial<AsyncDisposable> | null)?.[Symbol.asyncDispose] === "function",
  },
};

/** Undefined where the answer fits its hook; no answer does. */
export function misfitOf(hook: HooksOf<"collect">, answer: unknown): string | undefined {
  const shape = shapes[hook];
  if (answer === undefined || shape === undefined || shape.fits(answer)) return undefined;
  return `it answers ${nameOf(answer)} instead of ${shape.wanted}`;
}

function nameOf(answer: unknown): string {
  if (answer === null) return "null";
  if (Array.isArray(answer)) return "a list of something else";
  if (answer instanceof Promise || isJsonObject(answer)) return "an object";
  return `a ${typeof answer}`;
}
