// Files that are whole or absent: written aside, brought onto the disk, then renamed into place.
import { randomBytes } from "node:crypto";
import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  fsync,
  mkdirSync,
  open,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "../base/errors.ts";

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);

/** Brings a file's content onto the disk. */
export const syncData: (fd: number) => Promise<void> = promisify(fdatasync);

/** Opens a file for its owner only; a missing folder is made on the way. */
export function openPrivate(path: string, flags: string | number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    ensureFolder(dirname(path));
    return openSync(path, flags, 0o600);
  }
}

/** Makes a folder and its parents, for their owner only. @throws the system's error */
export function ensureFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) ensureFolder(parent);
  try {
    // Node's own `recursive` never ends where the system makes no folders and says that there is no such place, as in /proc.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else made it meanwhile.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Puts a whole file at `path`, replacing what is there; when it returns, the file survives a power cut. */
export async function writeDurably(path: string, bytes: string | Uint8Array): Promise<void> {
  await replaceFile(path, bytes, syncFile);
  await syncFolder(dirname(path));
}

/** Puts a whole file at `path`, replacing what is there; when it returns, the file survives a kill of this process. */
export async function replaceFile(
  path: string,
  bytes: string | Uint8Array,
  sync: (fd: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const aside = asideOf(path);
  const fd = openPrivate(aside, "wx");
  try {
    writeWhole(fd, bytes);
    await sync(fd);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** A name beside `path` that nobody else uses and no reader takes for a finished file. */
export const asideOf = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.tmp`;

/** Writes everything, also where the system takes it in pieces. */
export function writeWhole(fd: number, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** Brings names that were made, renamed or removed in a folder onto the disk; file systems that cannot are left alone. */
export async function syncFolder(path: string): Promise<void> {
  const fd = await openFile(path, "r");
  try {
    await syncFile(fd);
  } catch (error) {
    if (codeOf(error) !== "EINVAL" && codeOf(error) !== "EPERM") throw error;
  } finally {
    await closeFile(fd);
  }
}
