// What lies at a path that `bub install` was given: a folder's package or a tarball, as far as npm would take it.
import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { BubError } from "../../base/errors.ts";
import { isPackageName } from "../../base/installed-packages.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";
import { reasonOf } from "../../base/system-reason.ts";

/**
 * npm would say the same in lines of its own.
 * @param place absolute
 * @throws BubError `not_found` or `invalid_input` in one sentence
 */
export function checkLocalPackage(place: string): void {
  const found = statOf(place);
  if (found === undefined) throw new BubError("not_found", `There is no package at ${place}.`);
  const problem = found.isDirectory() ? folderProblem(place) : fileProblem(place, found);
  if (problem !== undefined) throw new BubError("invalid_input", `There is no package at ${place}: ${problem}.`);
}

/** What npm says of a tarball that it cannot use, in our words: the end of a sentence. */
export function explainPack(said: string): string | undefined {
  if (said.includes("TAR_BAD_ARCHIVE")) return "it is no tarball that can be read";
  if (said.includes("EJSONPARSE")) return "its package.json is not valid JSON";
  if (said.includes("must have name and version")) return "its package.json lacks a name or a version";
  if (/ENOENT.*Could not read package\.json/s.test(said)) return "it holds no package/package.json";
  return undefined;
}

function folderProblem(place: string): string | undefined {
  const file = join(place, "package.json");
  const found = statOf(file);
  if (found === undefined) return "it has no package.json";
  if (!found.isFile()) return "its package.json is no file";
  const manifest = parseJson(orUnreadable(file, () => readFileSync(file, "utf8")).replace(/^\uFEFF/, ""));
  if (manifest === undefined) return "its package.json is not valid JSON";
  if (!isJsonObject(manifest) || typeof manifest.name !== "string" || typeof manifest.version !== "string")
    return "its package.json lacks a name or a version";
  return isPackageName(manifest.name) ? undefined : `its name '${manifest.name}' is none that npm takes`;
}

function statOf(path: string): Stats | undefined {
  return orUnreadable(path, () => statSync(path, { throwIfNoEntry: false }));
}

function orUnreadable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new BubError("invalid_input", `${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

function fileProblem(place: string, found: Stats): string | undefined {
  if (!found.isFile() || !/\.(tgz|tar\.gz|tar)$/.test(place))
    return "it is neither a folder nor a tarball (.tgz, .tar.gz, .tar)";
  return isTarball(orUnreadable(place, () => readStart(place))) ? undefined : "it is no tarball that can be read";
}

/** gzip's first bytes, or the mark in a tar's first header. */
function isTarball(start: Buffer): boolean {
  return start.readUInt16BE(0) === 0x1f8b || start.toString("latin1", 257, 262) === "ustar";
}

function readStart(file: string): Buffer {
  const start = Buffer.alloc(512);
  const fd = openSync(file, "r");
  try {
    readSync(fd, start, 0, start.length, 0);
  } finally {
    closeSync(fd);
  }
  return start;
}
