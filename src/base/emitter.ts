// A typed event bus whose handlers cannot hurt whoever emits.
import type { Logger } from "./log.ts";

type Handler<Event> = (event: Event) => unknown;

export class Emitter<Events extends object> {
  readonly #handlers = new Map<keyof Events, Set<Handler<never>>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Registers a handler, sync or async; the answer takes it back. */
  on<Name extends keyof Events>(name: Name, handler: Handler<Events[Name]>): () => void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  /** Calls every handler now; failures, sync or async, are logged and stop nothing. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const handlers = this.#handlers.get(name);
    if (handlers === undefined) return;
    for (const handler of [...handlers]) this.#call(String(name), handler as Handler<Events[Name]>, event);
  }

  #call<Event>(name: string, handler: Handler<Event>, event: Event): void {
    const failed = (error: unknown) => this.#log.error("event handler failed", { event: name, error });
    try {
      const result = handler(event);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
