// The ports of a tape's storage: log, lease, inbox, tasks and media. They are given together by `provideTapeStore`;
// files are the default, memory serves tests, and nothing above may know which it has.
import type { InboxId, TapeId, TaskId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { TapeEntry } from "./entry.ts";

export interface TapeStorage extends AsyncDisposable {
  readonly tapes: TapeStore;
  readonly leases: LeasePort;
  readonly inboxes: InboxPort;
  readonly tasks: TaskPort;
  readonly media: MediaStore;
  /** Absent where a storage keeps its tapes in ways of its own. */
  readonly shelf?: TapeShelf;
}

export interface TapeStore {
  /** Opens a tape for reading and appending; one that was never written is empty. Creates no file by itself. */
  open(tape: TapeId): Promise<TapeLog>;
  /** The place a person would look at, for example the file's path. */
  locate(tape: TapeId): string;
  /** Remembers which session a tape belongs to; to be called once, before its first entry. */
  register(session: SessionRecord): Promise<void>;
  /** What was registered, a tape once, oldest first. */
  sessions(): Promise<readonly SessionRecord[]>;
  /** Names of the tape's sidecars that were ever written. */
  sidecars(tape: TapeId): Promise<readonly string[]>;
}

/** A tape that is there, with its sidecars. */
export interface ShelvedTape {
  readonly tape: TapeId;
  readonly bytes: number;
  /** When something was last written. */
  readonly changed: Date;
}

/** A copy of a tape that is out of use, with its sidecars. */
export interface TapeArchive {
  readonly tape: TapeId;
  readonly place: string;
  readonly bytes: number;
  /** When it was put there: ISO-8601, UTC. */
  readonly date: string;
}

/** Which tapes there are, and taking them in and out of use, sidecars with them. Whoever changes a tape holds its lease. */
export interface TapeShelf {
  /**
   * Every tape, also one that was never registered; costs by their number, never by what they hold.
   * @param prefix only those whose names begin so
   */
  list(prefix?: string): Promise<readonly ShelvedTape[]>;
  /** One tape of that list; undefined when it is not there. */
  find(tape: TapeId): Promise<ShelvedTape | undefined>;
  /** @throws BubError `not_found`; `invalid_input` where there is a tape `to` */
  rename(from: TapeId, to: TapeId): Promise<void>;
  /** Takes a tape out of use and answers where it is now. @throws BubError `not_found` */
  archive(tape: TapeId): Promise<string>;
  /** Oldest first; those that a reset made, too. */
  archives(): Promise<readonly TapeArchive[]>;
  /** Brings an archive back into use. @throws BubError `not_found`; `invalid_input` while its tape is in use */
  restore(place: string): Promise<TapeId>;
  /** Removes a tape and what waits for it for good. @throws BubError `not_found` */
  remove(tape: TapeId): Promise<void>;
  /** @throws BubError `not_found` */
  removeArchive(place: string): Promise<void>;
}

/** Maps a tape's name back to where it came from. */
export interface SessionRecord {
  readonly tape: TapeId;
  /** Real path; null for sessions without one. */
  readonly workspace: string | null;
  readonly session: string;
  /** When it began: ISO-8601, UTC. */
  readonly date: string;
}

/**
 * Looks at raw lines of a tape before they are read, to save reading them: false where no entry between the two places
 * can be wanted. Asked by stores that keep lines of JSON, about one line or many.
 */
export type LineFilter = (bytes: Buffer, from: number, to: number) => boolean;

export interface ReadOptions {
  /** Leaves out this id and all earlier ones. */
  after?: number;
  /** Leaves out this id and all later ones. */
  before?: number;
  mayHold?: LineFilter;
  signal?: AbortSignal;
}

/** What a tape holds, for reading. What it reads is what was there when each read began. */
export interface TapeReader {
  /** Entries newest first. Costs by what is taken. */
  backward(options?: ReadOptions): AsyncIterable<TapeEntry>;
  /** Entries oldest first. */
  forward(options?: ReadOptions): AsyncIterable<TapeEntry>;
}

/** A tape, opened. A reset by others does not disturb open reads. */
export interface TapeLog extends TapeReader, AsyncDisposable {
  readonly id: TapeId;
  /**
   * Appends a batch with one write; when it returns, the entries survive a kill of this process.
   * @throws BubError `config` when the disk is full or the place cannot be written: then nothing of the batch counts;
   *   `temporary` when somebody else changed the tape since it was opened: then it has to be opened anew
   */
  append(entries: readonly TapeEntry[]): Promise<void>;
  /** As `backward`, without a promise for each entry: `visit` answers false when it has enough. For logs that read many at once. */
  visitBackward?(visit: (entry: TapeEntry) => boolean): Promise<void>;
  /** Brings what was appended onto the disk (fdatasync). */
  sync(): Promise<void>;
  /** Begins anew with `entries`; readers that are open keep the old ones. */
  replace(entries: readonly TapeEntry[]): Promise<void>;
  /** Copies the tape aside, over no earlier copy; answers the copy's place, undefined for a tape that was never written. */
  archive(): Promise<string | undefined>;
  /** What reading skipped so far: torn, corrupt or blank stretches. */
  readonly problems: readonly TapeProblem[];
  /** Bytes of the whole tape. */
  size(): Promise<number>;
}

export interface TapeProblem {
  /** Byte offset of the stretch in the file. */
  readonly offset: number;
  /** Bytes that were skipped. */
  readonly length: number;
  /** `unknown` is an entry of another version: whole, but not understood here. */
  readonly reason: "torn" | "corrupt" | "blank" | "unknown";
  /** The id that an unknown entry carries; absent when it is no whole number. */
  readonly id?: number;
}

/** Who may write a tape, for the length of one turn. */
export interface LeasePort {
  /**
   * Waits until the tape is free and takes it.
   * @param options.wait false: throw instead of waiting
   * @param options.onWait called once when someone else holds it, with who
   * @throws BubError `temporary` `session is held by …` with wait false; `invalid_input` for a process below the holder
   */
  acquire(tape: TapeId, options: LeaseOptions): Promise<Lease>;
  /** The living holder, if any. Needs no lease. */
  holder(tape: TapeId): Promise<LeaseHolder | undefined>;
}

export interface LeaseOptions {
  /** Named in messages. */
  sessionId: string;
  signal: AbortSignal;
  wait?: boolean;
  onWait?: (holder: LeaseHolder) => void;
}

export interface Lease extends AsyncDisposable {
  readonly token: string;
  /** Throws when somebody took the lease over: then nothing may be written any more. */
  check(): void;
}

export interface LeaseHolder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

export type InboxKind = "steer" | "notification" | "follow_up" | "quit";

export interface InboxItem {
  readonly id: InboxId;
  readonly kind: InboxKind;
  /** A user message's payload (`{content, …}`), or `{token}` for `quit`. */
  readonly payload: JsonObject;
  /** Goes onto the entry's meta as it is. */
  readonly meta: JsonObject;
  /** For whoever takes the item in another way than as a message; never comes onto the tape. */
  readonly data?: JsonObject;
  /** ISO-8601, UTC. */
  readonly date: string;
}

/** An item before its inbox gives it its id and date. */
export type InboxDraft = Omit<InboxItem, "id" | "date">;

/** Messages for a session that anyone may leave and only the lease's holder takes. */
export interface InboxPort {
  /** Durable when it returns. */
  put(tape: TapeId, item: InboxDraft): Promise<InboxItem>;
  /** In order of arrival. An unreadable item is skipped and reported in the log, never deleted. */
  list(tape: TapeId): Promise<readonly InboxItem[]>;
  remove(tape: TapeId, id: InboxId): Promise<void>;
  /** Calls `changed` after an item arrives, from this process or another; the answer stops it. */
  watch(tape: TapeId, changed: () => void): () => void;
}

/** A task that was noted and has not been told of. */
export interface TaskRecord {
  readonly id: TaskId;
  /** As it was noted. */
  readonly data: JsonObject;
  /** Its end, when the process died after writing it down and before it was told. */
  readonly ended?: InboxDraft;
}

/** Tasks that are under way for a session, on record so that the end of each is told once, whatever becomes of its process. */
export interface TaskPort {
  /** When it returns, the record survives a kill of this process. */
  put(tape: TapeId, id: TaskId, data: JsonObject): Promise<void>;
  /** In no particular order. A record that cannot be read has no data. */
  list(tape: TapeId): Promise<readonly TaskRecord[]>;
  /**
   * Turns a record into an item of the same tape's inbox. No crash comes between: there is always one or the other.
   * Undefined when there is no such record: it ended already.
   */
  finish(tape: TapeId, id: TaskId, item: InboxDraft): Promise<InboxItem | undefined>;
  /** Forgets a task without telling of its end. */
  remove(tape: TapeId, id: TaskId): Promise<void>;
}

/** Bytes too large for a tape's line, named by their SHA-256. */
export interface MediaStore {
  /** Durable when it returns; the same bytes are kept once. */
  put(bytes: Uint8Array): Promise<string>;
  /** @throws BubError `not_found` naming the hash */
  get(sha256: string): Promise<Uint8Array>;
}
