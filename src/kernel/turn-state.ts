// One turn in hand: what every stage of it shares.
import type { Clock } from "../base/clock.ts";
import type { Emitter } from "../base/emitter.ts";
import type { BusEvents, StreamEventBody, Usage } from "../base/events.ts";
import type { InboxId, TurnId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { InboxItem } from "../tape/store.ts";
import type { Tape } from "../tape/tape.ts";
import type { ToolTurn } from "../tools/tool.ts";
import type { Inbound } from "./envelope.ts";
import type { Runtime } from "./runtime.ts";

/** Slots of plugins, declared by module augmentation and filled by `loadState`. */
export interface TurnState {
  /** What the run asks; set by the run. A child's state begins with its parent's, for what nobody chose for the child. */
  running?: RunningModel;
  /** Tokens of the children that ended since the turn began. */
  childUsage?: Usage;
  /** How often the code of the running step called each tool, by alias; the step's `run` entry takes it. */
  nestedCalls?: Record<string, number>;
}

export interface RunningModel {
  /** `provider:model`; another one once a fallback stands in. */
  readonly model: string;
  readonly reasoningEffort: string | undefined;
}

/** The session's inbox as its turn sees it. */
export interface TurnInbox {
  /** Items that a step takes: steering messages and notifications, in order. */
  pending(): Promise<readonly InboxItem[]>;
  /** Deletes items that stand on the tape by now. */
  taken(ids: readonly InboxId[]): Promise<void>;
  /** Leaves an item for this session: durable when it resolves, read before its next step. */
  leave(item: Pick<InboxItem, "payload" | "meta"> & { readonly kind: "steer" | "notification" }): Promise<void>;
  /** Resolves when something arrived since the last `pending`; rejects with the signal's reason. */
  changed(signal: AbortSignal): Promise<void>;
  /** Makes who waits for a change look again, as if something had arrived. */
  wake(): void;
}

/** What a run may use; narrower for children. */
export interface ToolScope {
  /** Names or aliases; undefined: all. */
  readonly allowedTools: readonly string[] | undefined;
  readonly allowedSkills: readonly string[] | undefined;
}

export interface Turn extends ToolTurn {
  readonly turnId: TurnId;
  readonly inbound: Inbound;
  /** Aborted when the turn is cancelled; its reason says why. */
  readonly signal: AbortSignal;
  readonly state: TurnState;
  readonly inbox: TurnInbox;
  readonly toolScope: ToolScope;
  /** True for a subagent's turn: no person reads its answer, and only what is sent to its task reaches it. */
  readonly isChild: boolean;
  /** All sibling tapes of the session that were ever written. */
  sidecars(): Promise<readonly Tape[]>;
  /** Puts an event into the turn's stream from beside its run; after the turn's end nobody sees it. */
  tell(body: StreamEventBody): void;
  readonly runtime: Runtime;
  readonly events: Emitter<BusEvents>;
  readonly clock: Clock;
  readonly log: Logger;
}
