// The sentence for a file that could not be read or written, and what to do about it.
import { BubError, codeOf, isBubError } from "../base/errors.ts";
import { reasonOf } from "../base/system-reason.ts";

const chooseHome = "Set BUB_HOME to a folder that you can write.";
const moveFolder = "Move the folder away: a file of Bub's belongs there.";
const moveFile = "Move away what is in the place of a folder, or set BUB_HOME to a folder that you can write.";
/** What to do about a place that Bub has chosen. */
const places: readonly (string | undefined)[] = [chooseHome, moveFolder, moveFile];

/**
 * A `config` error for what the system refused.
 * @param doing what was tried, for example `write the tape`
 * @param elsewhere what to do about a place that cannot be used and is not Bub's own
 */
export function fileError(doing: string, path: string, error: unknown, elsewhere?: string): BubError {
  if (isBubError(error)) return error;
  const known = hints[codeOf(error) ?? ""];
  const hint = places.includes(known) ? (elsewhere ?? known) : known;
  return new BubError("config", `cannot ${doing} ${path}: ${reasonOf(error)}`, { hint, cause: error });
}

/** Runs file work; what it throws comes out as that sentence. */
export function orFileError<Value>(doing: string, path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw fileError(doing, path, error);
  }
}

const makeRoom = "Free some space and try again; what was written before is intact.";
const closeFiles = "Close other programs or raise the limit (ulimit -n).";

const hints: Readonly<Record<string, string>> = {
  ENOSPC: makeRoom,
  EDQUOT: makeRoom,
  EFBIG: makeRoom,
  EROFS: chooseHome,
  EACCES: chooseHome,
  EPERM: chooseHome,
  ENOTDIR: moveFile,
  ENOENT: chooseHome,
  EISDIR: moveFolder,
  EEXIST: chooseHome,
  ELOOP: chooseHome,
  EMFILE: closeFiles,
  ENFILE: closeFiles,
};
