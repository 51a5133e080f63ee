// Every point that a plugin can take part in: its signature, its contract, and how several answers combine.
import type { Content } from "../base/content.ts";
import type { StepStatus, StreamEvent, Usage } from "../base/events.ts";
import type { Environment } from "../environment/environment.ts";
import type { Model, ModelMessage, ModelRequest } from "../model/model.ts";
import type { TapeEntry } from "../tape/entry.ts";
import type { TapeStorage } from "../tape/store.ts";
import type { CheckedCall, Outcome, ToolCall, Verdict } from "../tools/interception.ts";
import type { ToolOutcome } from "../tools/outcome.ts";
import type { Tool } from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { Channel } from "./channel.ts";
import type { CommandRegistry } from "./command-registry.ts";
import type { Diagnosis, DiagnosisRequest } from "./diagnosis.ts";
import type { Inbound, Outbound, Prompt } from "./envelope.ts";
import type { Onboarding } from "./onboarding.ts";
import type { Runtime } from "./runtime.ts";
import type { Turn, TurnState } from "./turn-state.ts";

/**
 * How a hook's answers combine. *first*: newest plugin first, the first answer that is not undefined wins.
 * *collect*: all answers, in order of registration. *merge*: objects, later plugins overwrite keys. *chain*: newest
 * first, builtins last, each sees what the one before made. *notify*: observers; a failure is logged.
 */
export type HookKind = "first" | "collect" | "merge" | "chain" | "notify";

type Awaitable<Value> = Value | Promise<Value>;

/** How a turn went, for `saveState` and `renderOutbound`. */
export interface TurnOutcome {
  readonly status: StepStatus;
  /** The answer; empty when there is none. */
  readonly text: string;
  /** One plain sentence, when the turn failed. */
  readonly error?: string;
}

export interface ModelResponse {
  readonly text: string;
  readonly usage?: Usage;
  readonly status: StepStatus;
}

/** Where a context starts: after the last anchor, after a named one, or at the beginning (null). */
export interface ContextSelection {
  readonly anchor: "last" | null | { readonly name: string };
}

/**
 * What happens to a message during a run: *steer* puts it into the run, *follow_up* gives it the next turn, *drop*
 * forgets it, *now* runs it beside the run at once, *quit* too and also ends a run of another process.
 */
export type Admission = "steer" | "follow_up" | "drop" | "now" | "quit";

/** A skill that a plugin brings: a directory with a SKILL.md. */
export interface SkillSource {
  readonly directory: string;
}

/** A subagent profile that a plugin brings. */
export interface ProfileSource {
  readonly name: string;
  readonly file: string;
}

/** A sibling tape that goes wherever its tape goes. */
export interface SidecarDefinition {
  readonly name: string;
}

/** Makes models of one provider, or of any. */
export interface ModelProvider {
  /** The part of `provider:model` before the colon; `*` is asked about those that no plugin names. */
  readonly provider: string;
  /** Undefined: not mine after all, ask the next. @throws BubError `config` in one sentence that says what to set */
  create(modelId: string, runtime: Runtime, provider: string): Awaitable<Model | undefined>;
  /** Ids of its models, for `bub doctor` and `,model` to offer; of `*`, whole names `provider:model`. May ask the network. */
  list?(runtime: Runtime, signal: AbortSignal): Promise<readonly string[]>;
}

/** What a person is typing, as far as it is typed: a word of a message, or the value of a text command's argument. */
export type TypedWord =
  | { readonly kind: "word"; readonly text: string; readonly sessionId: string }
  | {
      readonly kind: "argument";
      /** The command's name without the prefix. */
      readonly command: string;
      readonly parameter: string;
      readonly text: string;
      readonly sessionId: string;
    };

/** What a typed word may become. */
export interface Suggestion {
  readonly value: string;
  readonly description?: string;
}

