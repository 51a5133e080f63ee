// The sentence for a file that could not be read or written, and what to do about it.
import { BubError, codeOf, isBubError, messageOf } from "../base/errors.ts";

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
  const [reason, known] = reasons[codeOf(error) ?? ""] ?? [messageOf(error), undefined];
  const hint = places.includes(known) ? (elsewhere ?? known) : known;
  return new BubError("config", `cannot ${doing} ${path}: ${reason}`, { hint, cause: error });
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

const reasons: Readonly<Record<string, readonly [reason: string, hint: string | undefined]>> = {
  ENOSPC: ["the disk is full", makeRoom],
  EDQUOT: ["the disk quota is used up", makeRoom],
  EFBIG: ["the file is too large for its file system", makeRoom],
  EROFS: ["the file system is read-only", chooseHome],
  EACCES: ["permission denied", chooseHome],
  EPERM: ["permission denied", chooseHome],
  ENOTDIR: ["a part of the path is not a folder", moveFile],
  ENOENT: ["the path does not exist", chooseHome],
  EISDIR: ["it is a folder", moveFolder],
  EEXIST: ["something else is in its place", chooseHome],
  ELOOP: ["its symbolic links lead in a circle", chooseHome],
  EMFILE: ["too many files are open", closeFiles],
  ENFILE: ["too many files are open", closeFiles],
  EIO: ["the disk reports an input/output error", undefined],
};
