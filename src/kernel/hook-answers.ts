// What plugins may answer to hooks: code that no compiler has seen answers anything.
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { HookName } from "./hooks.ts";

interface Shape {
  /** Completes "answers X instead of …". */
  readonly wanted: string;
  readonly fits: (answer: unknown) => boolean;
}

const text = { wanted: "a text", fits: (answer: unknown) => typeof answer === "string" };

/** An object whose members are of these types. */
function withMembers(
  wanted: string,
  members: Readonly<Record<string, "string" | "boolean" | "object" | "function">>,
): Shape {
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

const tools = listOf(
  withMembers("tools made by defineTool()", {
    name: "string",
    alias: "string",
    validate: "function",
    run: "function",
    render: "function",
  }),
);

function oneOf(...choices: readonly unknown[]): Shape {
  const wanted = choices.map((choice) => (typeof choice === "string" ? `"${choice}"` : String(choice))).join(" or ");
  return { wanted, fits: (answer) => choices.includes(answer) };
}

/** An object that says by one of its members what it is. */
function tagged(wanted: string, tag: string, ...values: readonly string[]): Shape {
  return { wanted, fits: (answer) => isJsonObject(answer) && values.includes(String(answer[tag])) };
}

const prompt = tagged('a prompt with kind "message" or "command"', "kind", "message", "command");

const closable = {
  wanted: "an object with [Symbol.asyncDispose]",
  fits: (answer: unknown) => typeof (answer as Partial<AsyncDisposable> | null)?.[Symbol.asyncDispose] === "function",
};

const shapes: Partial<Record<HookName, Shape>> = {
  resolveSession: text,
  loadState: withMembers("an object of slots", {}),
  buildPrompt: prompt,
  prepareMessage: {
    wanted: "a text or a list of parts",
    fits: (answer) => typeof answer === "string" || Array.isArray(answer),
  },
  runModel: {
    wanted: "an async iterable of events",
    fits: (answer) => typeof (answer as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === "function",
  },
  continueRun: {
    wanted: 'a prompt or "outstanding"',
    fits: (answer) => answer === "outstanding" || prompt.fits(answer),
  },
  renderOutbound: listOf(withMembers("messages with kind and text", { kind: "string", text: "string" })),
  dispatchOutbound: oneOf(true),
  prepareTools: tools,
  provideEnvironment: { ...closable, wanted: "an environment" },
  provideTapeStore: withMembers("a storage of tapes, leases and inboxes", {
    tapes: "object",
    leases: "object",
    inboxes: "object",
  }),
  selectContext: {
    wanted: "an object with anchor",
    fits: (answer) => isJsonObject(answer) && answer.anchor !== undefined,
  },
  buildTapeContext: listOf(withMembers("messages with a role", { role: "string" })),
  admitMessage: oneOf("steer", "follow_up", "drop", "now", "quit"),
  beforeModelCall: withMembers("a request with messages", { messages: "object" }),
  beforeToolCall: tagged("a verdict with an action", "action", "proceed", "replace", "deny", "ask"),
  afterToolCall: withMembers("an outcome with ok", { ok: "boolean" }),
  spillResult: withMembers("an outcome with text", { text: "string" }),
  systemPrompt: text,
  provideTools: tools,
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
  lifespan: closable,
};

/** Undefined where the answer fits its hook; no answer does. */
export function misfitOf(hook: HookName, answer: unknown): string | undefined {
  const shape = shapes[hook];
  if (answer === undefined || shape === undefined || shape.fits(answer)) return undefined;
  return `it answers ${nameOf(answer)} instead of ${shape.wanted}`;
}

function nameOf(answer: unknown): string {
  if (answer === null || typeof answer === "boolean") return String(answer);
  if (Array.isArray(answer)) return "a list of something else";
  if (answer instanceof Promise) return "a promise";
  if (isJsonObject(answer)) return "an object";
  return `a ${typeof answer}`;
}
