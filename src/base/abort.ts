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

/** Why a signal was aborted when a person, or the quit command, asked for it. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
  constructor(message = "cancelled") {
    super(message);
  }
}

/** True for the errors that an aborted signal hands on. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "CancelledError");
}

/**
 * Settles with `work`; when the signal aborts, `work` has `graceMs` more, then this rejects with the signal's reason.
 * For work that should end by itself when cancelled, but is not trusted to.
 * @param graceMs or what tells it, asked once, when the signal has aborted
 */
export function withinGrace<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  graceMs: number | (() => number),
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      timer = setTimeout(() => reject(signal.reason), typeof graceMs === "number" ? graceMs : graceMs());
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    });
  });
}

/** True when `work` settled in time (milliseconds), false when it goes on without anybody waiting. Rejects as `work` does. */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const settled = new AbortController();
  const late = delay(milliseconds, settled.signal).then(() => false);
  late.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    settled.abort();
    work.catch(() => undefined);
  }
}
