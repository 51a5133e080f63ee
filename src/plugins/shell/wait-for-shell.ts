// Waits for a shell in the foreground: for its end, its time, or its turn's cancellation, whichever is first.
import { setImmediate } from "node:timers/promises";
import { longestTimerMs } from "../../base/clock.ts";
import type { Shell } from "./shell-registry.ts";

/** A command that ends in the same instant as its time is "exited". Leaves no timer and no listener behind. */
export async function waitForShell(
  shell: Pick<Shell, "process" | "ended">,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"exited" | "timeout" | "aborted"> {
  if (signal.aborted) return "aborted";
  const first = await new Promise<"exited" | "timeout" | "aborted">((resolve) => {
    const settle = (end: "exited" | "timeout" | "aborted") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve(end);
    };
    const timer = setTimeout(() => settle("timeout"), Math.min(timeoutMs, longestTimerMs));
    const abort = () => settle("aborted");
    signal.addEventListener("abort", abort, { once: true });
    void shell.ended.then(() => settle("exited"));
  });
  if (first !== "timeout") return first;
  // The end may have happened without having been heard of: timers come first in a round of the event loop.
  await setImmediate();
  if (!shell.process.ending) return "timeout";
  await shell.ended;
  return "exited";
}
