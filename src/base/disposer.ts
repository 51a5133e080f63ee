// Collects what must be closed together, newest first. (AsyncDisposableStack, which Node 20 lacks.)
export class Disposer implements AsyncDisposable {
  #closers: (() => unknown)[] = [];

  /** Takes charge of a resource and hands it back. */
  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.#closers.push(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  /** Remembers something to do at the end. */
  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Hands everything over to a new owner; this one then closes nothing. */
  move(): Disposer {
    const owner = new Disposer();
    owner.#closers = this.#closers;
    this.#closers = [];
    return owner;
  }

  /** Closes all, newest first, whatever fails; then throws the first failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
