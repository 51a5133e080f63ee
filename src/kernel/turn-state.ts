// One turn in hand: what every stage of it shares.
import type { Clock } from "../base/clock.ts";
import type { Emitter } from "../base/emitter.ts";
import type { BusEvents } from "../base/events.ts";
import type { InboxId, TurnId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { InboxItem } from "../tape/store.ts";
import type { ToolTurn } from "../tools/tool.ts";
import type { Inbound } from "./envelope.ts";
import type { Runtime } from "./runtime.ts";

/** Slots of plugins, declared by module augmentation and filled by `loadState`. */
// biome-ignore lint/suspicious/noEmptyInterface: plugins augment it
export interface TurnState {}

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
  readonly runtime: Runtime;
  readonly events: Emitter<BusEvents>;
  readonly clock: Clock;
  readonly log: Logger;
}
