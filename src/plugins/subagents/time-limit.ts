// The only timers of subagents: a task's time-out, and how long somebody waits for tasks.
import { longestTimerMs } from "../../base/clock.ts";

/** Calls `over` after so many seconds, unless it is disposed first; undefined seconds never end. Holds the process open. */
export function timeLimit(seconds: number | undefined, over: () => void): Disposable {
  const timer = seconds === undefined ? undefined : setTimeout(over, Math.min(seconds * 1000, longestTimerMs));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