export interface Hooks {
  /** Names the conversation of a message. Asked before anything else of a turn. */
  resolveSession(inbound: Inbound, runtime: Runtime): Awaitable<string | undefined>;
  /** Gives slots of the turn's state. Asked once the session's tape is open. */
  loadState(turn: Turn): Awaitable<Partial<TurnState>>;
  /** Makes the prompt of a message: its text decorated, or a command. */
  buildPrompt(inbound: Inbound, turn: Turn): Awaitable<Prompt | undefined>;
  /**
   * Changes a message before it is written down: the prompt of a turn after `buildPrompt`, a subagent's prompt, and what
   * is said into a run. Commands, notifications and tool results never come here. Asked once a message.
   */
  prepareMessage(content: Content, turn: Turn): Awaitable<Content | undefined>;
  /** Answers a prompt by a stream of events; its failures are events of it. */
  runModel(prompt: Prompt, turn: Turn): AsyncIterable<StreamEvent> | undefined;
  /** Offers more work when a step ends without calls: a prompt, "outstanding" while an answer will come, undefined to let the run end. Never waits. */
  continueRun(turn: Turn): Awaitable<Prompt | "outstanding" | undefined>;
  /** Told when a turn is over, however it went; the lease is still held. After a cancel nobody waits for it longer than a second. */
  saveState(turn: Turn, outcome: TurnOutcome): Awaitable<void>;
  /** Makes the messages that answer a turn. */
  renderOutbound(outcome: TurnOutcome, turn: Turn): Awaitable<readonly Outbound[] | undefined>;
  /** Delivers a message; true says that it is taken care of. */
  dispatchOutbound(outbound: Outbound, runtime: Runtime): Awaitable<true | undefined>;
  /** A block of the system prompt: the same text until its source changes, no time, no counters. Asked once a turn. */
  systemPrompt(turn: Turn): Awaitable<string | undefined>;
  /** Tools to add; one with the name of an earlier plugin's replaces it. Asked once, when the runtime starts. */
  provideTools(runtime: Runtime): Awaitable<readonly Tool[] | undefined>;
  /** Changes which tools a run has. Asked once a turn. */
  prepareTools(tools: readonly Tool[], turn: Turn): Awaitable<readonly Tool[] | undefined>;
  /** Gives the place where a session's tools act. Asked once a session; closed when the runtime ends. */
  provideEnvironment(
    place: { sessionId: string; workspace: string | undefined },
    runtime: Runtime,
  ): Awaitable<Environment | undefined>;
  /** Gives the storage of tapes, leases, inboxes and media. Asked once, when the runtime starts. */
  provideTapeStore(runtime: Runtime): Awaitable<TapeStorage | undefined>;
  /** Names sibling tapes. */
  provideTapeSidecar(runtime: Runtime): Awaitable<SidecarDefinition | undefined>;
  /** Channels that the gateway can run. */
  provideChannels(runtime: Runtime): Awaitable<readonly Channel[] | undefined>;
  /** Skills to add to those of the workspace and the user. Asked once, when skills are first needed. */
  provideSkills(runtime: Runtime): Awaitable<readonly SkillSource[] | undefined>;
  provideProfiles(runtime: Runtime): Awaitable<readonly ProfileSource[] | undefined>;
  provideModels(runtime: Runtime): Awaitable<readonly ModelProvider[] | undefined>;
  /** Chooses where the context of a turn's requests begins; after the last anchor without an answer. Asked once a turn. */
  selectContext(turn: Turn): Awaitable<ContextSelection | undefined>;
  /** Makes the model's messages of the entries that were selected. Asked before each request. */
  buildTapeContext(
    entries: readonly TapeEntry[],
    selection: ContextSelection,
    turn: Turn,
  ): Awaitable<readonly ModelMessage[] | undefined>;
  /** Decides on a message that arrives while its session's run is on. */
  admitMessage(inbound: Inbound, runtime: Runtime): Awaitable<Admission | undefined>;
  /** Sees, and may change, each request before it is sent. */
  beforeModelCall(request: ModelRequest, turn: Turn): Awaitable<ModelRequest | undefined>;
  /** Told of each answer. */
  afterModelCall(response: ModelResponse, turn: Turn): Awaitable<void>;
  /** Judges a call before it runs, its arguments checked; undefined has no opinion. Throwing denies the call. */
  beforeToolCall(call: CheckedCall, turn: Turn): Awaitable<Verdict | undefined>;
  /** Sees every outcome, of denied and invalid calls too; an answer takes its place. */
  afterToolCall(outcome: Outcome, call: ToolCall, turn: Turn): Awaitable<Outcome | undefined>;
  /** Puts a model's large result elsewhere, after it was rendered: the answer is what the model gets in its place. */
  spillResult(outcome: ToolOutcome, toolset: Toolset, turn: Turn): Awaitable<ToolOutcome | undefined>;
  /** Told when a person quits a session: stop everything that belongs to it. */
  endSession(sessionId: string, runtime: Runtime): Awaitable<void>;
  /** Told of an error of any stage. */
  onError(stage: string, error: unknown, inbound: Inbound): Awaitable<void>;
  /**
   * Looks after this plugin's part for `bub doctor`: a section with facts and findings, or only sentences on what is broken,
   * such as a file or a section of config.yml. Changes nothing: what can be put right is a finding's `fix`.
   */
  diagnose(runtime: Runtime, request: DiagnosisRequest): Awaitable<Diagnosis | readonly string[] | undefined>;
  /**
   * Offers what a typed word may become: all that there is, whoever asks keeps what fits. Asked while a person types, who
   * may go on typing: the signal tells.
   */
  suggestWords(typed: TypedWord, runtime: Runtime, signal: AbortSignal): Awaitable<readonly Suggestion[] | undefined>;
  /** Adds commands to the command line. */
  registerCommands(commands: CommandRegistry): void;
  /**
   * Asks its part of `bub onboard` and sets what it was told, in order of registration. What one that fails had set is dropped,
   * and the others are asked all the same; when the person leaves, nothing at all is written.
   */
  onboard(onboarding: Onboarding, runtime: Runtime): Awaitable<void>;
  /** Starts what lives as long as the runtime; the answer stops it, and is waited for three seconds. */
  lifespan(runtime: Runtime): Awaitable<AsyncDisposable | undefined>;
}

export type HookName = keyof Hooks;

export const hookKinds = {
  resolveSession: "first",
  loadState: "merge",
  buildPrompt: "first",
  prepareMessage: "chain",
  runModel: "first",
  continueRun: "collect",
  saveState: "notify",
  renderOutbound: "first",
  dispatchOutbound: "first",
  systemPrompt: "collect",
  provideTools: "collect",
  prepareTools: "chain",
  provideEnvironment: "first",
  provideTapeStore: "first",
  provideTapeSidecar: "collect",
  provideChannels: "collect",
  provideSkills: "collect",
  provideProfiles: "collect",
  provideModels: "collect",
  selectContext: "first",
  buildTapeContext: "first",
  admitMessage: "first",
  beforeModelCall: "chain",
  afterModelCall: "notify",
  beforeToolCall: "chain",
  afterToolCall: "chain",
  spillResult: "first",
  endSession: "notify",
  onError: "notify",
  diagnose: "collect",
  suggestWords: "collect",
  registerCommands: "notify",
  onboard: "notify",
  lifespan: "collect",
} as const satisfies Record<HookName, HookKind>;

/** The hooks of one kind. */
export type HooksOf<Kind extends HookKind> = {
  [Name in HookName]: (typeof hookKinds)[Name] extends Kind ? Name : never;
}[HookName];
