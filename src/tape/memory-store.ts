// Storage that ends with its process: for tests, temporary sessions and embedders that keep nothing.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { untilAborted } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { BubError } from "../base/errors.ts";
import { type InboxId, parseSidecarId, type TapeId, type TaskId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { TapeEntry } from "./entry.ts";
import { inboxIds } from "./inbox.ts";
import { held } from "./lease.ts";
import { sha256Of, unknownMedia } from "./media-store.ts";
import type {
  InboxDraft,
  InboxItem,
  InboxPort,
  Lease,
  LeaseHolder,
  LeaseOptions,
  LeasePort,
  MediaStore,
  ReadOptions,
  SessionRecord,
  TapeLog,
  TapeStorage,
  TapeStore,
  TaskPort,
  TaskRecord,
} from "./store.ts";
import { TapeListeners } from "./tape-listeners.ts";

/** All ports in memory, with the meaning of files: what is stored is a copy. */
export function createMemoryStorage({ clock = systemClock }: { clock?: Clock } = {}): TapeStorage {
  const inboxes = new MemoryInboxes(clock);
  return {
    tapes: new MemoryTapeStore(),
    leases: new MemoryLeases(),
    inboxes,
    tasks: new MemoryTasks(inboxes),
    media: new MemoryMediaStore(),
    async [Symbol.asyncDispose]() {},
  };
}

/** What stands for a tape's file; a tape begun anew is another one. */
type Lines = TapeEntry[];

class MemoryTapeStore implements TapeStore {
  readonly lines = new Map<TapeId, Lines>();
  readonly archives = new Map<string, readonly TapeEntry[]>();
  readonly #sessions = new Map<TapeId, SessionRecord>();

  async open(tape: TapeId): Promise<TapeLog> {
    return new MemoryLog(tape, this);
  }

  locate(tape: TapeId): string {
    return `memory:${tape}`;
  }

  async register(session: SessionRecord): Promise<void> {
    this.#sessions.set(session.tape, { ...session });
  }

  async sessions(): Promise<readonly SessionRecord[]> {
    return [...this.#sessions.values()];
  }

  async sidecars(tape: TapeId): Promise<readonly string[]> {
    return [...this.lines.keys()].flatMap((id) => {
      const own = parseSidecarId(id);
      return own?.tape === tape ? [own.sidecar] : [];
    });
  }
}

class MemoryLog implements TapeLog {
  readonly id: TapeId;
  readonly problems = [];
  readonly #store: MemoryTapeStore;
  #lines: Lines | undefined;
  #length: number;

  constructor(id: TapeId, store: MemoryTapeStore) {
    this.id = id;
    this.#store = store;
    this.#lines = store.lines.get(id);
    this.#length = this.#lines?.length ?? 0;
  }

  async *backward({ before = Infinity, after = -Infinity, signal }: ReadOptions = {}) {
    const lines = this.#read();
    for (let index = lines.length - 1; index >= 0; index--) {
      signal?.throwIfAborted();
      const entry = lines[index] as TapeEntry;
      if (entry.id <= after) return;
      if (entry.id < before) yield entry;
    }
  }

  async *forward({ after = -Infinity, before = Infinity, signal }: ReadOptions = {}) {
    const lines = this.#read();
    for (let index = 0, { length } = lines; index < length; index++) {
      signal?.throwIfAborted();
      const entry = lines[index] as TapeEntry;
      if (entry.id >= before) return;
      if (entry.id > after) yield entry;
    }
  }

  async append(entries: readonly TapeEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const copies = copyOf(entries);
    this.#refuseForeignChange();
    const lines = this.#read();
    this.#store.lines.set(this.id, lines);
    for (const entry of copies) lines.push(entry);
    this.#length = lines.length;
  }

  async sync(): Promise<void> {}

  async replace(entries: readonly TapeEntry[]): Promise<void> {
    const copies = copyOf(entries);
    this.#refuseForeignChange();
    this.#lines = copies;
    this.#length = copies.length;
    this.#store.lines.set(this.id, copies);
  }

  async archive(): Promise<string | undefined> {
    this.#refuseForeignChange();
    return this.#lines === undefined ? undefined : this.#archive(this.#lines);
  }

  async size(): Promise<number> {
    let bytes = 0;
    for (const entry of this.#read()) bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #read(): Lines {
    this.#lines ??= this.#store.lines.get(this.id);
    this.#lines ??= [];
    return this.#lines;
  }

  #refuseForeignChange(): void {
    const lines = this.#store.lines.get(this.id);
    const ours = lines === undefined || this.#lines === undefined || lines === this.#lines;
    if (ours && (lines?.length ?? 0) === this.#length) return;
    throw new BubError("temporary", `the tape ${this.id} was changed by somebody else while it was open`, {
      hint: "Nothing was written; send the message again.",
    });
  }

  #archive(lines: Lines): string {
    for (let count = 1; ; count++) {
      const place = `${this.#store.locate(this.id)}.${count}.bak`;
      if (this.#store.archives.has(place)) continue;
      this.#store.archives.set(place, [...lines]);
      return place;
    }
  }
}

class MemoryLeases implements LeasePort {
  readonly #holders = new Map<TapeId, MemoryLease>();

  async acquire(tape: TapeId, { sessionId, signal, wait = true, onWait }: LeaseOptions): Promise<Lease> {
    let told = false;
    for (;;) {
      signal.throwIfAborted();
      const holder = this.#holders.get(tape);
      if (holder === undefined) break;
      if (!wait) throw held(sessionId, holder);
      if (!told) onWait?.(holder);
      told = true;
      await untilAborted(holder.released, signal);
    }
    const lease = new MemoryLease(() => this.#holders.delete(tape));
    this.#holders.set(tape, lease);
    return lease;
  }

  async holder(tape: TapeId): Promise<LeaseHolder | undefined> {
    const lease = this.#holders.get(tape);
    return lease === undefined ? undefined : { token: lease.token, pid: lease.pid, host: lease.host };
  }
}

class MemoryLease implements Lease, LeaseHolder {
  readonly token = randomBytes(12).toString("hex");
  readonly pid = process.pid;
  readonly host = hostname();
  readonly released: Promise<void>;
  #release: () => void = () => undefined;
  #held = true;

  constructor(free: () => void) {
    this.released = new Promise((resolve) => {
      this.#release = () => {
        free();
        resolve();
      };
    });
  }

  check(): void {
    if (!this.#held) throw new BubError("temporary", "the lease of this tape was given back");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    this.#release();
  }
}

class MemoryInboxes implements InboxPort {
  readonly #clock: Clock;
  readonly #nextId: () => InboxId;
  readonly #items = new Map<TapeId, InboxItem[]>();
  readonly #listeners = new TapeListeners();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#nextId = inboxIds(clock);
  }

  async put(tape: TapeId, draft: InboxDraft): Promise<InboxItem> {
    const item = copyOf({ id: this.#nextId(), ...draft, date: this.#clock.now().toISOString() });
    this.#items.set(tape, [...(this.#items.get(tape) ?? []), item]);
    this.#listeners.notify(tape);
    return item;
  }

  async list(tape: TapeId): Promise<readonly InboxItem[]> {
    return this.#items.get(tape) ?? [];
  }

  async remove(tape: TapeId, id: InboxId): Promise<void> {
    const left = (this.#items.get(tape) ?? []).filter((item) => item.id !== id);
    if (left.length > 0) this.#items.set(tape, left);
    else this.#items.delete(tape);
  }

  watch(tape: TapeId, changed: () => void): () => void {
    return this.#listeners.add(tape, changed);
  }
}

class MemoryTasks implements TaskPort {
  readonly #inboxes: InboxPort;
  readonly #records = new Map<TapeId, Map<TaskId, JsonObject>>();

  constructor(inboxes: InboxPort) {
    this.#inboxes = inboxes;
  }

  async put(tape: TapeId, id: TaskId, data: JsonObject): Promise<void> {
    const records = this.#records.get(tape) ?? new Map();
    this.#records.set(tape, records.set(id, copyOf(data)));
  }

  async list(tape: TapeId): Promise<readonly TaskRecord[]> {
    return [...(this.#records.get(tape) ?? [])].map(([id, data]) => ({ id, data: copyOf(data) }));
  }

  async finish(tape: TapeId, id: TaskId, item: InboxDraft): Promise<InboxItem | undefined> {
    if (this.#records.get(tape)?.has(id) !== true) return undefined;
    await this.remove(tape, id);
    return this.#inboxes.put(tape, item);
  }

  async remove(tape: TapeId, id: TaskId): Promise<void> {
    const records = this.#records.get(tape);
    records?.delete(id);
    if (records?.size === 0) this.#records.delete(tape);
  }
}

class MemoryMediaStore implements MediaStore {
  readonly #media = new Map<string, Uint8Array>();

  async put(bytes: Uint8Array): Promise<string> {
    const sha256 = sha256Of(bytes);
    if (!this.#media.has(sha256)) this.#media.set(sha256, Uint8Array.from(bytes));
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array> {
    const bytes = this.#media.get(sha256);
    if (bytes === undefined) throw unknownMedia(sha256);
    return Uint8Array.from(bytes);
  }
}

function copyOf<Value>(value: Value): Value extends readonly (infer Item)[] ? Item[] : Value {
  return JSON.parse(JSON.stringify(value));
}
