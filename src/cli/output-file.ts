// Writes a file that a person named: never half of one, and never over another by accident.
import type { Stats } from "node:fs";
import { type FileHandle, link, open, realpath, rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { BubError, codeOf } from "../base/errors.ts";
import { randomHex } from "../base/ids.ts";
import { fileError } from "../tape/file-error.ts";

export interface OutputFileOptions {
  /** Replaces a file that is there. */
  overwrite: boolean;
  /** A path that is never written to, whatever name it has here. */
  never: string;
}

const chunkLength = 64 * 1024;
/** What is written may be a whole conversation: whom to show it to is for the person to say. */
const ownerOnly = 0o600;

/**
 * Answers how many bytes there are. A new file is for its owner alone. A device or a pipe is written to as it is.
 * @throws BubError `invalid_input` for what is there already; `config` for what cannot be written
 */
export async function writeOutputFile(
  name: string,
  pieces: AsyncIterable<string>,
  { overwrite, never }: OutputFileOptions,
): Promise<number> {
  const path = resolve(name);
  try {
    const there = await look(path);
    if (there?.isDirectory())
      throw new BubError("invalid_input", `${name} is a folder`, { hint: "Name a file in it." });
    if (there !== undefined && !there.isFile()) return await writeInto(path, "w", pieces);
    const target = there === undefined ? path : await realpath(path);
    if (there !== undefined && target === (await realpath(never).catch(() => never)))
      throw new BubError("invalid_input", `${name} is the tape itself`, { hint: "Name another file." });
    if (there !== undefined && !overwrite) throw isThere(name);
    return await writeAside(target, pieces, { overwrite, name, mode: there?.mode ?? ownerOnly });
  } catch (error) {
    throw codeOf(error) === undefined
      ? error
      : fileError("write", path, error, "Name a file in a folder that you can write.");
  }
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** What is unfinished has another name. */
async function writeAside(
  path: string,
  pieces: AsyncIterable<string>,
  { overwrite, name, mode }: { overwrite: boolean; name: string; mode: number },
): Promise<number> {
  const aside = `${path}.${randomHex(8)}.part`;
  try {
    const bytes = await writeInto(aside, "wx", pieces, mode);
    if (overwrite) await rename(aside, path);
    else await linkOrRename(aside, path, name);
    return bytes;
  } finally {
    await rm(aside, { force: true });
  }
}

/** A link fails where somebody else was quicker; a rename would replace what they wrote. */
async function linkOrRename(from: string, to: string, name: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw isThere(name);
    // Not every file system has links.
    await rename(from, to);
  }
}

async function writeInto(
  path: string,
  flags: "w" | "wx",
  pieces: AsyncIterable<string>,
  mode?: number,
): Promise<number> {
  const file = await open(path, flags, mode);
  try {
    return await writeAll(file, pieces);
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<string>): Promise<number> {
  let [bytes, waiting] = [0, ""];
  const flush = async () => {
    const chunk = Buffer.from(waiting);
    await file.writeFile(chunk);
    bytes += chunk.length;
    waiting = "";
  };
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length >= chunkLength) await flush();
  }
  await flush();
  return bytes;
}

function isThere(name: string): BubError {
  return new BubError("invalid_input", `${name} is there already`, { hint: "--overwrite replaces it." });
}
