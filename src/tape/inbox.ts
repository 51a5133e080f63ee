// Messages left for a session: one file an item, named in order of arrival.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFile, unlink } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../base/clock.ts";
import { codeOf } from "../base/errors.ts";
import type { InboxId, TapeId } from "../base/ids.ts";
import { isJsonObject, type JsonValue, parseJson, textIn } from "../base/json.ts";
import type { Logger } from "../base/log.ts";
import { ensureFolder, writeDurably } from "./durable-file.ts";
import { fileError } from "./file-error.ts";
import { watchFolder } from "./folder-watch.ts";
import type { InboxDraft, InboxItem, InboxKind, InboxPort } from "./store.ts";
import { TapeListeners } from "./tape-listeners.ts";

export interface FileInboxesOptions {
  /** Holds one folder a tape. */
  folder: string;
  clock: Clock;
  log: Logger;
}

const kinds: readonly InboxKind[] = ["steer", "notification", "follow_up", "quit"];
const suffix = ".json";

export class FileInboxes implements InboxPort {
  readonly #options: FileInboxesOptions;
  readonly #nextId: () => InboxId;
  readonly #listeners = new TapeListeners();
  /** Items that were read and are still there, by file name: a file never changes once it is in its place. */
  readonly #read = new Map<TapeId, ReadonlyMap<string, InboxItem>>();

  constructor(options: FileInboxesOptions) {
    this.#options = options;
    this.#nextId = inboxIds(options.clock);
  }

  put(tape: TapeId, draft: InboxDraft): Promise<InboxItem> {
    return this.place(tape, draft, (path, item) => writeDurably(path, JSON.stringify(item)));
  }

  /** As `put`, for those who bring the file to its place in their own way. */
  async place(
    tape: TapeId,
    draft: InboxDraft,
    write: (path: string, item: InboxItem) => Promise<void>,
  ): Promise<InboxItem> {
    const item: InboxItem = { id: this.#nextId(), ...draft, date: this.#options.clock.now().toISOString() };
    const path = this.#pathOf(tape, item.id);
    try {
      await write(path, item);
    } catch (error) {
      throw fileError("leave the message in", path, error);
    }
    this.#listeners.notify(tape);
    return item;
  }

  async list(tape: TapeId): Promise<readonly InboxItem[]> {
    const before = this.#read.get(tape);
    const items = new Map<string, InboxItem>();
    for (const name of this.#namesOf(tape).sort()) {
      const id = name.slice(0, -suffix.length) as InboxId;
      const item = before?.get(name) ?? (await this.#readItem(join(this.#folderOf(tape), name), id));
      if (item !== undefined) items.set(name, item);
    }
    if (items.size > 0) this.#read.set(tape, items);
    else this.#read.delete(tape);
    return [...items.values()];
  }

  async remove(tape: TapeId, id: InboxId): Promise<void> {
    const path = this.#pathOf(tape, id);
    try {
      await promisify(unlink)(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw fileError("remove the message", path, error);
    }
  }

  watch(tape: TapeId, changed: () => void): () => void {
    const folder = this.#folderOf(tape);
    const ignore = this.#listeners.add(tape, changed);
    const stop = this.#watchFolder(folder, (name) => {
      if (name === undefined || (name.endsWith(suffix) && existsSync(join(folder, name)))) changed();
    });
    return () => {
      ignore();
      stop();
    };
  }

  #watchFolder(folder: string, changed: (name: string | undefined) => void): () => void {
    const refused = (error: unknown) => this.#options.log.warn("the inbox is looked at by time", { folder, error });
    try {
      ensureFolder(folder);
    } catch (error) {
      // Where no folder can be made nothing arrives from other processes either.
      refused(error);
      return () => undefined;
    }
    return watchFolder(folder, changed, { refused });
  }

  #namesOf(tape: TapeId): string[] {
    const folder = this.#folderOf(tape);
    try {
      // Mostly empty and asked for at every step: a look is quicker than handing it to another thread.
      return readdirSync(folder).filter((name) => name.endsWith(suffix));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw fileError("read the inbox", folder, error);
    }
  }

  async #readItem(path: string, id: InboxId): Promise<InboxItem | undefined> {
    try {
      const item = parseItem(await promisify(readFile)(path, "utf8"), id);
      if (item === undefined) this.#options.log.warn("an inbox item cannot be read and is left alone", { path });
      return item;
    } catch (error) {
      // Another turn took it in the meantime.
      if (codeOf(error) === "ENOENT") return undefined;
      this.#options.log.warn("an inbox item cannot be read and is left alone", { path, error });
      return undefined;
    }
  }

  #folderOf(tape: TapeId): string {
    return join(this.#options.folder, tape);
  }

  #pathOf(tape: TapeId, id: InboxId): string {
    return join(this.#folderOf(tape), id + suffix);
  }
}

/** Makes ids that sort by time, in one process also within a millisecond and when its clock is set back. */
export function inboxIds(clock: Clock): () => InboxId {
  let last = 0;
  let count = 0;
  return () => {
    const now = Math.max(clock.now().getTime(), last);
    count = now === last ? count + 1 : 0;
    last = now;
    const digits = (value: number, length: number) => value.toString(36).padStart(length, "0");
    return `${digits(now, 9)}-${digits(count, 3)}-${randomBytes(4).toString("hex")}` as InboxId;
  };
}

function parseItem(text: string, id: InboxId): InboxItem | undefined {
  const value = parseJson(text);
  const draft = parseDraft(value);
  if (draft === undefined || !isJsonObject(value)) return undefined;
  return { id, ...draft, date: textIn(value.date) };
}

/** Undefined for what is no item. */
export function parseDraft(value: JsonValue | undefined): InboxDraft | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.payload) || !isInboxKind(value.kind)) return undefined;
  const { kind, payload, meta, data } = value;
  return { kind, payload, meta: isJsonObject(meta) ? meta : {}, ...(isJsonObject(data) && { data }) };
}

function isInboxKind(value: unknown): value is InboxKind {
  return (kinds as readonly unknown[]).includes(value);
}
