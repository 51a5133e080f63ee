// The sessions that there are: listing, renaming, archiving, restoring and removing them; each holds the session's lease.
import { resolve } from "node:path";
import { BubError, isBubError } from "../base/errors.ts";
import { isTemporarySession, type TapeId } from "../base/ids.ts";
import { nearestName } from "../base/near.ts";
import type { SessionRecord, TapeArchive, TapeShelf } from "../tape/store.ts";
import type { Runtime } from "./runtime.ts";

/** A session by what is known of it without reading its tape. */
export interface SessionSummary {
  readonly tape: TapeId;
  /** Undefined for a tape that is on no list, such as one of Python Bub. */
  readonly session: string | undefined;
  /** Its folder; null for none, undefined where that is not known. */
  readonly workspace: string | null | undefined;
  /** When it began, as far as that is known: ISO-8601, UTC. */
  readonly began: string | undefined;
  /** When something was last written to it. */
  readonly changed: Date;
  /** Of its tape and sidecars together. */
  readonly bytes: number;
}

/** A session by its tape; one that is on no list has no name. */
export type SessionTape = Pick<SessionSummary, "tape" | "session">;

/** An archived session. */
export interface ArchivedSession extends TapeArchive, Pick<SessionSummary, "session" | "workspace"> {}

export interface PruneOptions {
  /** Sessions and archives that were last changed before are removed. */
  olderThan: Date;
  /** True: only says what would be removed. */
  dryRun?: boolean;
  /** True: of all workspaces; else of this runtime's. */
  everywhere?: boolean;
  /** Told of what cannot be removed, and the others are; without it, that is thrown. */
  onFailed?: (error: unknown) => void;
  signal?: AbortSignal;
}

export interface Pruned {
  readonly sessions: readonly SessionSummary[];
  readonly archives: readonly ArchivedSession[];
  /** Left alone: somebody is at work on them. */
  readonly busy: readonly SessionSummary[];
}

/** Newest first. @param options.everywhere true: of all workspaces; else of this runtime's */
export async function listSessions(
  runtime: Runtime,
  { everywhere = false }: { everywhere?: boolean } = {},
): Promise<readonly SessionSummary[]> {
  const records = await recordsOf(runtime);
  const tapes = await shelfOf(runtime).list(everywhere ? undefined : prefixOf(runtime));
  const found = tapes.map(({ tape, bytes, changed }): SessionSummary => {
    const { session, workspace, date } = records.get(tape) ?? {};
    return { tape, session, workspace, began: date || undefined, changed, bytes };
  });
  return found.sort((one, other) => other.changed.getTime() - one.changed.getTime());
}

/** Newest first. */
export async function listArchives(
  runtime: Runtime,
  { everywhere = false }: { everywhere?: boolean } = {},
): Promise<readonly ArchivedSession[]> {
  const records = await recordsOf(runtime);
  const found = (await shelfOf(runtime).archives()).map((archive): ArchivedSession => {
    const { session, workspace } = records.get(archive.tape) ?? {};
    return { ...archive, session, workspace };
  });
  return (everywhere ? found : found.filter(isOf(runtime))).reverse();
}

/**
 * The session of a name in this runtime's workspace, or of a tape's name anywhere.
 * @throws BubError `not_found`, which names the nearest
 */
export async function findSession(runtime: Runtime, name: string): Promise<SessionSummary> {
  const all = await listSessions(runtime, { everywhere: true });
  const own = all.filter(isOf(runtime));
  const tape = runtime.tapeIdOf(name);
  const found =
    own.find((one) => one.tape === tape) ??
    // The list may name a tape that was not made of that name.
    own.find(({ session }) => session === name) ??
    all.find((one) => one.tape === name);
  if (found !== undefined) return found;
  const names = own.flatMap(({ session }) => session ?? []);
  throw unknownName("there is no session", name, names, "bub sessions lists them.");
}

/**
 * Gives a session of this runtime's workspace another name.
 * @throws BubError `not_found`; `invalid_input` for a name that cannot be one, or that another session has; `temporary`
 *   when somebody is at work on one
 */
export async function renameSession(
  runtime: Runtime,
  { tape, session = tape }: SessionTape,
  to: string,
): Promise<void> {
  checkName(to);
  const target = runtime.tapeIdOf(to);
  if (!isOf(runtime)({ tape })) throw new BubError("invalid_input", `the session '${session}' is of another workspace`);
  if (target === tape) throw new BubError("invalid_input", `the session has the name '${to}' already`);
  await using _from = await takeLease(runtime, tape, session);
  await using _to = await takeLease(runtime, target, to);
  if ((await shelfOf(runtime).find(target)) !== undefined)
    throw new BubError("invalid_input", `there is a session '${to}' already`);
  const { tapes, inboxes, tasks } = runtime.storage;
  const waiting = (await inboxes.list(tape)).length + (await tasks.list(tape)).length;
  if (waiting > 0) throw new BubError("invalid_input", `messages or tasks wait for the session '${session}'`);
  const { workspace = null, clock } = runtime;
  const began = (await recordsOf(runtime)).get(tape)?.date || clock.now().toISOString();
  await shelfOf(runtime).rename(tape, target);
  await tapes.register({ tape: target, workspace, session: to, date: began });
}

function checkName(name: string): void {
  if (name.trim() === "") throw new BubError("invalid_input", "a session's name cannot be empty");
  if (/\p{Cc}/u.test(name)) throw new BubError("invalid_input", "a session's name cannot hold control characters");
  if (isTemporarySession(name))
    throw new BubError("invalid_input", `'${name}' would be a session in memory: its name begins with temp/`);
}

