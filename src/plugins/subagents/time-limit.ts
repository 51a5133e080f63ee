// The only timers of subagents: a task's time-out, and how long somebody waits for tasks.

/** Longest delay that a timer takes (milliseconds). */
const longest = 2 ** 31 - 1;

/** Calls `over` after so many seconds, unless it is disposed first; undefined seconds never end. Holds the process open. */
export function timeLimit(seconds: number | undefined, over: () => void): Disposable {
  const timer = seconds === undefined ? undefined : setTimeout(over, Math.min(seconds * 1000, longest));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
