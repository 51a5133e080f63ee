// Looks over the files that Bub keeps: who may read them, what dead processes left, and the list of sessions.
import { chmod, lstat, readdir, readFile, stat, unlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { counted } from "../base/amounts.ts";
import type { Clock } from "../base/clock.ts";
import { codeOf, wholeSentencesOf } from "../base/errors.ts";
import { isTemporary, type TapeId, tapeIdOf } from "../base/ids.ts";
import { isGone, type LeaseWorld, parseRecord } from "./lease-record.ts";
import type { LeasePort, SessionRecord, TapeStorage } from "./store.ts";

export interface HomeCheckOptions {
  /** Absolute path. */
  readonly home: string;
  readonly storage: Pick<TapeStorage, "tapes" | "leases" | "shelf">;
  readonly world: LeaseWorld;
  /** Real path of the folder in use: its sessions can be told by their names. */
  readonly workspace: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What was found, and what puts it right; a fix answers what it did. */
export interface HomeFinding {
  readonly sentence: string;
  readonly isProblem: boolean;
  readonly fix?: () => Promise<string>;
}

export interface HomeReport {
  readonly findings: readonly HomeFinding[];
  /** False: nothing has been kept yet. */
  readonly exists: boolean;
  readonly files: number;
}

/** A file that was being written is whole or given up by then (milliseconds). */
const givenUpMs = 60 * 60 * 1000;
/** Packages of plugins are npm's own affair. */
const foreign = new Set(["bub-project", "node_modules"]);
/** What is in the home by these names must be a folder: a file in its place stops what is kept there. */
const folders = new Set(["tapes", "inbox", "tasks", "media", "shells", "history", "code-mode"]);

/** Looks, and changes nothing. */
export async function checkHome(options: HomeCheckOptions): Promise<HomeReport> {
  const { home } = options;
  const found = await lstatOf(home);
  if (found === undefined) return { findings: [], exists: false, files: 0 };
  // A link that leads nowhere is none either.
  if ((await stat(home).catch(() => undefined))?.isDirectory() !== true)
    return {
      findings: [{ sentence: `${home} is no folder: nothing can be kept.`, isProblem: true }],
      exists: true,
      files: 0,
    };
  const entries: Entry[] = [];
  const findings: HomeFinding[] = [];
  try {
    await walk(home, entries, options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    findings.push({ sentence: `${home} cannot be looked into: ${wholeSentencesOf(error)}`, isProblem: true });
  }
  findings.push(
    ...misplacedFindings(home, entries),
    ...(await rightsFindings(home, entries)),
    ...(await leaseFindings(entries, options)),
    ...leftoverFindings(entries, options),
    ...(await listFindings(options)),
  );
  return { findings, exists: true, files: entries.filter(({ isFolder }) => !isFolder).length };
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly owner: number;
  readonly changedMs: number;
}

/** Links are not followed: what they lead to is somebody else's. */
async function walk(folder: string, into: Entry[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await lstatOf(path);
    if (stats === undefined || foreign.has(name)) continue;
    const isFolder = stats.isDirectory();
    if (!isFolder && !stats.isFile()) continue;
    into.push({ path, name, isFolder, mode: stats.mode, owner: stats.uid, changedMs: stats.mtimeMs });
    if (isFolder) await walk(path, into, signal);
  }
}

function misplacedFindings(home: string, entries: readonly Entry[]): HomeFinding[] {
  const tapes = join(home, "tapes");
  return entries.flatMap(({ path, name, isFolder }) => {
    const parent = dirname(path);
    if (!isFolder && folders.has(name) && parent === home)
      return { sentence: `${path} is no folder: what belongs there cannot be kept. Move it away.`, isProblem: true };
    if (isFolder && (parent === tapes ? name.endsWith(".jsonl") : parent === home && name === "config.yml"))
      return { sentence: `${path} is a folder where a file of Bub's belongs. Move it away.`, isProblem: true };
    return [];
  });
}

/** Only what is ours can be closed to others, and is. */
async function rightsFindings(home: string, entries: readonly Entry[]): Promise<HomeFinding[]> {
  const own = process.getuid?.();
  const top = await lstatOf(home);
  const all = top?.isDirectory() ? [{ path: home, mode: top.mode, owner: top.uid }, ...entries] : entries;
  const open = all.filter(({ mode, owner }) => (mode & 0o077) !== 0 && (own === undefined || owner === own));
  const [first] = open;
  if (first === undefined) return [];
  const config = join(home, "config.yml");
  const which =
    open.length === 1 ? first.path : `${counted(open.length, "file or folder", "files and folders")} below ${home}`;
  return [
    {
      sentence: `${which} can be read or changed by others of this machine.`,
      isProblem: open.some(({ path }) => path === config) && (await holdsSecret(config)),
      async fix() {
        for (const { path, mode } of open) await chmod(path, mode & 0o700);
        return `${which}: now for you alone.`;
      },
    },
  ];
}

async function holdsSecret(file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  return /(key|token|secret|password)["']?\s*:\s*["']?[^\s"'{}#]/i.test(text);
}

/** Taking a lease whose owner is gone, and giving it back, is how everybody does it: nobody is disturbed by it. */
async function leaseFindings(
  entries: readonly Entry[],
  { storage, world, signal }: HomeCheckOptions,
): Promise<HomeFinding[]> {
  const stale: TapeId[] = [];
  for (const { path, name, changedMs } of entries) {
    if (!name.endsWith(".lease")) continue;
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== undefined && isGone(parseRecord(text, ""), changedMs, world))
      stale.push(name.slice(0, -".lease".length) as TapeId);
  }
  if (stale.length === 0) return [];
  return [
    {
      sentence: `${counted(stale.length, "session is", "sessions are")} still marked as in use by a process that is gone.`,
      isProblem: false,
      async fix() {
        for (const tape of stale) await release(storage.leases, tape, signal);
        return `${counted(stale.length, "mark")} of processes that are gone removed.`;
      },
    },
  ];
}

async function release(leases: LeasePort, tape: TapeId, signal: AbortSignal): Promise<void> {
  await using _lease = await leases.acquire(tape, { sessionId: tape, signal, wait: false });
}

function leftoverFindings(entries: readonly Entry[], { home, clock }: HomeCheckOptions): HomeFinding[] {
  const now = clock.now().getTime();
  const isAside = (name: string) => /\.[0-9a-f]{12}\.tmp$|\.lease\.(after\.)?[\w-]{6,}(\.after\.[\w-]+)*$/.test(name);
  const left = entries.filter(
    ({ name, isFolder, changedMs }) => !isFolder && isAside(name) && now - changedMs > givenUpMs,
  );
  if (left.length === 0) return [];
  return [
    {
      sentence: `${counted(left.length, "file was", "files were")} never finished: ${shortened(left.map(({ path }) => relative(home, path)))}.`,
      isProblem: false,
      async fix() {
        for (const { path } of left) await removeIfThere(path);
        return `${counted(left.length, "unfinished file")} removed.`;
      },
    },
  ];
}

/** Sessions that are on no list cannot be asked for by name; those of known names are put on it again. */
async function listFindings({ storage, workspace, clock }: HomeCheckOptions): Promise<HomeFinding[]> {
  const { tapes, shelf } = storage;
  if (shelf === undefined) return [];
  let records: readonly SessionRecord[];
  let there: readonly TapeId[];
  try {
    records = await tapes.sessions();
    there = (await shelf.list()).map(({ tape }) => tape);
  } catch (error) {
    return [{ sentence: `The sessions cannot be listed: ${wholeSentencesOf(error)}`, isProblem: true }];
  }
  const listed = new Set(records.map(({ tape }) => tape));
  const unlisted = there.filter((tape) => !listed.has(tape) && !isTemporary(tape));
  const known = namesFor(unlisted, records, workspace);
  if (known.length === 0) return [];
  return [
    {
      sentence: `The list of sessions lacks ${counted(known.length, "tape")} that can be told by name: ${shortened(known.map(({ session }) => session))}.`,
      isProblem: false,
      async fix() {
        for (const record of known) await tapes.register({ ...record, date: clock.now().toISOString() });
        return `${counted(known.length, "session")} put on the list again.`;
      },
    },
  ];
}

/** A tape's name follows from its folder and session: those that are known are tried. */
function namesFor(
  tapes: readonly TapeId[],
  records: readonly SessionRecord[],
  workspace: string | undefined,
): Omit<SessionRecord, "date">[] {
  const folders = new Set([
    ...(workspace === undefined ? [] : [workspace]),
    ...records.map((record) => record.workspace ?? ""),
  ]);
  const sessions = new Set(["cli:local", ...records.map(({ session }) => session)]);
  const found: Omit<SessionRecord, "date">[] = [];
  const wanted = new Set(tapes);
  for (const folder of wanted.size === 0 ? [] : folders) {
    const prefix = tapeIdOf(folder, "").split("__")[0];
    if (![...wanted].some((tape) => tape.startsWith(`${prefix}__`))) continue;
    for (const session of sessions) {
      const tape = tapeIdOf(folder, session);
      if (wanted.delete(tape)) found.push({ tape, workspace: folder === "" ? null : folder, session });
    }
  }
  return found;
}

function shortened(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown}, …` : shown;
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
}

async function lstatOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
