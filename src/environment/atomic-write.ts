// Replaces a file's content so that readers see the old or the new one, and everything else about the file stays.
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { BubError, codeOf } from "../base/errors.ts";
import { randomHex } from "../base/ids.ts";

export interface WriteOptions {
  signal?: AbortSignal;
  /** Asked last before the file changes; false gives up. */
  isCurrent?: (target: string) => Promise<boolean>;
}

/**
 * Writes a temporary file beside the target, forces it onto the disk and renames it over; keeps the mode, follows
 * links, creates parents. In place where a rename is refused, or would break hard links or change owner or group, and
 * for devices.
 * @param path absolute
 * @returns false when `isCurrent` said so; then nothing was written
 * @throws BubError naming the path for what is no file; the system's errors; the signal's reason
 */
export async function replaceFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<boolean> {
  const target = await targetOf(path);
  const existing = await stat(target).catch(missing);
  if (existing === undefined) {
    await mkdir(dirname(target), { recursive: true });
    return replaceByRename(target, bytes, options);
  }
  refuseOdd(path, existing);
  await access(target, constants.W_OK);
  if (existing.isFile() && existing.nlink === 1) {
    try {
      return await replaceByRename(target, bytes, options, existing);
    } catch (error) {
      if (!refusals.has(codeOf(error) ?? "")) throw error;
    }
  }
  return writeInPlace(target, bytes, options);
}

/** Codes of a folder or file system that takes no new file, or no rename over this one. */
const refusals = new Set(["EACCES", "EPERM", "EROFS", "EXDEV", "EBUSY", "ENOTSUP", "EOPNOTSUPP", "OTHER_OWNER"]);

/** Where links lead, also one that leads to nothing yet. */
async function targetOf(path: string): Promise<string> {
  const real = await realpath(path).catch(missing);
  if (real !== undefined) return real;
  const link = await readlink(path).catch(missing);
  return link === undefined ? path : targetOf(resolve(await realpath(dirname(path)), link));
}

function refuseOdd(path: string, found: Stats): void {
  const what = found.isDirectory()
    ? "a directory"
    : found.isFIFO()
      ? "a FIFO"
      : found.isSocket()
        ? "a socket"
        : undefined;
  if (what !== undefined) throw new BubError("invalid_input", `'${path}' is ${what}: nothing was written`);
}

async function replaceByRename(
  target: string,
  bytes: Uint8Array,
  { signal, isCurrent }: WriteOptions,
  existing?: Stats,
): Promise<boolean> {
  const temporary = join(dirname(target), `.bub-${randomHex(12)}.tmp`);
  let isRenamed = false;
  try {
    await writeNew(temporary, bytes, existing);
    signal?.throwIfAborted();
    if (isCurrent !== undefined && !(await isCurrent(target))) return false;
    await rename(temporary, target);
    isRenamed = true;
    return true;
  } finally {
    if (!isRenamed) await rm(temporary, { force: true });
  }
}

async function writeNew(path: string, bytes: Uint8Array, like: Stats | undefined): Promise<void> {
  await using file = closing(await open(path, "wx", like === undefined ? 0o666 : 0o600));
  if (like !== undefined) {
    const { uid, gid } = await file.handle.stat();
    if (uid !== like.uid || gid !== like.gid) throw Object.assign(new Error("owner differs"), { code: "OTHER_OWNER" });
    await file.handle.chmod(like.mode & 0o7777);
  }
  await file.handle.writeFile(bytes);
  await file.handle.sync();
}

async function writeInPlace(target: string, bytes: Uint8Array, { signal, isCurrent }: WriteOptions): Promise<boolean> {
  await using file = closing(await open(target, constants.O_WRONLY));
  signal?.throwIfAborted();
  if (isCurrent !== undefined && !(await isCurrent(target))) return false;
  await file.handle.writeFile(bytes);
  if (!(await file.handle.stat()).isFile()) return true;
  await file.handle.truncate(bytes.length);
  await file.handle.sync();
  return true;
}

function closing(handle: FileHandle): AsyncDisposable & { handle: FileHandle } {
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}

function missing(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== "ENOENT" && code !== "EINVAL") throw error;
}
