// Lets writes of one file happen one after the other, in the order of their calls, whoever makes them in this process.
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Under a name of its own, so that two copies of this package in one process share it. */
const shared = globalThis as unknown as Record<symbol, Map<string, Promise<unknown>> | undefined>;
const name = Symbol.for("bub.path-queue");
shared[name] ??= new Map();
const last = shared[name];

/** Runs `work` once all earlier work on the file at `path`, by whatever name, is done. */
export function queueByPath<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  // Found out at once: a wait here could let a later call go first.
  const key = realPathOf(path);
  const result = (last.get(key) ?? Promise.resolve()).then(work);
  const settled = result.catch(() => undefined);
  last.set(key, settled);
  void settled.then(() => {
    if (last.get(key) === settled) last.delete(key);
  });
  return result;
}

/** The real path, also of what does not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}
