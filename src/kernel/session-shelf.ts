// The sessions that there are: listing, renaming, archiving, restoring and removing them; each holds the session's lease.
import { BubError, isBubError } from "../base/errors.ts";
import type { TapeId } from "../base/ids.ts";
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
  /** When something was last written to it: ISO-8601, UTC. */
  readonly changed: string;
  /** Of its tape and sidecars together. */
  readonly bytes: number;
}

/** An archived session. */
export interface ArchivedSession extends TapeArchive, Pick<SessionSummary, "session" | "workspace"> {}

export interface PruneOptions {
  /** Sessions and archives that were last changed before are removed. */
  olderThan: Date;
  /** True: only says what would be removed. */
  dryRun?: boolean;
  /** True: of all workspaces; else of this runtime's. */
  everywhere?: boolean;
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
  const found = (await shelfOf(runtime).list()).map(({ tape, bytes, changed }): SessionSummary => {
    const { session, workspace, date } = records.get(tape) ?? {};
    return { tape, session, workspace, began: date || undefined, changed, bytes };
  });
  const wanted = everywhere ? found : found.filter(isOf(runtime));
  return wanted.sort((one, other) => (one.changed < other.changed ? 1 : -1));
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
 * Gives a session another name.
 * @throws BubError `not_found`; `invalid_input` where the other one is there; `temporary` when somebody is at work on one
 */
export async function renameSession(runtime: Runtime, from: string, to: string): Promise<void> {
  const [source, target] = [runtime.tapeIdOf(from), runtime.tapeIdOf(to)];
  await using _from = await takeLease(runtime, source, from);
  await using _to = await takeLease(runtime, target, to);
  const { tapes, inboxes, tasks } = runtime.storage;
  const waiting = (await inboxes.list(source)).length + (await tasks.list(source)).length;
  if (waiting > 0) throw new BubError("invalid_input", `messages or tasks wait for the session '${from}'`);
  const { workspace = null, clock } = runtime;
  const began = (await recordsOf(runtime)).get(source)?.date || clock.now().toISOString();
  await shelfOf(runtime).rename(source, target);
  await tapes.register({ tape: target, workspace, session: to, date: began });
}

/** Takes a session out of use; answers where it is. @throws BubError `not_found`; `temporary` while somebody is at work on it */
export async function archiveSession(runtime: Runtime, sessionId: string): Promise<string> {
  const tape = runtime.tapeIdOf(sessionId);
  await using _lease = await takeLease(runtime, tape, sessionId);
  return shelfOf(runtime).archive(tape);
}

/**
 * Brings an archive back as its session. What the session holds by then is archived in its place.
 * @param place where the archive is, or a session: its newest archive
 * @throws BubError `not_found`; `temporary` while somebody is at work on the session
 */
export async function restoreSession(
  runtime: Runtime,
  place: string,
): Promise<{ archive: ArchivedSession; replaced?: string }> {
  const all = await listArchives(runtime, { everywhere: true });
  const archive = all.find((one) => one.place === place) ?? all.find(({ tape }) => tape === runtime.tapeIdOf(place));
  if (archive === undefined) throw new BubError("not_found", `there is no archive ${place}`);
  await using _lease = await takeLease(runtime, archive.tape, archive.session ?? archive.tape);
  const shelf = shelfOf(runtime);
  const isInUse = (await shelf.list()).some(({ tape }) => tape === archive.tape);
  const replaced = isInUse ? await shelf.archive(archive.tape) : undefined;
  await shelf.restore(archive.place);
  return replaced === undefined ? { archive } : { archive, replaced };
}

/** Removes what nobody has touched for long, for good. */
export async function pruneSessions(runtime: Runtime, options: PruneOptions): Promise<Pruned> {
  const { dryRun = false, everywhere, signal } = options;
  const limit = options.olderThan.toISOString();
  const shelf = shelfOf(runtime);
  const sessions: SessionSummary[] = [];
  const busy: SessionSummary[] = [];
  for (const summary of await listSessions(runtime, { everywhere })) {
    signal?.throwIfAborted();
    if (summary.changed >= limit) continue;
    const isRemoved = await whenFree(runtime, summary, async () => {
      if (!dryRun) await shelf.remove(summary.tape);
    });
    (isRemoved ? sessions : busy).push(summary);
  }
  const archives = (await listArchives(runtime, { everywhere })).filter(({ date }) => date < limit);
  if (!dryRun) for (const { place } of archives) await shelf.removeArchive(place);
  return { sessions, archives, busy };
}

function shelfOf({ storage }: Runtime): TapeShelf {
  if (storage.shelf !== undefined) return storage.shelf;
  throw new BubError("config", "the storage of this runtime keeps its sessions in ways of its own (no shelf)");
}

async function recordsOf({ storage }: Runtime): Promise<Map<TapeId, SessionRecord>> {
  return new Map((await storage.tapes.sessions()).map((record) => [record.tape, record]));
}

/** Tapes begin with their workspace's name, also those that are on no list. */
function isOf(runtime: Runtime): (one: { readonly tape: TapeId }) => boolean {
  const prefix = runtime.tapeIdOf("").replace(/[^_]*$/, "");
  return ({ tape }) => tape.startsWith(prefix);
}

function takeLease({ storage, ending }: Runtime, tape: TapeId, sessionId: string): Promise<AsyncDisposable> {
  return storage.leases.acquire(tape, { sessionId, signal: ending, wait: false });
}

/** False when somebody is at work on the session. */
async function whenFree(
  runtime: Runtime,
  { tape, session = tape }: SessionSummary,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await using _lease = await takeLease(runtime, tape, session);
    await work();
    return true;
  } catch (error) {
    if (isBubError(error) && (error.kind === "temporary" || error.kind === "invalid_input")) return false;
    throw error;
  }
}
