// Remembers what a bus told, in order.
import type { Emitter } from "../base/emitter.ts";
import type { BusEvents } from "../base/events.ts";

export type RecordedEvent = {
  [Name in keyof BusEvents]: { readonly name: Name; readonly event: BusEvents[Name] };
}[keyof BusEvents];

export interface Recorder {
  readonly events: readonly RecordedEvent[];
  /** The names so far. */
  readonly names: readonly string[];
  /** Resolves with the first event of that name, also one that was recorded already. */
  next<Name extends keyof BusEvents>(name: Name): Promise<BusEvents[Name]>;
  stop(): void;
}

/** Records events of these names: `recordEvents(agent.events, ["run-started", "run-finished"])`. */
export function recordEvents(bus: Emitter<BusEvents>, names: readonly (keyof BusEvents)[]): Recorder {
  const events: RecordedEvent[] = [];
  const waiting = new Set<() => void>();
  const offs = names.map((name) =>
    bus.on(name, (event) => {
      events.push({ name, event } as RecordedEvent);
      for (const look of [...waiting]) look();
    }),
  );
  return {
    events,
    get names() {
      return events.map(({ name }) => name);
    },
    next: (name) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find((recorded) => recorded.name === name);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found.event as never);
        };
        waiting.add(look);
        look();
      }),
    stop() {
      for (const off of offs) off();
    },
  };
}
