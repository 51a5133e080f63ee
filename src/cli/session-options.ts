// Which conversation a command is about.
import { randomHex } from "../base/ids.ts";
import { type Inbound, sessionIdOf } from "../kernel/envelope.ts";

export interface SessionOptions {
  sessionId?: string;
  channel: string;
  chatId: string;
  senderId?: string;
  /** A conversation of its own. */
  new?: boolean;
}

/** The session asked for, a new one, or by default the channel's own. */
export function sessionOf({
  sessionId,
  channel,
  chatId,
  new: isNew,
}: SessionOptions): Pick<Inbound, "channel" | "chatId" | "sessionId"> {
  const fresh = isNew === true ? `${channel}:${randomHex(8)}` : undefined;
  return { channel, chatId, sessionId: sessionId ?? fresh };
}

/** The session's id, for commands that only look. */
export function sessionIdFrom(options: SessionOptions): string {
  return sessionIdOf({ ...sessionOf(options), content: "" });
}
