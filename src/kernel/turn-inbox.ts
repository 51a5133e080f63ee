// The session's inbox during one turn: what steps take, and the item that ends the turn.
import { untilAborted } from "../base/abort.ts";
import type { TapeId } from "../base/ids.ts";
import type { InboxItem, InboxPort } from "../tape/store.ts";
import type { TurnInbox } from "./turn-state.ts";

export interface OpenTurnInbox extends TurnInbox, AsyncDisposable {}

export interface TurnInboxOptions {
  /** The lease's: only a `quit` item that names it is obeyed, others are deleted unread. */
  token: string;
  onQuit: () => void;
  /** A child's turn takes only what was sent to its task; everything else waits for a turn of the session's own. */
  isChild?: boolean;
}

/** Watches an inbox for a turn. */
export function openTurnInbox(
  inboxes: InboxPort,
  tape: TapeId,
  { token, onQuit, isChild = false }: TurnInboxOptions,
): OpenTurnInbox {
  let arrived = false;
  let wake: (() => void) | undefined;
  const stop = inboxes.watch(tape, () => {
    arrived = true;
    wake?.();
    void obeyQuits();
  });

  let isLooking = false;
  let hasMore = false;
  /** One look at a time, however many items arrive meanwhile. */
  const obeyQuits = async () => {
    hasMore = true;
    if (isLooking) return;
    isLooking = true;
    try {
      while (hasMore) {
        hasMore = false;
        await obeyQuit();
      }
    } finally {
      isLooking = false;
    }
  };
  const obeyQuit = async () => {
    for (const item of await inboxes.list(tape)) {
      if (item.kind !== "quit") continue;
      await inboxes.remove(tape, item.id);
      if (item.payload.token === token) onQuit();
    }
  };

  return {
    async pending() {
      arrived = false;
      const items = await inboxes.list(tape);
      return items.filter((item) => isForStep(item) && (!isChild || isForTask(item)));
    },
    async taken(ids) {
      for (const id of ids) await inboxes.remove(tape, id);
    },
    async leave(item) {
      await inboxes.put(tape, item);
    },
    async changed(signal) {
      if (arrived) return;
      const change = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await untilAborted(change, signal);
    },
    wake() {
      arrived = true;
      wake?.();
    },
    async [Symbol.asyncDispose]() {
      stop();
    },
  };
}

function isForStep({ kind }: InboxItem): boolean {
  return kind === "steer" || kind === "notification";
}

/** True for what `subagent.send` leaves: it names the task. */
export function isForTask({ meta }: Pick<InboxItem, "meta">): boolean {
  return meta.task !== undefined;
}
