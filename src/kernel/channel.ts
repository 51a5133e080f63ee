// A surface that people write on, and what it gets to hand messages in.
import type { StreamEvent } from "../base/events.ts";
import type { Inbound, Outbound } from "./envelope.ts";

export interface ChannelPort {
  /** Hands in one message; admission decides whether it starts a turn, steers the run that is on, or waits. */
  receive(inbound: Inbound): Promise<void>;
}

export interface Channel {
  readonly name: string;
  /** Runs until `signal` aborts. */
  start(port: ChannelPort, signal: AbortSignal): Promise<void>;
  send(outbound: Outbound): Promise<void>;
  /** Sees a turn's events as they happen. */
  show?(event: StreamEvent, inbound: Inbound): void;
}
