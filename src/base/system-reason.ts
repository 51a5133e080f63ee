// What the system refused, in words.
import { codeOf, messageOf } from "./errors.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large for its file system",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "a part of the path is not a folder",
  ENOENT: "the path does not exist",
  EISDIR: "it is a folder",
  EEXIST: "something else is in its place",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EIO: "the disk reports an input/output error",
};

/** The end of a sentence, for work with a file that failed; the error's own words where there are no better ones. */
export function reasonOf(error: unknown): string {
  return reasons[codeOf(error) ?? ""] ?? messageOf(error);
}
