// Media bytes as files named by their SHA-256, so that the same bytes are kept once.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { BubError, codeOf } from "../base/errors.ts";
import { writeDurably } from "./durable-file.ts";
import { fileError } from "./file-error.ts";
import type { MediaStore } from "./store.ts";

/** Keeps media in a folder, which is made with the first of them. */
export class FileMediaStore implements MediaStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const sha256 = sha256Of(bytes);
    const path = join(this.folder, sha256);
    try {
      // A file of another size is what a power cut left of an unfinished copy.
      if ((await sizeOf(path)) !== bytes.length) await writeDurably(path, bytes);
    } catch (error) {
      throw fileError("store media in", path, error);
    }
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw unknownMedia(sha256);
    const path = join(this.folder, sha256);
    try {
      return await promisify(readFile)(path);
    } catch (error) {
      throw codeOf(error) === "ENOENT" ? unknownMedia(sha256) : fileError("read media from", path, error);
    }
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function unknownMedia(sha256: string): BubError {
  return new BubError("not_found", `unknown media: ${sha256}`, {
    hint: "Its file was removed from the media folder, or the tape came from another machine without it.",
  });
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await promisify(stat)(path)).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
