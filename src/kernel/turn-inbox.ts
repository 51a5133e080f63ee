// The session's inbox during one turn: what steps take, and the item that ends the turn.
import { untilAborted } from "../base/abort.ts";
import type { TapeId } from "../base/ids.ts";
import type { InboxPort } from "../tape/store.ts";
import type { TurnInbox } from "./turn-state.ts";

export interface OpenTurnInbox extends TurnInbox, AsyncDisposable {}

/**
 * Watches an inbox for a turn.
 * @param token the lease's: only a `quit` item that names it is obeyed, others are deleted unread
 */
export function openTurnInbox(inboxes: InboxPort, tape: TapeId, token: string, onQuit: () => void): OpenTurnInbox {
  let arrived = false;
  let wake: (() => void) | undefined;
  const stop = inboxes.watch(tape, () => {
    arrived = true;
    wake?.();
    void obeyQuit();
  });

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
      return items.filter(({ kind }) => kind === "steer" || kind === "notification");
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
    async [Symbol.asyncDispose]() {
      stop();
    },
  };
}
