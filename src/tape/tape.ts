// A session's memory, open: what happened since the last anchor, and the one way to add to it.
import { type Clock, systemClock } from "../base/clock.ts";
import { BubError } from "../base/errors.ts";
import type { TapeId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import { anchorDrafts, type EntryDraft, sessionStart, type TapeEntry } from "./entry.ts";
import { foldFacts, isRun, noFacts, type TapeFacts } from "./fold.ts";
import { queryLog, type TapeQuery } from "./query.ts";
import type { Lease, ReadOptions, TapeLog, TapeReader } from "./store.ts";
import { readTapeEnd, runsBetweenFacts, type TapeEnd } from "./tape-end.ts";

export interface TapeOptions {
  clock?: Clock;
  /** Asked before each write. A tape that is only read needs none. */
  lease?: Pick<Lease, "check">;
  /** Called once, before the very first entry is written; see `TapeStore.register`. */
  beginning?: () => Promise<void>;
}

export class Tape implements TapeReader, AsyncDisposable {
  readonly #log: TapeLog;
  readonly #clock: Clock;
  readonly #lease: Pick<Lease, "check"> | undefined;
  readonly #beginning: (() => Promise<void>) | undefined;
  #end: TapeEnd;
  #lastAnchor: TapeEntry | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  /** Reads the tape's end and writes nothing. The tape owns the log from now on and closes it. */
  static async open(log: TapeLog, options: TapeOptions = {}): Promise<Tape> {
    return new Tape(log, await readTapeEnd(log), options);
  }

  private constructor(log: TapeLog, end: TapeEnd, { clock = systemClock, lease, beginning }: TapeOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#lease = lease;
    this.#beginning = beginning;
    this.#end = end;
    this.#lastAnchor = end.recent[0]?.kind === "anchor" ? end.recent[0] : undefined;
  }

  get id(): TapeId {
    return this.#log.id;
  }

  /** The last anchor, if any, and all that follows it. Grows in place; the next anchor begins another array. */
  get recent(): readonly TapeEntry[] {
    return this.#end.recent;
  }

  get lastAnchor(): TapeEntry | undefined {
    return this.#lastAnchor;
  }

  /** 0 for an empty tape. */
  get lastId(): number {
    return this.#end.lastId;
  }

  /** As of the last entry. */
  get facts(): TapeFacts {
    return this.#end.facts;
  }

  /**
   * Appends all drafts with one write, in the order of the calls; answers them with ids and dates.
   * On an empty tape the `session/start` anchor goes before them in the same write.
   * @param given the drafts, or what makes them of `recent` once every earlier write stands there
   * @throws what the lease's check throws, or the log: then nothing was written
   */
  append(given: GivenDrafts): Promise<readonly TapeEntry[]> {
    return this.#inTurn(async () => {
      const drafts = draftsOf(given, this.recent);
      if (drafts.length === 0) return [];
      this.#refuseForeignEnd();
      if (this.lastId === 0) await this.#beginning?.();
      const next = this.#following(drafts, this.#end);
      this.#lease?.check();
      await this.#log.append(next.entries);
      this.#advance(next);
      return next.entries.slice(-drafts.length);
    });
  }

  /** Brings what was appended onto the disk. */
  async sync(): Promise<void> {
    await this.#log.sync();
  }

  backward(options?: ReadOptions): AsyncIterable<TapeEntry> {
    return this.#log.backward(options);
  }

  forward(options?: ReadOptions): AsyncIterable<TapeEntry> {
    return this.#log.forward(options);
  }

  /** Entries that the query describes, streamed; what is appended meanwhile may be left out. */
  query(query: TapeQuery, options: { signal?: AbortSignal } = {}): AsyncIterable<TapeEntry> {
    return queryLog(this.#log, query, options);
  }

  /**
   * Clears the tape and begins it anew with `session/start` and these drafts, ids from 1; taken inbox items stay known.
   */
  replace(given: GivenDrafts): Promise<void> {
    return this.#inTurn(async () => {
      const drafts = draftsOf(given, this.recent);
      const facts = { ...noFacts, inbox: this.facts.inbox };
      const cleared = { recent: [], lastId: 0, facts, runsSinceFacts: 0, scanned: false, foreign: undefined };
      const next = this.#following(drafts, cleared);
      this.#lease?.check();
      await this.#log.replace(next.entries);
      this.#end = cleared;
      this.#lastAnchor = undefined;
      this.#advance(next);
    });
  }

  /** Copies the tape aside after what is being written; answers the copy's place, undefined for an empty tape. */
  archive(): Promise<string | undefined> {
    return this.#inTurn(() => this.#log.archive());
  }

  async close(): Promise<void> {
    await this.#writes;
    await this.#log[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #inTurn<Value>(write: () => Promise<Value>): Promise<Value> {
    const written = this.#writes.then(write);
    this.#writes = written.catch(() => undefined);
    return written;
  }

  #refuseForeignEnd(): void {
    if (this.#end.foreign === undefined) return;
    throw new BubError("config", `the tape ${this.id} ends with entries of a newer version and cannot be continued`, {
      hint: "Update bub, or start another session with --new.",
    });
  }

  /** The drafts as the entries that follow `end`, with facts where they are due. */
  #following(drafts: readonly EntryDraft[], end: TapeEnd): Following {
    const now = this.#clock.now().toISOString();
    const entries: TapeEntry[] = [];
    let { lastId, facts, runsSinceFacts, scanned } = end;
    for (const { kind, payload, meta = {}, date = now } of lastId === 0 ? withStart(drafts) : drafts) {
      lastId++;
      const entry = { id: lastId, kind, payload, meta: withoutFacts(meta), date };
      facts = foldFacts(facts, [entry]);
      if (isRun(entry)) runsSinceFacts++;
      const due = kind === "anchor" || (isRun(entry) && (scanned || runsSinceFacts >= runsBetweenFacts));
      entries.push(due ? { ...entry, meta: { ...entry.meta, facts: factsData(facts) } } : entry);
      if (due) {
        runsSinceFacts = 0;
        scanned = false;
      }
    }
    return { entries, lastId, facts, runsSinceFacts, scanned };
  }

  #advance({ entries, lastId, facts, runsSinceFacts, scanned }: Following): void {
    let recent = this.#end.recent;
    for (const entry of entries) {
      if (entry.kind === "anchor") {
        recent = [];
        this.#lastAnchor = entry;
      }
      recent.push(entry);
    }
    this.#end = { recent, lastId, facts, runsSinceFacts, scanned, foreign: undefined };
  }
}

/** Drafts, or what makes them of the last anchor, if any, and all that follows it. */
export type GivenDrafts = readonly EntryDraft[] | ((recent: readonly TapeEntry[]) => readonly EntryDraft[]);

function draftsOf(given: GivenDrafts, recent: readonly TapeEntry[]): readonly EntryDraft[] {
  return typeof given === "function" ? given(recent) : given;
}

interface Following extends Pick<TapeEnd, "lastId" | "facts" | "runsSinceFacts" | "scanned"> {
  readonly entries: TapeEntry[];
}

function withStart(drafts: readonly EntryDraft[]): readonly EntryDraft[] {
  const [first] = drafts;
  if (first?.kind === "anchor" && first.payload.name === sessionStart) return drafts;
  return [...anchorDrafts(sessionStart, { owner: "human" }), ...drafts];
}

/** Facts of another place on a tape are not true here. */
function withoutFacts(meta: JsonObject): JsonObject {
  if (meta.facts === undefined) return meta;
  const { facts: _facts, ...rest } = meta;
  return rest;
}

function factsData({ settings, loaded, entries, anchors, inbox }: TapeFacts): JsonObject {
  return { settings: { ...settings }, loaded: [...loaded], entries, anchors, inbox: [...inbox] };
}
