// Reads files that others put there: never waits for a pipe's writer, never reads more than is wanted.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** The code of the error for a pipe, a device or a socket where a file is expected. */
export const notRegular = "ENOTREGULAR";

const chunkBytes = 64 * 1024;

export interface RegularFileOptions {
  /** Read at most this many bytes and one more, which tells that there are more. */
  mostBytes?: number;
}

/** Rejects with the system's error (`ENOENT`, `EISDIR`, …), or with the code `ENOTREGULAR`. */
export async function readRegularFile(path: string, { mostBytes }: RegularFileOptions = {}): Promise<Buffer> {
  // Without it, opening a pipe that nobody writes to waits for ever, and no signal ends that.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw withCode("it is a folder", "EISDIR");
    if (!found.isFile()) throw withCode("it is not a regular file", notRegular);
    return mostBytes === undefined ? await handle.readFile() : await readStart(handle, mostBytes + 1);
  } finally {
    await handle.close();
  }
}

/** To the end, not to the size: files of /proc say that they have none, and others may grow meanwhile. */
async function readStart(handle: FileHandle, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = length; left > 0; ) {
    const chunk = Buffer.alloc(Math.min(left, chunkBytes));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
