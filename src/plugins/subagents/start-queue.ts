// Who may run: subagents of every runtime in this process, in the order in which they came.

interface Waiting {
  readonly limit: number;
  readonly start: () => void;
}

interface Line {
  running: number;
  readonly waiting: Waiting[];
}

/** Under a name of its own, so that two copies of this package in one process share it. */
const shared = globalThis as unknown as Record<symbol, Line | undefined>;
const name = Symbol.for("bub.subagents");
shared[name] ??= { running: 0, waiting: [] };
const line = shared[name];

/**
 * Calls `start` as soon as fewer than `limit` run and nobody who came earlier waits; at once when that is so now.
 * @param start must not throw
 * @returns gives the place back, waiting or running; to be called once its work is over, more often does nothing
 */
export function enterQueue(limit: number, start: () => void): () => void {
  let runs = false;
  const waiting: Waiting = {
    limit,
    start() {
      runs = true;
      start();
    },
  };
  line.waiting.push(waiting);
  advance();
  let left = false;
  return () => {
    if (left) return;
    left = true;
    if (runs) line.running -= 1;
    else line.waiting.splice(line.waiting.indexOf(waiting), 1);
    advance();
  };
}

function advance(): void {
  for (;;) {
    const next = line.waiting[0];
    if (next === undefined || line.running >= next.limit) return;
    line.waiting.shift();
    line.running += 1;
    next.start();
  }
}
