// Tasks that are under way, a file each; at its end the file becomes an item of the inbox.
import { closeSync, readdirSync, readFileSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../base/errors.ts";
import type { TapeId, TaskId } from "../base/ids.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { ensureFolder, openPrivate, replaceFile, writeWhole } from "./durable-file.ts";
import { fileError, orFileError } from "./file-error.ts";
import { type FileInboxes, parseDraft } from "./inbox.ts";
import type { InboxDraft, InboxItem, TaskPort, TaskRecord } from "./store.ts";

export interface FileTasksOptions {
  /** Holds one folder a tape. On the same file system as the inboxes. */
  folder: string;
  inboxes: FileInboxes;
}

export class FileTasks implements TaskPort {
  readonly #options: FileTasksOptions;

  constructor(options: FileTasksOptions) {
    this.#options = options;
  }

  async put(tape: TapeId, id: TaskId, data: JsonObject): Promise<void> {
    const path = this.#pathOf(tape, id);
    // In place: half a record still says that there is a task.
    orFileError("record the task in", path, () => writeInPlace(path, JSON.stringify({ task: data })));
  }

  async list(tape: TapeId): Promise<readonly TaskRecord[]> {
    const folder = this.#folderOf(tape);
    const ids = orFileError("read the tasks in", folder, () => namesIn(folder).filter(isTaskId));
    return ids.flatMap((id) => {
      const text = orFileError("read the task in", folder, () => readIfThere(join(folder, id)));
      return text === undefined ? [] : [parseTask(id, text)];
    });
  }

  async finish(tape: TapeId, id: TaskId, draft: InboxDraft): Promise<InboxItem | undefined> {
    const record = this.#pathOf(tape, id);
    const text = orFileError("read the task in", record, () => readIfThere(record));
    if (text === undefined) return undefined;
    const { data } = parseTask(id, text);
    return this.#options.inboxes.place(tape, draft, async (path, item) => {
      // Written where the record is, so that one rename ends the task and tells of it.
      await replaceFile(record, JSON.stringify({ ...item, task: data }));
      moveInto(record, path);
    });
  }

  async remove(tape: TapeId, id: TaskId): Promise<void> {
    const path = this.#pathOf(tape, id);
    try {
      unlinkSync(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw fileError("remove the task", path, error);
    }
  }

  #folderOf(tape: TapeId): string {
    return join(this.#options.folder, tape);
  }

  #pathOf(tape: TapeId, id: TaskId): string {
    return join(this.#folderOf(tape), id);
  }
}

function writeInPlace(path: string, text: string): void {
  const fd = openPrivate(path, "w");
  try {
    writeWhole(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Renames; a missing folder is made on the way. */
function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    ensureFolder(dirname(to));
    renameSync(from, to);
  }
}

/** An end that is half written has another name. */
function isTaskId(name: string): name is TaskId {
  return /^sub-[0-9a-f]{8}$/.test(name);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Undefined for a file that is gone: its task ended meanwhile. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseTask(id: TaskId, text: string): TaskRecord {
  const value = parseJson(text);
  const data = isJsonObject(value) && isJsonObject(value.task) ? value.task : {};
  const ended = parseDraft(value);
  return { id, data, ...(ended !== undefined && { ended }) };
}
