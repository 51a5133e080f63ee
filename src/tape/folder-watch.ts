// Tells when a file appears in or leaves a folder, whoever did it.
import { type FSWatcher, watch } from "node:fs";

export interface FolderWatchOptions {
  /** Called when the system refuses to watch; the look-out then goes on by time. */
  refused?: (error: unknown) => void;
  /** Milliseconds between two calls where the system refuses to watch. */
  fallbackMs?: number;
}

/**
 * Calls `changed` with the file's name when one is made, renamed, written or removed; undefined when the name is not known.
 * Does not hold the process open. The folder has to exist. The answer stops it.
 */
export function watchFolder(
  path: string,
  changed: (name: string | undefined) => void,
  { refused = () => undefined, fallbackMs = 500 }: FolderWatchOptions = {},
): () => void {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const fallBack = (error: unknown) => {
    watcher?.close();
    refused(error);
    timer ??= setInterval(changed, fallbackMs, undefined).unref();
  };
  try {
    watcher = watch(path, { persistent: false }, (_event, name) => changed(name ?? undefined));
    watcher.on("error", fallBack);
  } catch (error) {
    fallBack(error);
  }
  return () => {
    watcher?.close();
    clearInterval(timer);
  };
}