/** Takes a session out of use; answers where it is. @throws BubError `not_found`; `temporary` while somebody is at work on it */
export async function archiveSession(runtime: Runtime, { tape, session = tape }: SessionTape): Promise<string> {
  await using _lease = await takeLease(runtime, tape, session);
  return shelfOf(runtime).archive(tape);
}

/**
 * Brings an archive back as its session. What the session holds by then is archived in its place.
 * @param name a session, for its newest archive; or an archive: its place, or the time in it (`20261130T125235123Z`)
 * @throws BubError `not_found`, which names the nearest; `invalid_input` for the time of several archives; `temporary` while
 *   somebody is at work on the session
 */
export async function restoreSession(
  runtime: Runtime,
  name: string,
): Promise<{ archive: ArchivedSession; replaced?: string }> {
  const archive = chooseArchive(runtime, name, await listArchives(runtime, { everywhere: true }));
  await using _lease = await takeLease(runtime, archive.tape, archive.session ?? archive.tape);
  const shelf = shelfOf(runtime);
  const isInUse = (await shelf.find(archive.tape)) !== undefined;
  const replaced = isInUse ? await shelf.archive(archive.tape) : undefined;
  await shelf.restore(archive.place);
  return replaced === undefined ? { archive } : { archive, replaced };
}

function chooseArchive(runtime: Runtime, name: string, all: readonly ArchivedSession[]): ArchivedSession {
  const tape = runtime.tapeIdOf(name);
  const newest = all.find((one) => one.tape === tape) ?? all.find((one) => one.tape === name);
  const chosen = newest ?? all.find(({ place }) => place === resolve(name));
  if (chosen !== undefined) return chosen;
  const [found, another] = all.filter(({ place }) => place.endsWith(`.${name}.bak`));
  if (another !== undefined)
    throw new BubError("invalid_input", `there are several archives ${name}`, { hint: "Name one by its whole path." });
  if (found !== undefined) return found;
  const names = all.filter(isOf(runtime)).flatMap(({ session }) => session ?? []);
  throw unknownName("there is no archive of", name, names, "bub sessions --archived lists them.");
}

/** Removes what nobody has touched for long, for good. */
export async function pruneSessions(runtime: Runtime, options: PruneOptions): Promise<Pruned> {
  const { olderThan, dryRun = false, everywhere, signal, onFailed } = options;
  const limit = olderThan.toISOString();
  const shelf = shelfOf(runtime);
  const sessions: SessionSummary[] = [];
  const busy: SessionSummary[] = [];
  const isDone = async (work: Promise<boolean>): Promise<boolean | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (onFailed === undefined) throw error;
      onFailed(error);
      return undefined;
    }
  };
  for (const summary of await listSessions(runtime, { everywhere })) {
    signal?.throwIfAborted();
    if (summary.changed >= olderThan) continue;
    const isRemoved = await isDone(dryRun ? isFree(runtime, summary) : removeOld(runtime, summary, olderThan));
    if (isRemoved !== undefined) (isRemoved ? sessions : busy).push(summary);
  }
  const archives: ArchivedSession[] = [];
  for (const archive of await listArchives(runtime, { everywhere })) {
    if (archive.date >= limit) continue;
    const isRemoved = await isDone(
      dryRun ? Promise.resolve(true) : shelf.removeArchive(archive.place).then(() => true),
    );
    if (isRemoved !== undefined) archives.push(archive);
  }
  return { sessions, archives, busy };
}

async function isFree({ storage }: Runtime, { tape }: SessionSummary): Promise<boolean> {
  return (await storage.leases.holder(tape)) === undefined;
}

/** False when somebody is at work on the session, or was since it was looked at. */
async function removeOld(
  runtime: Runtime,
  { tape, session = tape }: SessionSummary,
  olderThan: Date,
): Promise<boolean> {
  const shelf = shelfOf(runtime);
  try {
    await using _lease = await takeLease(runtime, tape, session);
    const now = await shelf.find(tape);
    if (now === undefined || now.changed >= olderThan) return false;
    await shelf.remove(tape);
    return true;
  } catch (error) {
    if (isBubError(error) && (error.kind === "temporary" || error.kind === "invalid_input")) return false;
    throw error;
  }
}

function unknownName(what: string, name: string, names: Iterable<string>, hint: string): BubError {
  const near = nearestName(name, names);
  return new BubError("not_found", `${what} '${name}'`, {
    hint: near === undefined ? hint : `Did you mean '${near}'?`,
  });
}

function shelfOf({ storage }: Runtime): TapeShelf {
  if (storage.shelf !== undefined) return storage.shelf;
  throw new BubError("config", "the storage of this runtime keeps its sessions in ways of its own (no shelf)");
}

async function recordsOf({ storage }: Runtime): Promise<Map<TapeId, SessionRecord>> {
  const records = new Map<TapeId, SessionRecord>();
  for (const record of await storage.tapes.sessions()) records.set(record.tape, record);
  return records;
}

function isOf(runtime: Runtime): (one: { readonly tape: TapeId }) => boolean {
  const prefix = prefixOf(runtime);
  return ({ tape }) => tape.startsWith(prefix);
}

/** Tapes begin with their workspace's name, also those that are on no list. */
function prefixOf(runtime: Runtime): string {
  return runtime.tapeIdOf("").replace(/[^_]*$/, "");
}

async function takeLease({ storage, ending }: Runtime, tape: TapeId, sessionId: string): Promise<AsyncDisposable> {
  try {
    return await storage.leases.acquire(tape, { sessionId, signal: ending, wait: false });
  } catch (error) {
    if (!isBubError(error) || error.kind !== "temporary") throw error;
    throw new BubError(error.kind, error.message, { hint: "Try again when its turn is over.", cause: error });
  }
}
