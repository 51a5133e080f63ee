// Events that come into a turn's stream from beside its run: from children, for example.
import type { StreamEvent, StreamEventBody } from "../base/events.ts";

type Pull = () => Promise<IteratorResult<StreamEvent, void>>;

/** What comes next: an event that was told, or what the run gave. */
export type NextEvent =
  | { readonly told: StreamEventBody }
  | { readonly told?: undefined; readonly pulled: IteratorResult<StreamEvent, void> };

export class AsideEvents {
  readonly #told: StreamEventBody[] = [];
  #pulled: { value: IteratorResult<StreamEvent, void> } | { error: unknown } | undefined;
  #isPulling = false;
  #isOver = false;
  #wake: () => void = () => undefined;

  /** Puts an event into the stream; once it is over, nobody sees it. */
  tell(body: StreamEventBody): void {
    if (this.#isOver) return;
    this.#told.push(body);
    this.#wake();
  }

  /** Events that were told come first, in their order; one pull is under way at a time, whatever is told meanwhile. */
  async next(pull: Pull): Promise<NextEvent> {
    for (;;) {
      const told = this.#told.shift();
      if (told !== undefined) return { told };
      const pulled = this.#pulled;
      this.#pulled = undefined;
      if (pulled !== undefined && "error" in pulled) throw pulled.error;
      if (pulled !== undefined) return { pulled: pulled.value };
      if (!this.#isPulling) this.#start(pull);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#isOver = true;
  }

  #start(pull: Pull): void {
    this.#isPulling = true;
    const settle = (pulled: { value: IteratorResult<StreamEvent, void> } | { error: unknown }) => {
      this.#pulled = pulled;
      this.#isPulling = false;
      this.#wake();
    };
    pull().then(
      (value) => settle({ value }),
      (error) => settle({ error }),
    );
  }
}
