// Which session each tape belongs to: one line a tape in `<home>/tapes/index.jsonl`.
import { closeSync, constants, fstatSync, readFileSync, readSync } from "node:fs";
import { codeOf } from "../base/errors.ts";
import type { TapeId } from "../base/ids.ts";
import { isJsonObject, parseJson, textIn } from "../base/json.ts";
import { openPrivate, writeWhole } from "./durable-file.ts";
import { fileError, orFileError } from "./file-error.ts";
import type { SessionRecord } from "./store.ts";

export class SessionIndex {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Adds a line with one write, so that processes that add at the same time do not mix theirs. */
  add({ tape, workspace, session, date }: SessionRecord): void {
    orFileError("write the list of sessions", this.path, () => {
      const fd = openPrivate(this.path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
      try {
        const lead = endsWithLine(fd) ? "" : "\n";
        writeWhole(fd, `${lead}${JSON.stringify({ tape, workspace, session, date })}\n`);
      } finally {
        closeSync(fd);
      }
    });
  }

  /** All records, a tape once (its newest line counts), in the order in which tapes first appear; bad lines are left out. */
  list(): SessionRecord[] {
    const records = new Map<TapeId, SessionRecord>();
    for (const line of this.#read().split("\n")) {
      const record = parseRecord(line);
      if (record !== undefined) records.set(record.tape, record);
    }
    return [...records.values()];
  }

  #read(): string {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return "";
      throw fileError("read the list of sessions", this.path, error);
    }
  }
}

function parseRecord(line: string): SessionRecord | undefined {
  const value = parseJson(line);
  if (!isJsonObject(value)) return undefined;
  const { tape, workspace, session, date } = value;
  if (typeof tape !== "string" || typeof session !== "string") return undefined;
  return {
    tape: tape as TapeId,
    workspace: typeof workspace === "string" ? workspace : null,
    session,
    date: textIn(date),
  };
}

function endsWithLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const byte = Buffer.alloc(1);
  return size === 0 || (readSync(fd, byte, 0, 1, size - 1) === 1 && byte[0] === 0x0a);
}
