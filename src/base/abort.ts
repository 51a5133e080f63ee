// Waiting that an AbortSignal can end, without leaving listeners behind.

/** Settles with `work`, or rejects with the signal's reason as soon as it aborts. `work` itself goes on. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Resolves after `milliseconds`, rejects with the signal's reason when aborted; holds the process open only if `hold`. */
export function delay(milliseconds: number, signal?: AbortSignal, { hold = true } = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (!hold) timer.unref();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** True for the error that an aborted signal hands on. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "CancelledError");
}
