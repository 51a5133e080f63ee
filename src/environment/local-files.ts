// The files of this machine as a session sees them: whole and safe writes, refused surprises, errors that name the path.
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { BubError, codeOf, isBubError, messageOf } from "../base/errors.ts";
import { replaceFile } from "./atomic-write.ts";
import type { FileStat, LineRange, ReadOptions } from "./environment.ts";
import { queueByPath } from "./path-queue.ts";
import { type PathPlace, resolvePath } from "./paths.ts";
import { decodeText, encodeText, LineSlicer, longestText, textTooLong } from "./text-lines.ts";

const chunkBytes = 256 * 1024;
/** How often an edit starts anew because somebody else wrote the file meanwhile. */
const mostRetries = 20;

export class LocalFiles {
  readonly #place: PathPlace;

  constructor(place: PathPlace) {
    this.#place = place;
  }

  resolvePath(path: string): string {
    return resolvePath(path, this.#place);
  }

  async readFile(path: string, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    const resolved = this.resolvePath(path);
    return named("read", resolved, async () => (await readWhole(resolved, signal)).bytes);
  }

  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return decodeText(await this.readFile(path, options), this.resolvePath(path)).text;
  }

  async readLines(path: string, range: LineRange, { signal }: ReadOptions = {}): Promise<string> {
    const resolved = this.resolvePath(path);
    return named("read", resolved, () =>
      withFile(resolved, async (file) => {
        const slicer = new LineSlicer(range);
        const chunk = Buffer.allocUnsafe(chunkBytes);
        for (;;) {
          signal?.throwIfAborted();
          const { bytesRead } = await file.read(chunk, 0, chunk.length);
          const wantsMore = slicer.push(chunk.subarray(0, bytesRead));
          if (slicer.takenBytes > longestText) throw textTooLong(resolved);
          if (bytesRead === 0 || !wantsMore) return slicer.text(resolved);
        }
      }),
    );
  }

  writeText(path: string, text: string, { signal }: ReadOptions = {}): Promise<string> {
    const resolved = this.resolvePath(path);
    return queueByPath(resolved, () =>
      named("write", resolved, async () => {
        signal?.throwIfAborted();
        await replaceFile(resolved, encodeText(text, false), { signal });
        return resolved;
      }),
    );
  }

  editText(path: string, change: (text: string) => string, { signal }: ReadOptions = {}): Promise<string> {
    const resolved = this.resolvePath(path);
    return queueByPath(resolved, () =>
      named("edit", resolved, async () => {
        for (let retry = 0; retry < mostRetries; retry++) {
          const { bytes, version } = await readWhole(resolved, signal);
          const { text, hasBom } = decodeText(bytes, resolved);
          const isCurrent = async (target: string) => isSameVersion(version, await stat(target, { bigint: true }));
          if (await replaceFile(resolved, encodeText(change(text), hasBom), { signal, isCurrent })) return resolved;
        }
        throw new BubError("temporary", `'${resolved}' was changed by others all the time: nothing was written`);
      }),
    );
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const resolved = this.resolvePath(path);
    return named("look at", resolved, async () => {
      try {
        const found = await stat(resolved);
        return { kind: found.isFile() ? "file" : found.isDirectory() ? "directory" : "other", size: found.size };
      } catch (error) {
        if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
        throw error;
      }
    });
  }
}

interface ReadResult {
  readonly bytes: Buffer;
  /** What the file was when reading began. */
  readonly version: BigIntStats;
}

function readWhole(path: string, signal: AbortSignal | undefined): Promise<ReadResult> {
  return withFile(path, async (file, version) => {
    if (version.size > longestText) throw textTooLong(path);
    // Files of /proc say that they are empty.
    let bytes = Buffer.allocUnsafe(version.size === 0n ? 4096 : Number(version.size) + 1);
    for (let length = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(bytes, length, Math.min(bytes.length - length, 16 * 1024 * 1024));
      if (bytesRead === 0) return { bytes: bytes.subarray(0, length), version };
      length += bytesRead;
      if (length > longestText) throw textTooLong(path);
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
    }
  });
}

/** Opens regular files only: others may block, or do something when they are opened. */
async function withFile<Value>(
  path: string,
  use: (file: FileHandle, found: BigIntStats) => Promise<Value>,
): Promise<Value> {
  refuseOdd(path, await stat(path, { bigint: true }));
  const file = await open(path, "r");
  try {
    const found = await file.stat({ bigint: true });
    refuseOdd(path, found);
    return await use(file, found);
  } finally {
    await file.close();
  }
}

function refuseOdd(path: string, found: BigIntStats): void {
  if (found.isDirectory()) throw new BubError("invalid_input", `'${path}' is a directory`);
  if (!found.isFile()) throw new BubError("invalid_input", `'${path}' is not a regular file`);
}

function isSameVersion(one: BigIntStats, other: BigIntStats): boolean {
  return (["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const).every((key) => one[key] === other[key]);
}

/** Lets what is meant for readers through and names the path in the system's errors. */
async function named<Value>(verb: string, path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (isBubError(error) || codeOf(error) === undefined || (error as Error).name === "AbortError") throw error;
    throw systemError(verb, path, error);
  }
}

const reasons: Record<string, string> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "it is a directory",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
};

function systemError(verb: string, path: string, error: unknown): BubError {
  const code = codeOf(error) ?? "";
  const kind = code === "ENOENT" || code === "ENOTDIR" ? "not_found" : code === "EMFILE" ? "temporary" : "tool";
  return new BubError(kind, `cannot ${verb} '${path}': ${reasons[code] ?? messageOf(error)}`, { cause: error });
}
